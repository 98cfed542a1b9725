// Curves whose markers follow the threshold.
function curveCharts(model) {
  const { shapes, live } = model;
  const charts = [];
  const unit = { xLimits: [0, 1], yLimits: [0, 1] };
  const known = (name) => model.metrics.flat().find((one) => one.name === name);
  const words = (name) => {
    const one = known(name);
    return one && one.text[0] ? `${one.label} ${one.text[0]} ${interval(one.text)}` : "";
  };
  const followed = (chart, at) => {
    if (!live) return;
    const mark = marker(chart);
    follow(() => {
      const [x, y] = at(counts());
      mark(x, y);
      chart.describe(Number.isFinite(x + y) ? `At the threshold: ${shown(x)}, ${shown(y)}` : "");
    });
  };
  if (shapes.roc) {
    const chart = frame({
      title: "ROC curve",
      note: words("auc"),
      xTitle: "false positive rate",
      yTitle: "recall",
      ...unit,
    });
    chart.plot.append(
      line(chart, [0, 1], [0, 1], "chance"),
      line(chart, shapes.roc.x, shapes.roc.y, "accent"),
    );
    followed(chart, (c) => [c.fp / (c.fp + c.tn), c.tp / (c.tp + c.fn)]);
    charts.push(chart);
  }
  if (shapes.precision_recall) {
    const chart = frame({
      title: "Precision and recall",
      note: words("average_precision"),
      xTitle: "recall",
      yTitle: "precision",
      ...unit,
    });
    if (live) {
      const base = live.positives / (live.positives + live.negatives);
      chart.plot.append(line(chart, [0, 1], [base, base], "chance"));
    }
    chart.plot.append(line(chart, shapes.precision_recall.x, shapes.precision_recall.y, "accent"));
    followed(chart, (c) => [c.tp / (c.tp + c.fn), c.tp / (c.tp + c.fp)]);
    charts.push(chart);
  }
  if (shapes.calibration) {
    const {
      x,
      y,
      band: [p, lows, highs],
    } = shapes.calibration;
    const chart = frame({
      title: "Calibration",
      note: `${words("brier")}; shaded: where it would be by chance`,
      xTitle: "predicted probability",
      yTitle: "share of positives",
      ...unit,
    });
    chart.plot.append(
      band(chart, p, lows, highs),
      line(chart, [0, 1], [0, 1], "chance"),
      line(chart, x, y, "accent"),
    );
    followed(chart, () => {
      const cutoff = state.at == null ? null : live.cutoffs[state.at];
      if (cutoff == null || cutoff < x[0] || cutoff > x.at(-1)) return [NaN, NaN];
      const after = x.findIndex((one) => one >= cutoff);
      const before = Math.max(after - 1, 0);
      const part = x[after] > x[before] ? (cutoff - x[before]) / (x[after] - x[before]) : 0;
      return [cutoff, y[before] + part * (y[after] - y[before])];
    });
    charts.push(chart);
  }
  if (shapes.rocs?.length) {
    const chart = frame({
      title: "ROC curves, each class against the rest",
      xTitle: "false positive rate",
      yTitle: "recall",
      ...unit,
    });
    chart.plot.append(
      line(chart, [0, 1], [0, 1], "chance"),
      ...shapes.rocs.map((one, i) => line(chart, one.x, one.y, `series s${i}`)),
    );
    chart.caption.append(legend(shapes.rocs.map((one) => one.name)));
    chart.describe(shapes.rocs.map((one) => one.name).join(", "));
    charts.push(chart);
  }
  if (shapes.residuals) {
    const { residuals, predicted, distribution } = shapes;
    const cells = frame({
      title: "Residuals",
      note: "cells by number of rows; line: mean by tenths of the rows",
      xTitle: "predicted",
      yTitle: "actual - predicted",
      xLimits: residuals.x,
      yLimits: residuals.y,
    });
    cells.plot.append(
      ...cloud(cells, residuals),
      line(cells, residuals.x, [0, 0], "chance"),
      line(cells, ...residuals.trend, "warning"),
    );
    const both = frame({
      title: "Predicted and actual",
      note: "cells by number of rows",
      xTitle: "actual",
      yTitle: "predicted",
      xLimits: predicted.x,
      yLimits: predicted.y,
    });
    const ends = [Math.max(predicted.x[0], predicted.y[0]), Math.min(predicted.x[1], predicted.y[1])];
    both.plot.append(...cloud(both, predicted), line(both, ends, ends, "chance"));
    const heights = frame({
      title: "Distribution of the residuals",
      xTitle: "actual - predicted",
      yTitle: "rows",
      xLimits: distribution.limits,
      yLimits: [0, Math.max(...distribution.counts) * 1.05],
    });
    heights.plot.append(bars(heights, distribution.limits, distribution.counts, "negative"));
    charts.push(cells, both, heights);
  }
  return charts.map((chart) => chart.root);
}

const legend = (names) =>
  el(
    "div",
    { class: "keys" },
    names.map((name, i) =>
      el(
        "span",
        { class: "key" },
        svg(
          "svg",
          { viewBox: "0 0 24 10", class: "swatch", "aria-hidden": "true" },
          svg("path", { d: "M0 5H24", class: `line series s${i}` }),
        ),
        named(name),
      ),
    ),
  );
