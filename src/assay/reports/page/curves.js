// Curves whose markers follow the threshold.
function curveCharts(model) {
  const { shapes, live } = model;
  const charts = [];
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
      ...UNIT,
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
      ...UNIT,
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
    const { x, y } = shapes.calibration;
    const chart = calibrationChart("Calibration", shapes.calibration, {
      note: `${words("brier")}; shaded: if all probabilities were right; bars: rows`,
      xTitle: "predicted probability",
      yTitle: "share of positives",
    });
    if (!shapes.scores.log) chart.plot.prepend(bars(chart, shapes.scores.limits, footHeights(model), "foot"));
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
  if (shapes.top_label)
    charts.push(
      calibrationChart("Calibration of the predicted class", shapes.top_label, {
        note: "how often it is right; shaded: if all probabilities were right",
        xTitle: "probability of the predicted class",
        yTitle: "share that is right",
      }),
    );
  return charts.map((chart) => chart.root);
}

const UNIT = { xLimits: [0, 1], yLimits: [0, 1] };

// How many rows have which probability, as low bars at the foot of the calibration chart.
function footHeights({ shapes: { scores }, live }) {
  const [positives, negatives] = live ? [live.positives, live.negatives] : [1, 1];
  const all = scores.positives.map((part, i) => part * positives + scores.negatives[i] * negatives);
  const most = Math.max(...all) || 1;
  return all.map((height) => (0.15 * height) / most);
}

function calibrationChart(title, { x, y, band: shaded }, words) {
  const chart = frame({ title, ...words, ...UNIT });
  if (shaded) chart.plot.append(band(chart, ...shaded));
  chart.plot.append(line(chart, [0, 1], [0, 1], "chance"), line(chart, x, y, "accent"));
  return chart;
}
