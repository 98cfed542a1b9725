// The state that charts and tables follow: the model shown, and its cutoff. `at` is null while the figures are
// those of predictions that no cutoff of the scores makes.
const data = JSON.parse(document.getElementById("data").textContent);
for (const { live } of data.models) {
  // JSON has no infinity, which is a score like any other; null, the last cutoff, is above all scores.
  if (live) live.cutoffs = live.cutoffs.map((one) => (typeof one === "string" ? Number(one) : one));
}
// Curves of shares come in steps of ten-thousandths.
for (const { shapes } of data.models) {
  const walked = (steps) => {
    let at = 0;
    return steps.map((step) => (at += step) / 10000);
  };
  const { roc, precision_recall: recalled, calibration, rocs } = shapes;
  for (const curve of [roc, recalled, calibration, ...(rocs ?? [])].filter(Boolean)) {
    curve.x = walked(curve.x);
    curve.y = walked(curve.y);
  }
  if (calibration) calibration.band = calibration.band.map(walked);
}
const state = { model: data.models[0], at: null, costs: null, prevalence: undefined };
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

function move(index) {
  state.at = Math.max(0, Math.min(index, state.model.live.cutoffs.length - 1));
  moved();
}

// Counts at the state's cutoff, or those of the given predictions.
function counts() {
  const { live, table } = state.model;
  if (state.at == null) {
    const [[tn, fp], [fn, tp]] = table.counts;
    return { tp, fp, fn, tn };
  }
  return { tp: live.tp[state.at], fp: live.fp[state.at], fn: live.fn[state.at], tn: live.tn[state.at] };
}

// Numbers were packed as ten-thousandths where that is how they are printed.
const unpacked = (packed) => (typeof packed === "number" ? (packed / 10000).toFixed(4) : packed);

// A figure as it is at the state's cutoff: printed texts, and its method or why there is no value.
function figureNow(figure) {
  const { live } = state.model;
  const column = live && state.at != null && state.at !== live.start ? live.figures[figure.name] : null;
  if (!column) return { text: figure.text, words: figure.words, remarks: figure.remarks };
  const last = column.words.findLast(([start]) => start <= state.at);
  const words = last[1] || (live.grouped ? "rows in groups: ev.at(threshold) has the interval" : "");
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
    costFp * (fp / live.negatives) * (1 - state.prevalence) +
    costFn * (fn / live.positives) * state.prevalence
  );
}

const costAt = (live, index) => costOf(live, live.fp[index], live.fn[index]);

function cheapest(live) {
  let best = 0;
  for (let i = 1; i < live.cutoffs.length; i++) if (costAt(live, i) < costAt(live, best)) best = i;
  return best;
}

const expit = (x) => 1 / (1 + Math.exp(-x));

// A predictive value at a stated prevalence with its logit interval (Mercaldo, Lau and Zhou 2007), as Python has
// it: `right` and `wrong` are how many of how many rows of each class are called so. Rows that have weights or
// come in groups are not as many as they seem: of those there is the value alone.
function predictiveValue(part, right, wrong, { z, weighted, grouped }) {
  if (!right[1] || !wrong[1]) return ["undefined: a class is absent", null, null];
  const called = (right[0] / right[1]) * part + (wrong[0] / wrong[1]) * (1 - part);
  if (!called) return ["undefined: no row would be called so", null, null];
  const value = ((right[0] / right[1]) * part) / called;
  if (weighted || grouped) return [shown(value), null, null];
  let [x, n, y, m] = [...right, ...wrong];
  if (!x || !y || (x === n && y === m))
    [x, n, y, m] = [x + (z * z) / 2, n + z * z, y + (z * z) / 2, m + z * z];
  const centre = Math.log(x / n / (y / m)) + Math.log(part / (1 - part));
  const deviation = Math.sqrt((1 - x / n) / x + (1 - y / m) / y);
  const limits = [-1, 1].map((sign) => expit(centre + sign * z * deviation));
  return [value, Math.min(limits[0], value), Math.max(limits[1], value)].map(shown);
}
