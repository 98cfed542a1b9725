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
    const { x, y, ratio } = shapes.calibration;
    const facts = [ratio, words("brier"), "shaded: if all probabilities were right", "bars: rows"];
    const foot = shapes.calibration.foot ?? [shapes.scores.limits, rowsByScore(model)];
    const chart = calibrationChart("Calibration", { ...shapes.calibration, foot }, {
      note: facts.filter(Boolean).join("; "),
      xTitle: "predicted probability",
      yTitle: "share of positives",
    });
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
        note: "how often it is right; shaded: if all probabilities were right; bars: rows",
        xTitle: "probability of the predicted class",
        yTitle: "share that is right",
      }),
    );
  return charts.map((chart) => chart.root);
}

// Cumulative gain, lift and detection error tradeoff, of the exact counts at the cutoffs of the slider.
function moreCurves({ live }) {
  const { positives, negatives } = live;
  if (!positives || !negatives) return null;
  const n = positives + negatives;
  const steps = live.cutoffs.map((_, i) => ({ tp: live.tp[i], fp: live.fp[i] })).reverse();
  const xs = steps.map(({ tp, fp }) => (tp + fp) / n);
  const charts = [];
  const add = (chart, ys, at, across = xs) => {
    chart.plot.append(line(chart, across, ys, "accent"));
    const mark = marker(chart);
    follow(() => mark(...at(counts())));
    charts.push(chart.root);
  };
  const picked = "share of rows predicted positive";
  const gain = frame({ title: "Cumulative gain", xTitle: picked, yTitle: "recall", ...UNIT });
  gain.plot.append(
    line(gain, [0, 1], [0, 1], "chance"),
    line(gain, [0, positives / n, 1], [0, 1, 1], "chance"),
  );
  add(
    gain,
    steps.map(({ tp }) => tp / positives),
    ({ tp, fp }) => [(tp + fp) / n, tp / positives],
  );
  const liftOf = ({ tp, fp }) => (tp + fp ? (tp / (tp + fp)) * (n / positives) : NaN);
  const lifts = steps.map(liftOf);
  const highest = Math.max(1, ...lifts.filter(Number.isFinite));
  const lift = frame({
    title: "Lift",
    note: "how many times as many positives as among all rows",
    xTitle: picked,
    yTitle: "lift",
    xLimits: [0, 1],
    yLimits: [0, highest * 1.05],
  });
  lift.plot.append(line(lift, [0, 1], [1, 1], "chance"));
  add(lift, lifts, (now) => [(now.tp + now.fp) / n, liftOf(now)]);
  const ends = [-3.3, 3.3];
  const scale = (share) => {
    const z = probit(share); // of none and of all rows there is no place on the axis
    return Number.isFinite(z) ? Math.max(ends[0], Math.min(ends[1], z)) : NaN;
  };
  const det = frame({
    title: "Detection error tradeoff",
    note: "both axes by normal quantiles",
    xTitle: "false positive rate",
    yTitle: "false negative rate",
    xLimits: ends,
    yLimits: ends,
    ticks: shareTicks,
    ticksUp: shareTicks,
  });
  const both = ({ tp, fp }) => [scale(fp / negatives), scale(1 - tp / positives)];
  add(
    det,
    steps.map((now) => both(now)[1]),
    both,
    steps.map((now) => both(now)[0]),
  );
  return el(
    "details",
    { class: "thresholds" },
    el("summary", {}, "More curves: gain, lift, detection error tradeoff"),
    el("div", { class: "charts" }, charts),
  );
}

// Shares as the ticks of an axis of normal quantiles.
function shareTicks() {
  const shares = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999];
  return { values: shares.map(probit), texts: shares.map((one) => String(one)), common: "" };
}

// The normal quantile of a share, by halving: exact enough for any screen.
function probit(share) {
  if (share <= 0) return -Infinity;
  if (share >= 1) return Infinity;
  let [low, high] = [-9, 9];
  while (high - low > 1e-7) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return low;
}

// The share of a normal distribution below z: Abramowitz and Stegun 26.2.17, to seven decimals.
function normalShare(z) {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const sum =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  return z > 0 ? 1 - above : above;
}

const UNIT = { xLimits: [0, 1], yLimits: [0, 1] };

// How many rows have which probability.
function rowsByScore({ shapes: { scores }, live }) {
  const [positives, negatives] = live ? [live.positives, live.negatives] : [1, 1];
  return scores.positives.map((part, i) => part * positives + scores.negatives[i] * negatives);
}

// Heights of bars that leave room for the curve above them, on an axis that ends at `side`.
function atFoot(heights, side) {
  const most = Math.max(...heights) || 1;
  return heights.map((height) => (0.15 * side * height) / most);
}

// Rates over probabilities on equal axes, which end where the probabilities do: a rare class has tiny ones.
// `foot` is how many rows have which, and `others` are curves to draw behind it.
function calibrationChart(title, shape, { note, ...words }) {
  const { x, y, side, beyond: most, band: shaded, foot, others = [] } = shape;
  const limits = [0, side];
  const outside = most ? `the line goes on to ${most}, beyond the frame` : null;
  const notes = [note, outside].filter(Boolean).join("; ");
  const chart = frame({ title, note: notes, ...words, xLimits: limits, yLimits: limits });
  const shapes = [
    foot ? bars(chart, foot[0], atFoot(foot[1], side), "foot") : null,
    shaded ? band(chart, ...shaded) : null,
    ...others.map((one) => line(chart, one.x, one.y, "others")),
    line(chart, limits, limits, "chance"),
    line(chart, x, y, "accent"),
  ].filter(Boolean);
  chart.clip(...shapes);
  chart.plot.append(...shapes);
  return chart;
}
