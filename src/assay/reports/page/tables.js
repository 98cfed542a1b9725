// Tables of metrics, classes, slices, models and errors, and how each number was computed.

function figureTable(model) {
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
          const now = figureNow(figure);
          const missing = now.text[0] == null;
          cells[0].replaceChildren(missing ? "–" : now.text[0]);
          cells[1].replaceChildren(interval(now.text));
          cells[2].replaceChildren(
            ...[intervalBar(now.text, barLimits(figure.bounds, [now.text]))].filter(Boolean),
          );
          cells[3].replaceChildren(now.words ?? "", ...now.remarks.map((remark) => el("small", {}, remark)));
        });
        return el(
          "tr",
          { "data-figure": figure.name },
          el("th", { scope: "row" }, term(figure.label, figure.meaning)),
          cells,
        );
      }),
    ),
  );
  // Not in a box that scrolls, which would cut off what is explained in its last lines.
  return section(
    "All metrics",
    el(
      "table",
      { class: "figures stacked" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((word) =>
            el("th", { scope: "col" }, word || el("span", { class: "hidden" }, "interval drawn")),
          ),
        ),
      ),
      body,
    ),
  );
}

function heatMap(table) {
  const weighted = table.counts.flat().some((one) => !Number.isInteger(one));
  const peak = table.counts.map((row) => row.reduce((sum, one) => sum + one, 0));
  const rows = table.counts.map((row, i) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, named(table.labels[i])),
      row.map((one, j) => {
        const cell = el(
          "td",
          { class: i === j ? "cell good" : "cell bad" },
          el("b", {}, count(one, weighted)),
          table.labels.length <= 8 && peak[i] ? el("small", {}, share(one, peak[i])) : null,
        );
        cell.style.setProperty("--share", peak[i] ? one / peak[i] : 0);
        return cell;
      }),
      el("td", { class: "total" }, count(peak[i], weighted)),
    ),
  );
  return scrolled(
    "Table of counts",
    el(
      "table",
      { class: table.labels.length > 8 ? "matrix many" : "matrix" },
      el("caption", {}, "Rows actual, columns predicted; shaded by the share of the row"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          table.labels.map((label) => el("th", { scope: "col" }, named(label))),
          el("th", { scope: "col" }, "total"),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

// A metric with its interval, drawn and printed; on a narrow screen under its own name.
const drawnCell = (name, text, scale) =>
  el(
    "td",
    { class: "forest", "data-name": name },
    intervalBar(text, scale) ?? "",
    el("span", { class: "number" }, text[0] ?? "–"),
    " ",
    el("span", { class: "number quiet" }, interval(text)),
  );

// Parts of the rows with their metrics, sorted by any column.
function forest(title, table, noun) {
  const scales = table.metrics.map((name) => {
    const texts = table.rows.map((row) => row.metrics[name]).filter(Boolean);
    const all = texts.flat().map(number).filter(Number.isFinite);
    return all.every((one) => one >= 0 && one <= 1) ? [0, 1] : barLimits(null, texts);
  });
  const body = el("tbody");
  const value = (row, column) =>
    column === 0 ? row.name : column === 1 ? row.n : number(row.metrics[table.metrics[column - 2]]?.[0]);
  const draw = (rows) =>
    body.replaceChildren(
      ...rows.map((row) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, named(row.name), row.note ? el("small", {}, row.note) : null),
          el("td", { class: "number" }, count(row.n)),
          table.metrics.map((name, i) => {
            const text = row.metrics[name] ?? [null, null, null];
            return drawnCell(name, text, scales[i]);
          }),
        ),
      ),
    );
  const heads = [noun, "rows", ...table.metrics].map((word, column) => {
    const head = el("th", { scope: "col" });
    head.append(
      el(
        "button",
        {
          type: "button",
          class: "sort",
          onclick: () => {
            const down = head.getAttribute("aria-sort") === "ascending";
            for (const other of heads) other.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", down ? "descending" : "ascending");
            const sign = down ? -1 : 1;
            draw(
              [...table.rows].sort((a, b) => {
                const [first, second] = [value(a, column), value(b, column)];
                if (column === 0) return sign * first.localeCompare(second, undefined, { numeric: true });
                if (Number.isNaN(first) || Number.isNaN(second))
                  return Number.isNaN(first) - Number.isNaN(second);
                return sign * (first - second);
              }),
            );
          },
        },
        word,
      ),
    );
    return head;
  });
  draw(table.rows);
  return section(
    title,
    scrolled(title, el("table", { class: "slices folded" }, el("thead", {}, el("tr", {}, heads)), body)),
    (table.notes ?? []).map((text) => el("p", {}, text)),
    table.left_out ? el("p", { class: "quiet" }, `${count(table.left_out)} more are left out.`) : null,
  );
}

function comparison({ rows, differences, summary, paired, left_out: leftOut }) {
  const names = data.models.map((model) => model.name);
  const parts = [
    scrolled(
      "Models side by side",
      el(
        "table",
        { class: "slices folded" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["metric", ...names].map((name) => el("th", { scope: "col" }, named(name))),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) => {
            const all = row.values.flat().map(number).filter(Number.isFinite);
            const scale = all.every((one) => one >= 0 && one <= 1) ? [0, 1] : barLimits(null, row.values);
            return el(
              "tr",
              {},
              el("th", { scope: "row" }, row.label),
              row.values.map((text, i) => drawnCell(names[i], text, scale)),
            );
          }),
        ),
      ),
    ),
  ];
  const curves = data.models.map((model) => model.shapes.roc).slice(0, 8); // more cannot be told apart
  if (curves.every(Boolean)) {
    const chart = frame({
      title: names.length > 8 ? "ROC curves of the first 8 models" : "ROC curves of all models",
      xTitle: "false positive rate",
      yTitle: "recall",
      xLimits: [0, 1],
      yLimits: [0, 1],
    });
    chart.plot.append(
      line(chart, [0, 1], [0, 1], "chance"),
      ...curves.map((one, i) => line(chart, one.x, one.y, `series s${i}`)),
    );
    chart.caption.append(legend(names.slice(0, 8)));
    chart.describe(names.slice(0, 8).join(", "));
    parts.push(el("div", { class: "charts" }, chart.root));
  }
  if (differences.length) {
    parts.push(
      el("h3", {}, paired ? "Differences, row by row" : "Differences"),
      scrolled(
        "Differences",
        el(
          "table",
          { class: "figures differences" },
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ["metric", "models", "difference", "interval", "p, corrected", "method"].map((word) =>
                el("th", { scope: "col" }, word),
              ),
            ),
          ),
          el(
            "tbody",
            {},
            differences.map((one) =>
              el(
                "tr",
                {},
                el("th", { scope: "row" }, one.label),
                el("td", {}, one.pair),
                el("td", { class: "number" }, one.text[0] ?? "–"),
                el("td", { class: "number" }, interval(one.text)),
                el("td", { class: "number" }, one.p_value),
                el("td", { class: "method" }, one.method),
              ),
            ),
          ),
        ),
      ),
    );
  }
  return section(
    "Models side by side",
    parts,
    leftOut ? el("p", { class: "quiet" }, `${count(leftOut)} more differences are left out.`) : null,
    summary ? el("p", {}, summary) : null,
  );
}

function errorTable({ columns, rows, left_out: leftOut }) {
  return section(
    "Errors worth looking at",
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

function computed(model) {
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
      el("summary", {}, "Formulas, methods and when a metric is undefined"),
      el("dl", { class: "computed" }, model.metrics.flat().map(entry)),
    ),
    el(
      "p",
      { class: "quiet" },
      `Made by assay ${data.assay} from counts, not from rows: this file holds no row of the data${data.errors ? " but the errors shown" : ""}, loads nothing and sends nothing.`,
    ),
  );
}
