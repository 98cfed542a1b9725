// The runs of a ledger as a table, of which two or more can be chosen and compared.
const MOST_COMPARED = 16;

// The runs that are chosen stay so from page to page, until the tab is closed.
const chosenRuns = {
  read() {
    try {
      return new Map(JSON.parse(sessionStorage.getItem("assay-chosen") ?? "[]"));
    } catch {
      return new Map();
    }
  },
  write(runs) {
    try {
      sessionStorage.setItem("assay-chosen", JSON.stringify([...runs]));
    } catch {
      // They stay chosen on this page alone.
    }
  },
};

function runsPage() {
  const chosen = chosenRuns.read();
  const picked = data.picked ? data.metrics.map((metric) => metric.name) : [];
  const state = { ...data.filters.chosen, metric: picked, sort: data.sort === "-run" ? "" : data.sort };
  const bar = el("div", { class: "chosen", role: "status" });
  const boxes = [];
  const showChosen = () => {
    const numbers = [...chosen.keys()];
    bar.hidden = !numbers.length;
    const enough = numbers.length >= 2 && numbers.length <= MOST_COMPARED;
    bar.replaceChildren(
      el(
        "span",
        {},
        `${count(numbers.length)} chosen: `,
        [...chosen].slice(0, 4).map(([run, model], i) => [i ? ", " : "", named(model || `#${run}`)]),
        numbers.length > 4 ? ", …" : null,
      ),
      enough
        ? link("compare", { run: numbers }, { class: "button primary" }, "Compare")
        : el(
            "span",
            { class: "quiet" },
            numbers.length < 2 ? "choose another to compare" : `at most ${MOST_COMPARED} are compared`,
          ),
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            chosen.clear();
            boxes.forEach((box) => (box.checked = false));
            chosenRuns.write(chosen);
            showChosen();
          },
        },
        "Clear",
      ),
    );
  };
  const box = (row) => {
    const made = el("input", {
      type: "checkbox",
      "aria-label": `choose run ${row.run}, ${isolated(row.model)}`,
      checked: chosen.has(row.run),
      onchange: () => {
        if (made.checked) chosen.set(row.run, row.model);
        else chosen.delete(row.run);
        chosenRuns.write(chosen);
        showChosen();
      },
    });
    boxes.push(made);
    return made;
  };
  const head = (name, word, { down = false, number: right = false } = {}) => {
    const [rising, falling] = [name, `-${name}`];
    const sorted = data.sort === rising ? "ascending" : data.sort === falling ? "descending" : null;
    const next = sorted ? (sorted === "ascending" ? falling : rising) : down ? falling : rising;
    return el(
      "th",
      { scope: "col", "aria-sort": sorted, class: right ? "number" : null },
      link("", { ...state, sort: next }, { class: "sort" }, word),
    );
  };
  const scales = data.metrics.map((_, i) => scaleOf(data.rows.map((row) => row.cells[i])));
  const table = el(
    "table",
    { class: "slices folded runs" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", class: "box" }, el("span", { class: "hidden" }, "chosen")),
        head("model", "model"),
        head("run", "recorded (UTC)", { down: true }),
        head("test", "test set"),
        head("look", "look", { number: true }),
        head("rows", "rows", { number: true, down: true }),
        data.metrics.map((metric) => head(metric.name, metric.label, { down: metric.better >= 0 })),
      ),
    ),
    el(
      "tbody",
      {},
      data.rows.map((row) =>
        el(
          "tr",
          {},
          el("td", { class: "box" }, box(row)),
          el(
            "th",
            { scope: "row" },
            runLink(row.run, row.model ? named(row.model) : `run ${row.run}`),
            tagLinks(row.tags),
          ),
          el("td", { class: "when" }, row.time, el("small", {}, `#${row.run}`)),
          el("td", { class: "test" }, testLink(row)),
          el("td", { class: "number look", "data-name": "look" }, count(row.look)),
          el("td", { class: "number rows", "data-name": "rows" }, count(row.rows)),
          row.instead.length
            ? insteadCell(row.instead)
            : row.cells.map((text, i) => metricCell(i, text, scales[i])),
        ),
      ),
    ),
  );
  showChosen();
  return [
    filterForm("", data.filters, ["q", "model", "test", "task", "tag", "since"], columnChoice(), kept(state)),
    el(
      "p",
      { class: "quiet found" },
      data.found === data.total
        ? `${plural(data.total, "run")}. `
        : [`${count(data.found)} of ${plural(data.total, "run")}. `, link("", {}, {}, "Show all"), ". "],
      data.metrics.length ? `${data.confidence} intervals, each for itself. ` : null,
      data.found
        ? link("trends", { ...data.filters.chosen, metric: data.metrics[0]?.name }, {}, "Trends of these")
        : null,
    ),
    data.rows.length ? scrolled("Runs", table) : emptyRuns(),
    pager(state),
    bar,
  ];
}

const metricCell = (i, text, scale) =>
  text[0] == null
    ? el("td", { class: "forest", "data-name": data.metrics[i].label }, "–")
    : drawnCell(data.metrics[i].label, text, scale);

// A run of another task than most has other metrics, which say what they are.
const insteadCell = (found) =>
  el(
    "td",
    { class: "forest instead", colspan: data.metrics.length },
    found.map(({ label, text }, i) => [
      i ? " · " : null,
      `${label} `,
      el("span", { class: "number" }, text[0] ?? "–"),
      " ",
      el("span", { class: "number quiet" }, interval(text)),
    ]),
  );

// The order stays when a filter changes.
const kept = (state) =>
  state.sort ? el("input", { type: "hidden", name: "sort", value: state.sort }) : null;

const emptyRuns = () =>
  data.total
    ? el("p", {}, "No run is like that. ", link("", {}, {}, "Show all runs"), ".")
    : nothingThere(
        "The ledger is empty. Record an evaluation, and reload this page:",
        `assay.evaluate(table, actual="y", score="p", key="id", ledger="${data.site.ledger}")`,
      );

// The scale that the intervals of a column are drawn on: around what they are, so that they can be told apart.
function scaleOf(texts) {
  const all = texts.flat().map(number).filter(Number.isFinite);
  if (!all.length) return [0, 1];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = (high - low) * 0.05 || Math.abs(low) * 0.05 || 0.05;
  return [low - room, high + room];
}

function columnChoice() {
  const shown = new Set(data.metrics.map((metric) => metric.name));
  if (data.known.length < 2) return null;
  return el(
    "details",
    { class: "columns" },
    el("summary", {}, "Columns"),
    el(
      "fieldset",
      {},
      el("legend", { class: "hidden" }, "Metrics to show"),
      data.known.map((metric) =>
        el(
          "label",
          {},
          el("input", {
            type: "checkbox",
            name: "metric",
            value: metric.name,
            checked: shown.has(metric.name),
          }),
          ` ${metric.label}`,
        ),
      ),
    ),
  );
}

function pager(state) {
  if (data.pages < 2) return null;
  const to = (page, word) =>
    page >= 1 && page <= data.pages
      ? link("", { ...state, page: page > 1 ? page : "" }, { class: "button" }, word)
      : el("span", { class: "button off", "aria-hidden": "true" }, word);
  return el(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    to(data.page - 1, "← newer"),
    el("span", {}, `page ${count(data.page)} of ${count(data.pages)}`),
    to(data.page + 1, "older →"),
  );
}
