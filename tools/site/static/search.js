/* Search in the browser: an index of search-index.js, ranked by BM25 with weights for titles, headings and
   search words. Nothing is asked of a server, so that it works from a folder as well. */
"use strict";

(() => {
  const IGNORED = new Set(
    ("a an and are as at be by can could do does each every find for from get give has have how i in into is it its make me my of on " +
      "one or our per python should that the their them there this to use using was way we what when where which who why will with would you your").split(" "),
  );
  const SAME = {
    auroc: ["auc"], rocauc: ["auc"], ci: ["confidence", "interval"], cis: ["confidence", "interval"], crossval: ["cross", "validation"],
    cv: ["cross", "validation"], sklearn: ["scikit", "learn"], "roc.test": ["proc", "delong"], pval: ["p", "value"], stderr: ["standard", "error"],
    subgroup: ["slice"], segment: ["slice"], cutoff: ["threshold"], sd: ["deviation"], vs: ["compare"], versus: ["compare"],
  };
  const WEIGHTS = { title: 9, words: 7, heading: 4, text: 1 };
  const ROOT = document.documentElement.dataset.content_root || "./";

  const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

  /** The stem of an English word, roughly: models, modelled and modelling are one. */
  const stem = (word) => {
    if (word.length < 4 || /\d/.test(word)) return word;
    return word
      .replace(/ies$/, "y")
      .replace(/(ss|x|ch|sh)es$/, "$1")
      .replace(/([^suai])s$/, "$1")
      .replace(/(..[a-z])ied$/, "$1y")
      .replace(/(..[a-z])(ing|ed)$/, "$1")
      .replace(/([^aeiouls])\1$/, "$1")
      .replace(/e$/, "");
  };

  /** The terms of a text; a name such as roc_auc_score is one term, and its words are others. */
  const terms = (text) => {
    const found = [];
    for (const word of plain(text).match(/[a-z0-9][a-z0-9_.]*[a-z0-9]|[a-z0-9]/g) || []) {
      const parts = word.split(/[_.]/);
      if (parts.length > 1) found.push(word);
      for (const part of parts) if (part) found.push(stem(part));
    }
    return found;
  };

  let index = null;

  const count = (into, text, weight) => {
    let number = 0;
    for (const term of terms(text)) {
      into.set(term, (into.get(term) || 0) + weight);
      number += 1;
    }
    return number;
  };

  /** For each page the weight of each term, and how long it is; made when first asked. */
  const build = () => {
    const pages = (window.assaySearch || []).map((page) => {
      const weights = new Map();
      count(weights, page.t, WEIGHTS.title);
      count(weights, page.w || "", WEIGHTS.words);
      let length = 0;
      for (const [, heading, text] of page.s) {
        count(weights, heading, WEIGHTS.heading);
        length += count(weights, text, WEIGHTS.text);
      }
      const named = new Set(terms(page.t));
      return { page, weights, length, named, title: new Set([...named, ...terms(page.w || "")]) };
    });
    const documents = new Map();
    for (const { weights } of pages) for (const term of weights.keys()) documents.set(term, (documents.get(term) || 0) + 1);
    const mean = pages.reduce((sum, { length }) => sum + length, 0) / Math.max(pages.length, 1);
    return { pages, documents, mean };
  };

  const near = (left, right) => {
    if (Math.abs(left.length - right.length) > 1) return false;
    let i = 0;
    while (i < left.length && left[i] === right[i]) i += 1;
    return (
      left.slice(i + 1) === right.slice(i + 1) || left.slice(i) === right.slice(i + 1) || left.slice(i + 1) === right.slice(i) ||
      (left[i] === right[i + 1] && left[i + 1] === right[i] && left.slice(i + 2) === right.slice(i + 2))
    );
  };

  /** What to look for: of each word the terms of the index that it may mean, with how sure that is. */
  const query = (text) => {
    const words = plain(text).match(/[a-z0-9][a-z0-9_.]*[a-z0-9]|[a-z0-9]/g) || [];
    const asked = [];
    /** Two words that are written as one elsewhere: k fold, data frame. */
    const joined = (left, right) => {
      const both = left && right ? stem(left + right) : "";
      return index.documents.has(both) ? both : "";
    };
    words.forEach((word, place) => {
      if (IGNORED.has(word) && words.length > 1) return;
      const known = [...new Set(SAME[word] ? [...terms(word), ...SAME[word].map(stem)] : terms(word))];
      for (const term of known) {
        const meanings = new Map();
        if (index.documents.has(term)) meanings.set(term, 1);
        for (const both of [joined(words[place - 1], word), joined(word, words[place + 1])]) if (both) meanings.set(both, 1);
        if (place === words.length - 1 && term.length > 1) {
          for (const other of index.documents.keys()) if (other !== term && other.startsWith(term)) meanings.set(other, 0.4);
        }
        if (!meanings.size && term.length > 3) {
          for (const other of index.documents.keys()) if (near(term, other)) meanings.set(other, 0.6);
        }
        if (meanings.size) asked.push(meanings);
      }
    });
    return asked;
  };

  const rarity = (term) => Math.log(1 + index.pages.length / (index.documents.get(term) || 1));

  const score = ({ weights, length, named, title }, asked) => {
    let sum = 0;
    let matched = 0;
    let possible = 0;
    for (const meanings of asked) {
      let best = 0;
      let most = 0;
      for (const [term, sure] of meanings) {
        const rare = rarity(term) * sure;
        most = Math.max(most, rare);
        const weight = weights.get(term);
        if (!weight) continue;
        const often = (weight * 2.2) / (weight + 1.2 * (0.4 + (0.6 * length) / index.mean));
        best = Math.max(best, rare * (often + (title.has(term) ? 1.5 : 0)));
      }
      sum += best;
      possible += most;
      if (best) matched += most;
    }
    // A page that is called what was asked, and nothing more, comes before others that have the word in their names.
    const wanted = new Set(asked.flatMap((meanings) => [...meanings.keys()]));
    const share = [...named].filter((term) => wanted.has(term)).length / Math.max(named.size, 1);
    return possible ? sum * (matched / possible) ** 2 * (1 + 0.2 * share) : 0;
  };

  /** The section of a page that has most of the words, where it is not the beginning. */
  const section = (page, asked) => {
    let best = page.s[0] || ["", "", ""];
    let most = -1;
    page.s.forEach((one, place) => {
      const found = new Map();
      count(found, one[1], 4);
      count(found, one[2], 1);
      let sum = place === 0 ? 0.5 : 0;
      for (const meanings of asked) for (const [term, sure] of meanings) if (found.has(term)) sum += sure * rarity(term) * Math.min(found.get(term), 5);
      if (sum > most) [best, most] = [one, sum];
    });
    return best;
  };

  const SECTION_NAMES = { api: "API", metrics: "metric" };

  /** The pages that answer a question best. */
  const search = (text, limit = 20) => {
    index = index || build();
    const asked = query(text);
    if (!asked.length) return [];
    return index.pages
      .map((entry) => ({ entry, score: score(entry, asked) }))
      .filter((hit) => hit.score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .map(({ entry: { page }, score: points }) => {
        const [anchor, heading, body] = section(page, asked);
        return { url: ROOT + (anchor ? `${page.u.split("#")[0]}#${anchor}` : page.u), page: page.u, title: page.t, heading, body, score: points, kind: page.k, asked };
      });
  };

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  };

  /** A few words around the first term that was found, with the terms marked. */
  const excerpt = (body, asked) => {
    const wanted = new Set(asked.flatMap((meanings) => [...meanings.keys()]));
    const words = body.split(" ");
    const first = Math.max(0, words.findIndex((word) => terms(word).some((term) => wanted.has(term))));
    const shown = words.slice(Math.max(0, first - 8), first + 22);
    const made = element("p", "search-excerpt");
    for (const word of shown) {
      made.append(terms(word).some((term) => wanted.has(term)) ? element("mark", "", word) : word, " ");
    }
    return made;
  };

  const show = (list, text, limit) => {
    const hits = search(text, limit);
    list.replaceChildren();
    if (text.trim() && !hits.length) list.append(element("li", "search-none", "Nothing was found. Try fewer or other words."));
    for (const hit of hits) {
      const item = element("li");
      const link = element("a", "search-hit", hit.title);
      link.href = hit.url;
      link.dataset.page = hit.page;
      if (hit.heading) link.append(element("span", "search-heading", ` › ${hit.heading}`));
      const label = hit.page.startsWith("reference/metrics/") ? "metric" : SECTION_NAMES[hit.kind] || hit.kind;
      item.append(link, element("span", "search-kind", label), excerpt(hit.body, hit.asked));
      list.append(item);
    }
  };

  const live = (input, list, limit) => {
    let waiting = 0;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => show(list, input.value, limit), 60);
    });
  };

  const versions = () => {
    const known = window.assayVersions || [];
    if (!known.length) return;
    for (const select of document.querySelectorAll("select.version-select")) {
      // one in the bar, one in the drawer of a telephone
      const here = select.dataset.version;
      select.replaceChildren(
        ...known.map((name) => {
          const option = element("option", "", name);
          option.selected = name === here;
          return option;
        }),
      );
      select.addEventListener("change", () => {
        location.href = `${ROOT}../${select.value}/index.html`;
      });
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    versions();
    for (const form of document.querySelectorAll("form.bd-search")) {
      const list = element("ol", "search-results search-live");
      form.after(list);
      const input = form.querySelector("input[type=search]");
      if (input) live(input, list, 8);
    }
    const list = document.querySelector("#search-results");
    if (list) {
      const input = document.querySelector("#search-page-input");
      input.value = new URLSearchParams(location.search).get("q") || "";
      show(list, input.value, 30);
      live(input, list, 30);
      input.focus();
    }
  });
  window.assayFind = search;
})();
