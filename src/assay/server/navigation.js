// What stands above every page of a ledger: where one is, and where one can go.

// The address of a page, with parameters; what is "" is left out.
function href(path, parameters = {}) {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value].flat()) if (one !== "" && one != null) found.append(name, one);
  const query = String(found);
  return data.site.base + path + (query ? `?${query}` : "");
}

const link = (path, parameters, attributes, ...children) =>
  el("a", { href: href(path, parameters), ...attributes }, ...children);

const runLink = (run, ...children) => link(`run/${run}`, {}, {}, ...children);
const testLink = (one) =>
  one.test ? link(`tests/${encodeURIComponent(one.test)}`, {}, { class: "code" }, one.test_name) : "";

const PLACES = { runs: "Runs", tests: "Test sets", trends: "Trends", slices: "Slices", plans: "Plans" };

function navigation(here) {
  return el(
    "nav",
    { class: "ledger", "aria-label": "Ledger" },
    el("span", { class: "name" }, named(data.site.ledger)),
    Object.entries(PLACES).map(([kind, word]) =>
      link(kind === "runs" ? "" : kind, {}, { "aria-current": kind === here ? "page" : null }, word),
    ),
  );
}

const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

const tagLinks = (tags) =>
  tags.length
    ? el(
        "span",
        { class: "tags" },
        tags.map((tag) => link("", { tag: tag.key }, { class: "tag" }, named(tag.name))),
      )
    : null;
