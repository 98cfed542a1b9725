// Several classes: the table of counts, the most confused pairs, and the curves of a class that is chosen.

function heatMap(model) {
  const { table } = model;
  const size = table.labels.length;
  const weighted = table.counts.flat().some((one) => !Number.isInteger(one));
  const totals = table.counts.map((row) => row.reduce((sum, one) => sum + one, 0));
  const columns = table.counts[0].map((_, j) => table.counts.reduce((sum, row) => sum + row[j], 0));
  const errors = totals.map((total, i) => total - table.counts[i][i]);
  const wanted = { order: "class", unit: size > 12 ? "shares" : "counts" };
  const brief = table.labels.every((label) => label.length <= 3) ? " brief" : ""; // read without turning the head
  const style = size <= 8 ? "matrix" : `matrix many${brief}${brief && size <= 12 ? " even" : ""}`;
  const [holder] = scrolled("Table of counts", null);
  const percent = (part, whole) => (whole ? String(Math.round((100 * part) / whole)) : "");
  const written = (one, i) => {
    if (wanted.unit === "shares") return percent(one, totals[i]).replace(/^0$/, "");
    return one || size <= 12 ? count(one, weighted) : "";
  };
  const draw = () => {
    const order = table.labels.map((_, i) => i);
    if (wanted.order === "errors") order.sort((a, b) => errors[b] - errors[a]);
    const head = (i) =>
      el("th", { scope: "col", title: table.labels[i] }, el("span", {}, narrow(table.labels[i])));
    const rows = order.map((i) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", title: table.labels[i] }, narrow(table.labels[i])),
        order.map((j) => {
          const amount = table.counts[i][j];
          const [actual, predicted] = [i, j].map((at) => isolated(table.labels[at]));
          const cell = el(
            "td",
            {
              class: i === j ? "cell good" : "cell bad",
              title: `actual ${actual}, predicted ${predicted}: ${count(amount, weighted)}`,
              "data-number": amount,
            },
            el("b", {}, written(amount, i)),
            size <= 8 && wanted.unit === "counts" ? el("small", {}, share(amount, totals[i])) : null,
          );
          cell.style.setProperty("--share", totals[i] ? amount / totals[i] : 0);
          return cell;
        }),
        el("td", { class: "total", "data-number": totals[i] }, count(totals[i], weighted)),
      ),
    );
    const amounts = weighted ? "sums of weights" : "numbers of rows";
    const unit = wanted.unit === "shares" ? "per cent of the actual class" : amounts;
    const made = el(
      "table",
      { class: style },
      el("caption", {}, `Rows actual, columns predicted; ${unit}, shaded by the share of the actual class`),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", { "data-number": "actual, predicted" }),
          order.map(head),
          el("th", { scope: "col" }, "total"),
        ),
      ),
      el(
        "tbody",
        {},
        rows,
        el(
          "tr",
          {},
          el("th", { scope: "row" }, "total"),
          order.map((j) =>
            el("td", { class: "total", "data-number": columns[j] }, count(columns[j], weighted)),
          ),
          el(
            "td",
            { class: "total", "data-number": totals.reduce((sum, one) => sum + one, 0) },
            count(
              totals.reduce((sum, one) => sum + one, 0),
              weighted,
            ),
          ),
        ),
      ),
    );
    const longest = Math.max(...totals.map((one) => count(one, weighted).length));
    made.style.setProperty("--letters", longest);
    holder.replaceChildren(made);
  };
  draw();
  const choice = (label, key, options) =>
    el(
      "label",
      {},
      `${label} `,
      el(
        "select",
        {
          onchange: (event) => {
            wanted[key] = event.target.value;
            draw();
          },
        },
        options.map(([value, text]) => el("option", { value, selected: value === wanted[key] }, text)),
      ),
    );
  return [
    el(
      "div",
      { class: "row controls" },
      choice("Show", "unit", [
        ["counts", "counts"],
        ["shares", "shares of the actual class"],
      ]),
      choice("in the order of", "order", [
        ["class", "the classes"],
        ["errors", "errors, most first"],
      ]),
    ),
    holder,
    csvButton("Table of counts", () => holder.querySelector("table")),
    table.others
      ? el(
          "p",
          { class: "quiet" },
          `The ${size - 1} largest classes; the other ${count(table.others)} are taken together.`,
        )
      : null,
  ];
}

function confusedPairs({ rows, left_out: leftOut, errors }) {
  if (!rows.length) return el("p", {}, "No row was predicted wrong.");
  const weighted = rows.some((row) => !Number.isInteger(row[2]));
  const most = rows[0][2];
  const bar = (part) =>
    svg(
      "svg",
      { viewBox: "0 0 130 10", class: "amount", "aria-hidden": "true" },
      svg("rect", { x: 0, y: 1, width: place(Math.max(1, (130 * part) / most)), height: 8 }),
    );
  return [
    listed(
      "Most confused classes",
      ["actual", "predicted as", weighted ? "weight" : "rows", "", "share of the class"],
      rows.map(([actual, predicted, amount, part]) => [
        narrow(actual, 24),
        narrow(predicted, 24),
        count(amount, weighted),
        bar(amount),
        `${fixed(100 * part, 1)}%`,
      ]),
      [2, 4],
    ),
    leftOut
      ? el(
          "p",
          { class: "quiet" },
          `${count(leftOut)} more pairs of classes are confused; ${count(errors, weighted)} errors in all.`,
        )
      : null,
  ];
}

function rankErrors(distances) {
  const total = distances.reduce((sum, one) => sum + one, 0);
  const last = distances.findLastIndex((one) => one > 0);
  const weighted = distances.some((one) => !Number.isInteger(one));
  let within = 0;
  return listed(
    "How far off the predicted grade is",
    ["grades away", weighted ? "weight" : "rows", "share", "so far or nearer"],
    distances.slice(0, last + 1).map((amount, away) => {
      within += amount;
      const distance = away ? String(away) : "0, right";
      return [distance, count(amount, weighted), share(amount, total), share(within, total)];
    }),
    [1, 2, 3],
  );
}

// The curves of one class against the rest, and those of all classes behind it.
function classCharts(model) {
  const all = model.class_curves;
  const charts = el("div", { class: "charts" });
  const draw = () => {
    const chosen = all.find((one) => one.name === state.klass) ?? all[0];
    const against = `${isolated(chosen.name)} against the rest`;
    const drawn = [];
    const { limits, positives, negatives } = chosen.scores;
    const square = (title, key, xTitle, yTitle, chance, note) => {
      const chart = frame({ title, note, xTitle, yTitle, ...UNIT });
      if (all.length > 1)
        chart.plot.append(...all.map((one) => line(chart, one[key].x, one[key].y, "others")));
      chart.plot.append(
        line(chart, [0, 1], chance, "chance"),
        line(chart, chosen[key].x, chosen[key].y, "accent"),
      );
      chart.describe(against);
      drawn.push(chart);
    };
    const metrics = model.classes?.rows.find((row) => row.name === chosen.name)?.metrics ?? {};
    const valued = (name) =>
      metrics[name]?.[0] ? `${against}. ${name} ${metrics[name][0]} ${interval(metrics[name])}` : against;
    square("ROC curve", "roc", "false positive rate", "recall", [0, 1], valued("ROC AUC"));
    const base = chosen.precision_recall.base;
    const recalled = valued("average precision");
    square("Precision and recall", "precision_recall", "recall", "precision", [base, base], recalled);
    if (chosen.calibration) {
      const rows = positives.map((part, i) => part * chosen.n + negatives[i] * (chosen.of - chosen.n));
      const others = all.length > 1 ? all.map((one) => one.calibration).filter(Boolean) : [];
      const shaded = chosen.calibration.band ? "shaded: if all probabilities were right; " : "";
      const chart = calibrationChart(
        "Calibration",
        { ...chosen.calibration, foot: [limits, rows], others },
        {
          note: `${against}; ${shaded}bars: rows`,
          xTitle: "predicted probability",
          yTitle: "share of the class",
        },
      );
      chart.describe(against);
      drawn.push(chart);
    }
    const heights = frame({
      title: "Scores of this class and of the rest",
      xTitle: "score of the class",
      yTitle: "share of its rows",
      xLimits: limits,
      yLimits: [0, Math.max(...positives, ...negatives) * 1.05],
    });
    heights.plot.append(
      bars(heights, limits, negatives, "negative"),
      bars(heights, limits, positives, "positive"),
    );
    heights.caption.append(
      el("div", { class: "keys" }, swatch("negative", "the rest"), swatch("positive", chosen.name)),
    );
    drawn.push(heights);
    charts.replaceChildren(...drawn.map((chart) => chart.root));
  };
  const id = fresh("class");
  const select = el(
    "select",
    {
      id,
      onchange: () => {
        state.klass = select.value;
        draw();
        remember();
      },
    },
    all.map((one) =>
      el(
        "option",
        { value: one.name, selected: one.name === state.klass },
        `${isolated(one.name)} (${count(one.n)})`,
      ),
    ),
  );
  draw();
  const total = model.classes ? model.classes.rows.length + model.classes.left_out : all.length;
  const missing = total - all.length;
  return [
    el("div", { class: "row controls" }, el("label", { for: id }, "Class "), select),
    el(
      "p",
      { class: "quiet" },
      "Grey: the other classes.",
      missing > 0 ? ` There are curves of the ${count(all.length)} largest classes with rows.` : "",
    ),
    charts,
  ];
}
