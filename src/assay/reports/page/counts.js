// The large numbers, the table of counts and the slider: what moves, and what moves it.

// Metrics of a model, and those of one of its labels or outputs, are found by different marks.
const figureMark = (model) => (data.models.includes(model) ? "data-figure" : "data-part-figure");

function large(model) {
  const figures = model.metrics.flat().filter((one) => model.highlight.includes(one.name));
  figures.sort((a, b) => model.highlight.indexOf(a.name) - model.highlight.indexOf(b.name));
  const cards = el(
    "div",
    { class: "large" },
    figures.map((figure) => {
      const value = el("div", { class: "number" });
      const bar = el("div", { class: "bar" });
      const limits = el("div", { class: "limits" });
      follow(() => {
        const now = figureNow(figure, model);
        const undefinedHere = now.text[0] == null;
        value.replaceChildren(undefinedHere ? "–" : now.text[0]);
        bar.replaceChildren(intervalBar(now.text, barLimits(figure.bounds, [now.text]), 220) ?? "");
        limits.replaceChildren(
          !undefinedHere && interval(now.text)
            ? `${model.confidence} ${interval(now.text)}`
            : (now.words ?? ""),
        );
      });
      return el(
        "div",
        { class: "card", [figureMark(model)]: figure.name },
        el("h3", {}, term(figure.label, figure.meaning)),
        value,
        bar,
        limits,
      );
    }),
  );
  return cards;
}

// The table of two classes, which follows the threshold.
function matrix(model) {
  const labels = model.live ? model.live.labels : model.table.labels;
  const cells = {};
  const written = (number) => count(number, Boolean(model.live?.weighted));
  const cell = (name, good) =>
    (cells[name] = el("td", { class: good ? "cell good" : "cell bad", "data-cell": name }));
  const total = (name) => (cells[name] = el("td", { class: "total" }));
  const table = el(
    "table",
    { class: "matrix" },
    el(
      "caption",
      {},
      `Rows actual, columns predicted; ${model.live?.weighted ? "weights, and their shares" : "shares"} of the row`,
    ),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td", { "data-number": "actual, predicted" }),
        labels.map((label) => el("th", { scope: "col" }, narrow(label))),
        el("th", { scope: "col" }, "total"),
      ),
    ),
    el(
      "tbody",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "row" }, narrow(labels[0])),
        cell("tn", true),
        cell("fp", false),
        total("no"),
      ),
      el(
        "tr",
        {},
        el("th", { scope: "row" }, narrow(labels[1])),
        cell("fn", false),
        cell("tp", true),
        total("yes"),
      ),
      el("tr", {}, el("th", { scope: "row" }, "total"), total("down0"), total("down1"), total("all")),
    ),
  );
  follow(() => {
    const now = counts();
    const n = now.tp + now.fp + now.fn + now.tn;
    const rows = { tp: now.tp + now.fn, fn: now.tp + now.fn, fp: now.fp + now.tn, tn: now.fp + now.tn };
    for (const name of ["tn", "fp", "fn", "tp"]) {
      cells[name].style.setProperty("--share", rows[name] ? now[name] / rows[name] : 0);
      cells[name].dataset.number = now[name];
      cells[name].replaceChildren(
        el("b", {}, written(now[name])),
        el("small", {}, rows[name] ? share(now[name], rows[name]) : ""),
      );
    }
    const totals = { no: rows.tn, yes: rows.tp, down0: now.tn + now.fn, down1: now.fp + now.tp, all: n };
    for (const [name, sum] of Object.entries(totals)) {
      cells[name].dataset.number = sum;
      cells[name].replaceChildren(written(sum));
    }
    table.style.setProperty("--letters", written(n).length);
  });
  return el("div", {}, table, csvButton("Table of counts", table));
}

const swatch = (style, label) =>
  el(
    "span",
    { class: "key" },
    svg(
      "svg",
      { viewBox: "0 0 14 10", class: "swatch", "aria-hidden": "true" },
      svg("rect", { x: 1, y: 1, width: 12, height: 8, class: `bars ${style}` }),
    ),
    named(label),
  );

// On a narrow screen the chart is drawn smaller, so that its letters are not.
const sliderBox = () => ({
  width: innerWidth < 760 ? 350 : 640,
  height: innerWidth < 760 ? 170 : 190,
  left: 58,
  right: 12,
  top: 8,
  bottom: 36,
});

// The distributions of both classes and the slider under them, on the same scale.
function thresholdPanel(model) {
  const {
    live,
    shapes: { scores },
  } = model;
  const axis = scoreAxis(model);
  const { low, high } = axis;
  const box = sliderBox();
  const room = (high - low || 1) * 0.01; // so that a cutoff above the highest score can be reached
  const limits = [low - room, high + room];
  const top = Math.max(...scores.positives, ...scores.negatives) * 1.05;
  const chart = frame({
    title: "Scores by class",
    xTitle: live.score,
    yTitle: "share of its class",
    xLimits: limits,
    yLimits: [0, top],
    box,
    xTicks: box.width / 110,
    yTicks: 3,
    log: axis.log,
  });
  const cut = svg("line", { y1: box.top, y2: chart.bottom, class: "cut" });
  chart.plot.append(
    bars(chart, scores.limits, scores.negatives, "negative"),
    bars(chart, scores.limits, scores.positives, "positive"),
    cut,
  );

  const slider = el("input", {
    type: "range",
    min: limits[0],
    max: limits[1],
    step: "any",
    id: fresh("slider"),
    "aria-label": `threshold on ${live.score}`,
    class: "slider",
  });
  slider.style.setProperty("--left", `${(100 * box.left) / box.width}%`);
  slider.style.setProperty("--wide", `${(100 * (box.width - box.left - box.right)) / box.width}%`);
  const typed = el("input", {
    type: "number",
    step: "any",
    id: fresh("threshold"),
    inputmode: "decimal",
    class: "exact",
  });
  const said = el("p", { class: "quiet", "aria-live": "polite", "aria-atomic": "true", "data-said": true });
  const written = (number) => count(number, live.weighted);
  const last = live.cutoffs.length - 1;
  const keys = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: Math.ceil(last / 20),
    PageDown: -Math.ceil(last / 20),
    Home: -Infinity,
    End: Infinity,
  };
  const nearest = () => state.at ?? cutoffAt(live, axis.from(Number(slider.value)));
  slider.addEventListener("input", () => move(cutoffAt(live, axis.from(Number(slider.value)))));
  slider.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // a step of a key is a step to the next cutoff
    move(nearest() + keys[event.key]);
  });
  // The box shows where the slider is, to the last digit: what cannot be read, or is not reached, gives way to it.
  const settle = () => {
    const cutoff = state.at == null ? null : live.cutoffs[state.at];
    typed.value = Number.isFinite(cutoff) ? String(cutoff) : "";
  };
  // A threshold that was typed in and is no step: the nearest one is shown, and said.
  let instead = null;
  const note = el("p", { class: "quiet instead", role: "status", "data-instead": true });
  typed.addEventListener("change", () => {
    const wanted = typed.valueAsNumber;
    if (Number.isFinite(wanted)) {
      const between = rowsBetween(live, wanted);
      const at = nearestStep(live, wanted);
      instead = between == null ? null : { wanted, at, between };
      move(at);
    }
    settle();
  });
  typed.addEventListener("blur", settle);
  const reset = el(
    "button",
    {
      type: "button",
      onclick: () => {
        state.at = live.start;
        moved();
      },
    },
    "Back to the start",
  );

  // Given predictions that no cutoff makes: the slider waits at one half, or in the middle.
  if (live.start == null) slider.value = live.probabilities && !axis.log ? 0.5 : (low + high) / 2;
  let waiting = null;
  follow(() => {
    const now = counts();
    const given = state.at == null;
    const cutoff = given ? null : live.cutoffs[state.at];
    const onAxis = cutoff == null ? limits[1] : axis.to(cutoff);
    const where = given ? NaN : Math.max(limits[0], Math.min(limits[1], onAxis));
    if (!given && document.activeElement !== slider) slider.value = where;
    else if (!given && cutoffAt(live, axis.from(Number(slider.value))) !== state.at) slider.value = where;
    if (document.activeElement !== typed) settle();
    note.hidden = instead?.at !== state.at;
    if (!note.hidden) {
      const unit = live.weighted ? "of the weight is" : instead.between === 1 ? "row is" : "rows are";
      note.replaceChildren(
        `${instead.wanted} is no step of the slider: all numbers are those of the nearest, ${cutoffText(cutoff)}. ` +
          `At most ${written(instead.between)} ${unit} between the two.`,
      );
    }
    const text = given ? "as predicted, by no threshold on the scores" : cutoffText(cutoff);
    slider.setAttribute("aria-valuetext", text);
    slider.dataset.at = state.at ?? "";
    cut.setAttribute("visibility", given ? "hidden" : "visible");
    if (!given) fill(cut, { x1: place(chart.x(where)), x2: place(chart.x(where)) }, []);
    reset.disabled = state.at === live.start;
    chart.describe(`${isolated(live.labels[1])} and ${isolated(live.labels[0])}; threshold: ${text}`);
    const say = () => {
      const all = written(now.tp + now.fn);
      said.replaceChildren(
        `Threshold ${text}: ${written(now.tp)} of ${all} “`,
        named(live.labels[1]),
        `” found, ${written(now.fp)} false alarms${live.weighted ? ", by weight" : ""}.`,
      );
    };
    // Read out once the slider rests.
    clearTimeout(waiting);
    if (said.firstChild) waiting = setTimeout(say, 150);
    else say();
  });
  const kept = live.hull ? "all that some costs make the cheapest" : "many that some costs make the cheapest";
  const of = live.binned ? "lower edges of bins" : "distinct scores";
  const every = live.distinct === 1 ? "the one score that there is" : `every one of ${count(live.distinct)} ${of}`;
  const multiples = live.step ? `the multiples of ${tickText(live.step)}, ` : "";
  const held = live.weighted ? "sums of weights" : "counts";
  const reach = live.complete
    ? `The slider reaches ${every}; ${held} are exact.`
    : `The slider has ${count(live.cutoffs.length)} steps; there are ${count(live.distinct)} ${of}. The steps are ` +
      `the extremes, those that split either class evenly, ${multiples}and ${kept}. ` +
      `At each of them ${held} are exact; of any other threshold that is typed in the nearest step is shown.`;
  const groups =
    "The rows come in groups: intervals are shown at the threshold the page starts at, and values alone at other " +
    "thresholds.";
  chart.caption.append(
    el("div", { class: "keys" }, swatch("negative", live.labels[0]), swatch("positive", live.labels[1])),
  );
  return el(
    "div",
    { class: "threshold" },
    chart.root,
    slider,
    el("div", { class: "row controls" }, el("label", { for: typed.id }, "Threshold"), typed, reset),
    note,
    said,
    el("p", { class: "quiet" }, reach),
    live.grouped ? el("p", { class: "quiet", "data-groups": true }, groups) : null,
  );
}

const THRESHOLDS = 20; // lines of the table of thresholds
const AT_THRESHOLDS = ["precision", "recall", "specificity", "f1"];

// Counts and a few metrics at thresholds spread over the scores, for those who read tables.
function thresholdTable(model) {
  const { live } = model;
  const { low, high, from } = scoreAxis(model);
  const indices = new Set(live.start == null ? [] : [live.start]);
  for (let k = 0; k <= THRESHOLDS; k++)
    indices.add(cutoffAt(live, Number(from(low + ((high - low) * k) / THRESHOLDS).toPrecision(6))));
  const shown = AT_THRESHOLDS.filter((name) => live.metrics[name]);
  const label = (name) => model.metrics.flat().find((one) => one.name === name).label;
  const rows = [...indices]
    .sort((a, b) => a - b)
    .map((i) => [
      cutoffText(live.cutoffs[i]),
      ...["tp", "fp", "fn", "tn"].map((name) => count(live[name][i], live.weighted)),
      ...shown.map((name) => unpacked(live.metrics[name].value[i]) ?? "–"),
    ]);
  const heads = ["threshold", "TP", "FP", "FN", "TN", ...shown.map(label)];
  return el(
    "details",
    { class: "thresholds" },
    el("summary", {}, "Table of thresholds"),
    listed(
      "Thresholds",
      heads,
      rows,
      heads.map((_, i) => i),
    ),
  );
}
