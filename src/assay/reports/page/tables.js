// Tables of metrics, classes, slices, models and errors, and how each number was computed.

function figureTable(model, title = "All metrics") {
  const head = ["metric", "value", `${model.confidence} interval`, "", "method"];
  const body = model.metrics.map((group) =>
    el(
      "tbody",
      {},
      group.map((figure) => {
        const cells = head.slice(1).map(() => el("td"));
        cells[0].className = "number";
        cells[1].className = "number";
        cells[2].className = "drawn";
        cells[3].className = "method";
        follow(() => {
          const now = figureNow(figure, model);
          const missing = now.text[0] == null;
          cells[0].replaceChildren(missing ? "–" : now.text[0]);
          cells[0].dataset.text = JSON.stringify(now.text);
          cells[1].replaceChildren(interval(now.text));
          cells[2].replaceChildren(
            ...[intervalBar(now.text, barLimits(figure.bounds, [now.text]))].filter(Boolean),
          );
          cells[3].replaceChildren(now.words ?? "", ...now.remarks.map((remark) => el("small", {}, remark)));
        });
        return el(
          "tr",
          { [figureMark(model)]: figure.name },
          el("th", { scope: "row" }, term(figure.label, figure.meaning)),
          cells,
        );
      }),
    ),
  );
  // Not in a box that scrolls, which would cut off what is explained in its last lines.
  const table = el(
    "table",
    { class: "figures stacked" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head.map((word, i) =>
          el(
            "th",
            { scope: "col", "data-again": i === 2 || i === 3 },
            word || el("span", { class: "hidden" }, "interval drawn"),
          ),
        ),
      ),
    ),
    body,
  );
  return section(title, table, csvButton(title, table));
}

// A plain table under a name; `numbers` are the columns of numbers.
function listed(title, heads, rows, numbers = []) {
  const table = el(
    "table",
    { class: "figures list" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((word, i) =>
          el("th", { scope: "col", class: numbers.includes(i) ? "number" : null }, word),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          row.map((cell, i) => el("td", { class: numbers.includes(i) ? "number" : null }, cell)),
        ),
      ),
    ),
  );
  return [el("h3", {}, title), scrolled(title, table)];
}

// A metric with its interval, drawn and printed; on a narrow screen under its own name.
const drawnCell = (name, text, scale, reference, ...more) =>
  el(
    "td",
    { class: "forest", "data-name": name, "data-text": JSON.stringify(text) },
    intervalBar(text, scale, 130, reference) ?? "",
    el("span", { class: "number" }, text[0] ?? "–"),
    " ",
    el("span", { class: "number quiet" }, interval(text)),
    more,
  );

// What a slice's test against the rest says, where it says something.
function testNote(test) {
  if (!test?.decided) return null;
  const word = { 1: "▲ better than", 0: "◆ unlike", "-1": "▼ worse than" }[test.better];
  const style = { 1: "better", 0: "", "-1": "worse" }[test.better];
  return el("small", { class: `tested ${style}` }, `${word} the rest: ${test.difference}, ${test.p}`);
}

const FIRST_ROWS = 40; // of a table, before the others are asked for
const MOST_PRINTED = 100; // rows of a table that paper has without being asked

// Parts of the rows with their metrics, sorted by any column; where they are many the first are shown.
function forest(title, table, noun, { confidence, about } = {}) {
  const notes = (table.notes ?? []).map((text) => el("p", {}, text));
  if (!table.rows.length) return section(title, notes);
  const whole = table.all ?? {};
  const scales = table.metrics.map((name) => {
    const texts = table.rows.map((row) => row.metrics[name]).filter(Boolean);
    const all = texts.flat().map(number).filter(Number.isFinite);
    return all.every((one) => one >= 0 && one <= 1) ? [0, 1] : barLimits(null, texts);
  });
  const references = table.metrics.map((name) => number(whole[name]?.[0]));
  const body = el("tbody");
  let [rows, open] = [table.rows, table.rows.length <= FIRST_ROWS + 5];
  const value = (row, column) =>
    column === 0 ? row.name : column === 1 ? row.n : number(row.metrics[table.metrics[column - 2]]?.[0]);
  const written = (row, kind) =>
    el(
      "tr",
      { class: kind },
      el("th", { scope: "row" }, named(row.name), row.note ? el("small", {}, row.note) : null),
      el("td", { class: "number" }, row.n == null ? "" : count(row.n)),
      table.metrics.map((name, i) =>
        drawnCell(
          name,
          row.metrics[name] ?? [null, null, null],
          scales[i],
          references[i],
          testNote(row.tests?.[name]),
        ),
      ),
    );
  const more = el("button", {
    type: "button",
    onclick: () => {
      open = true;
      draw();
    },
  });
  const printed = el("p", { class: "quiet printed" });
  const draw = () => {
    const first = table.all ? [written({ name: "all rows", n: state.model.n, metrics: whole }, "whole")] : [];
    body.replaceChildren(...first, ...(open ? rows : rows.slice(0, FIRST_ROWS)).map((row) => written(row)));
    more.hidden = open;
    more.textContent = `Show all ${count(rows.length)}`;
    printed.textContent = open
      ? ""
      : `The first ${FIRST_ROWS} of ${count(rows.length)} are printed; the page itself has all of them.`;
  };
  if (rows.length <= MOST_PRINTED)
    addEventListener("beforeprint", () => {
      open = true;
      draw();
    });
  const heads = [noun, "rows", ...table.metrics].map((word, column) => {
    const head = el("th", { scope: "col" });
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows = [...table.rows].sort((a, b) => {
        const [first, second] = [value(a, column), value(b, column)];
        if (column === 0) return sign * first.localeCompare(second, undefined, { numeric: true });
        if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
        return sign * (first - second);
      });
      draw();
    };
    head.append(el("button", { type: "button", class: "sort", onclick: sort }, word));
    return head;
  });
  draw();
  const style = table.metrics.length > 6 ? "slices folded wide" : "slices folded"; // too wide for paper
  const said = [
    confidence ? `${confidence} intervals, each for itself.` : null,
    table.all ? "Dotted: all rows." : null,
    table.worst ? "Worst first." : null,
  ].filter(Boolean);
  return section(
    title,
    about,
    said.length ? el("p", { class: "quiet" }, said.join(" ")) : null,
    notes,
    scrolled(title, el("table", { class: style }, el("thead", {}, el("tr", {}, heads)), body)),
    more,
    printed,
    table.left_out ? el("p", { class: "quiet" }, `${count(table.left_out)} more are left out.`) : null,
  );
}

function errorTable({ columns, rows, left_out: leftOut }) {
  return section(
    "Errors worth looking at",
    handedIn("These rows"),
    scrolled(
      "Errors worth looking at",
      el(
        "table",
        { class: "figures" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            columns.map((name) => el("th", { scope: "col" }, named(name))),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              row.map((text) => el("td", {}, named(text))),
            ),
          ),
        ),
      ),
    ),
    leftOut ? el("p", { class: "quiet" }, `${count(leftOut)} more are left out.`) : null,
  );
}

// What to type for the parts of the page; the threshold and the costs that are shown are in it.
function codeLines({ lines, at, costs }) {
  const list = el("dl", { class: "computed code" });
  const entry = ([what, code]) => [el("dt", {}, what), el("dd", {}, el("code", {}, code))];
  const draw = () => {
    const { live } = subject();
    const known = live && live === state.model.live; // not of one of several labels
    const cutoff = known && state.at != null ? live.cutoffs[state.at] : null;
    const shownNow = [];
    if (Number.isFinite(cutoff)) shownNow.push(["all of it at the threshold shown", at.join(String(cutoff))]);
    if (known && state.costs) {
      const [before, between, after] = costs;
      const code = `${before}${state.costs[0]}${between}${state.costs[1]}${after}`;
      shownNow.push(["the cheapest threshold at these costs", code]);
    }
    const [first, ...rest] = lines;
    list.replaceChildren(...[first, ...shownNow, ...rest].flatMap(entry));
  };
  follow(draw);
  return list;
}

function computed(model) {
  const named = data.models.length > 1 ? ` of ${isolated(model.name)}` : "";
  const entry = (figure) => [
    el("dt", {}, figure.label),
    el(
      "dd",
      {},
      figure.meaning,
      figure.formula ? [" ", el("code", {}, figure.formula), "."] : null,
      figure.text[1] == null ? null : ` Interval: ${figure.words}.`,
      figure.undefined ? ` Undefined where ${figure.undefined}.` : null,
      figure.notes ? el("small", {}, figure.notes) : null,
    ),
  ];
  return section(
    "How each number was computed",
    el(
      "details",
      {},
      el("summary", {}, `Formulas, methods${named} and when a metric is undefined`),
      el("dl", { class: "computed" }, model.metrics.flat().map(entry)),
    ),
    data.code ? el("details", {}, el("summary", {}, data.code.title), codeLines(data.code)) : null,
    el(
      "p",
      { class: "quiet" },
      `Made by assay ${data.assay} from counts, not from rows: this file holds no row of the data${data.errors ? " but the errors shown" : ""}, loads nothing and sends nothing.`,
    ),
  );
}
