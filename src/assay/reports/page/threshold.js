// The state that charts and tables follow: the model shown, its label or output, and the cutoff. `at` is null while the metrics are
// those of predictions that no cutoff of the scores makes.
// Models, and the labels or outputs of each, which are drawn alike.
const everyPart = data.models.flatMap((model) => [model, ...model.parts]);
for (const part of everyPart) {
  part.metrics = part.metrics.map((group) =>
    group.map((cell) => ({ ...data.definitions[cell.name], ...cell })),
  );
  const { live } = part;
  if (!live) continue;
  // JSON has no infinity, which is a score like any other; null, the last cutoff, is above all scores.
  live.cutoffs = live.cutoffs.map((one) => (typeof one === "string" ? Number(one) : one));
  // Whole numbers are ten-thousandths, each as the step from the one before.
  for (const column of Object.values(live.metrics)) {
    for (const name of ["value", "low", "high"]) {
      let at = 0;
      column[name] = column[name].map((step) => (typeof step === "number" ? (at += step) : step));
    }
  }
}
// Curves of shares come in steps of ten-thousandths, of 1 or of where the axes of a calibration chart end.
for (const { shapes, class_curves: classCurves } of everyPart) {
  const walked = (steps, side) => {
    let at = 0;
    return steps.map((step) => ((at += step) / 10000) * side);
  };
  const { roc, precision_recall: recalled, calibration, top_label: top } = shapes;
  const ofClasses = classCurves.flatMap((one) => [one.roc, one.precision_recall, one.calibration]);
  for (const curve of [roc, recalled, calibration, top, ...ofClasses].filter(Boolean)) {
    const side = curve.side ?? 1;
    curve.x = walked(curve.x, side);
    curve.y = walked(curve.y, side);
    if (curve.band) curve.band = curve.band.map((steps) => walked(steps, side));
  }
}
const state = {
  model: data.models[0],
  part: null, // the name of the label or output that is shown
  at: null,
  costs: null,
  prevalence: undefined,
  klass: null,
  ranked: 0, // the metric by which models are in order
};

// What has the slider: the model, or of several labels or outputs the one that is chosen.
const subject = (model = state.model) =>
  model.parts.find((part) => part.name === state.part) ?? model.parts[0] ?? model;

const ROUNDING = 8 * Number.EPSILON; // by how much rounding alone can separate two costs, of their size
let listeners = [];
const follow = (listener) => listeners.push(listener);

function moved() {
  for (const listener of listeners) listener();
}

// The first cutoff that is at or above a threshold predicts the same rows positive, if all cutoffs are here.
function cutoffAt(live, threshold) {
  let low = 0;
  let high = live.cutoffs.length - 1; // the last is infinity
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((live.cutoffs[middle] ?? Infinity) >= threshold) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The step nearest to a threshold, where the slider does not reach every score; else the one with the same rows.
function nearestStep(live, threshold) {
  const above = cutoffAt(live, threshold);
  const [lower, upper] = [live.cutoffs[above - 1], live.cutoffs[above] ?? Infinity];
  if (live.complete || lower == null || upper === threshold) return above;
  return threshold - lower < upper - threshold ? above - 1 : above;
}

// How many rows, or how much weight, may lie between a threshold and the step that is shown for it; null where
// the step predicts the same rows positive.
function rowsBetween(live, threshold) {
  const above = cutoffAt(live, threshold);
  if (live.complete || !above || live.cutoffs[above] === threshold) return null;
  return live.tp[above - 1] + live.fp[above - 1] - live.tp[above] - live.fp[above];
}

// Where a score is on the axis of scores: of probabilities that are mostly tiny that is one of powers of ten.
function scoreAxis({ shapes: { scores }, live }) {
  const [low, high] = scores.limits;
  const to = (value) => (scores.log ? (value > 0 ? Math.max(Math.log10(value), low) : low) : value);
  const from = (at) => (scores.log ? (at <= low ? 0 : 10 ** at) : at);
  return { low, high, to, from, log: scores.log, title: live.score };
}

// What the page starts with: a threshold, or predictions that were given.
const startText = ({ live }) =>
  live.start == null ? "as predicted" : `at threshold ${cutoffText(live.cutoffs[live.start])}`;

// A line below what does not follow the slider, which says so once the slider is elsewhere.
function startNote(model, what) {
  if (!model.live) return null;
  const note = el("p", { class: "fixed" });
  follow(() => {
    const moved = state.at !== model.live.start;
    note.classList.toggle("moved", moved);
    note.replaceChildren(
      moved
        ? `${what}: ${startText(model)}, where the page starts. It does not follow the slider.`
        : `${what}: ${startText(model)}.`,
    );
  });
  return note;
}

function move(index) {
  state.at = Math.max(0, Math.min(index, subject().live.cutoffs.length - 1));
  moved();
}

// Counts at the state's cutoff, or those of the given predictions.
function counts() {
  const { live, table } = subject();
  if (state.at == null) {
    const [[tn, fp], [fn, tp]] = table.counts;
    return { tp, fp, fn, tn };
  }
  return { tp: live.tp[state.at], fp: live.fp[state.at], fn: live.fn[state.at], tn: live.tn[state.at] };
}

// Numbers were packed as ten-thousandths where that is how they are printed.
const unpacked = (packed) => (typeof packed === "number" ? (packed / 10000).toFixed(4) : packed);

// A metric as it is at the state's cutoff: printed texts, and its method or why there is no value.
function figureNow(figure, { live }) {
  const column = live && state.at != null && state.at !== live.start ? live.metrics[figure.name] : null;
  if (!column) return { text: figure.text, words: figure.words, remarks: figure.remarks };
  const last = column.words.findLast(([start]) => start <= state.at);
  const words = last[1] || (live.grouped ? "rows in groups: the interval is shown at the start only" : "");
  return {
    text: [column.value, column.low, column.high].map((one) => unpacked(one[state.at])),
    words,
    remarks: [],
  };
}

// Costs per row of so many errors; at another prevalence the rates of both classes stay as they are.
function costOf(live, fp, fn) {
  const [costFp, costFn] = state.costs;
  if (state.prevalence == null) return (costFp * fp + costFn * fn) / (live.positives + live.negatives);
  return (
    state.prevalence * ((costFn * fn) / live.positives) +
    (1 - state.prevalence) * ((costFp * fp) / live.negatives)
  );
}

const costAt = (live, index) => costOf(live, live.fp[index], live.fn[index]);

// The cutoff that costs least, the highest of those that differ by rounding alone: as Python chooses it. A score
// of infinity is above every threshold that Python can choose.
function cheapest(live) {
  const last = live.cutoffs.length - 1 - (live.cutoffs.at(-2) === Infinity ? 1 : 0);
  const all = live.cutoffs.slice(0, last + 1).map((_, i) => costAt(live, i));
  const least = all.reduce((low, cost) => Math.min(low, cost), Infinity);
  return all.findLastIndex((cost) => cost <= least + ROUNDING * Math.abs(least));
}

// The least share of which x or more of n rows are as likely as `tail`: the exact one-sided limit.
function exactLower(x, n, tail) {
  let [low, high] = [0, x / n];
  for (let step = 0; step < 200 && low < high; step++) {
    const p = (low + high) / 2;
    if (p === low || p === high) break;
    let term = Math.exp(n * Math.log1p(-p));
    let below = 0;
    for (let k = 0; k < x; k++) {
      below += term;
      term *= ((n - k) / (k + 1)) * (p / (1 - p));
    }
    if (1 - below < tail) low = p;
    else high = p;
  }
  return low;
}

// Wilson's interval of x of n rows, moved out to the exact one-sided limits of few rows, as Python has it.
function modifiedWilson(x, n, { z, tail }) {
  const [centre, scale] = [x + (z * z) / 2, n + z * z];
  const reach = z * Math.sqrt((x * (n - x)) / n + (z * z) / 4);
  const few = 36;
  let low = x > 0 ? Math.max(0, (centre - reach) / scale) : 0;
  let high = x < n ? Math.min(1, (centre + reach) / scale) : 1;
  if (x > 0 && x <= few) low = Math.min(low, exactLower(x, n, tail));
  if (n - x > 0 && n - x <= few) high = Math.max(high, 1 - exactLower(n - x, n, tail));
  return [low, high];
}

// A predictive value at a stated prevalence with its interval, as Python has it: each of two rates is moved to
// its limits, and the changes are added in squares (MOVER). `right` and `wrong` are how many of how many rows of
// each class are called so. Rows that have weights or come in groups are not as many as they seem: of those
// there is the value alone.
function predictiveValue(part, right, wrong, live) {
  if (!right[1] || !wrong[1]) return ["undefined: a class has no rows", null, null];
  const valueOf = (r, w) => (r * part) / (r * part + w * (1 - part));
  const [r, w] = [right[0] / right[1], wrong[0] / wrong[1]];
  const value = valueOf(r, w);
  if (Number.isNaN(value)) return ["undefined: no row would be called so", null, null];
  if (live.weighted || live.grouped) return [shown(value), null, null];
  const changes = [
    modifiedWilson(...right, live).map((end) => valueOf(end, w) - value),
    modifiedWilson(...wrong, live).map((end) => valueOf(r, end) - value),
  ].map((both) => both.map((change) => (Number.isNaN(change) ? 0 : change)));
  const falls = changes.map((both) => Math.min(...both, 0));
  const rises = changes.map((both) => Math.max(...both, 0));
  const limits = [Math.max(0, value - Math.hypot(...falls)), Math.min(1, value + Math.hypot(...rises))];
  return [value, ...limits].map(shown);
}
