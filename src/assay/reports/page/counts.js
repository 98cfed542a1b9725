// The large figures, the table of counts and the slider: what moves, and what moves it.

function large(model) {
  const figures = model.figures.flat().filter((one) => model.matter.includes(one.name));
  figures.sort((a, b) => model.matter.indexOf(a.name) - model.matter.indexOf(b.name));
  return el(
    "div",
    { class: "large" },
    figures.map((figure) => {
      const value = el("div", { class: "number" });
      const bar = el("div", { class: "bar" });
      const limits = el("div", { class: "limits" });
      follow(() => {
        const now = figureNow(figure);
        const undefinedHere = now.text[0] == null;
        value.replaceChildren(undefinedHere ? "–" : now.text[0]);
        bar.replaceChildren(intervalBar(now.text, barLimits(figure.bounds, [now.text]), 220) ?? "");
        limits.replaceChildren(
          undefinedHere ? now.words : interval(now.text) ? `${model.confidence} ${interval(now.text)}` : "",
        );
      });
      return el(
        "div",
        { class: "card", "data-figure": figure.name },
        el("h3", {}, term(figure.label, figure.meaning)),
        value,
        bar,
        limits,
      );
    }),
  );
}

// The table of two classes, which follows the threshold.
function matrix(model) {
  const labels = model.live ? model.live.labels : model.table.labels;
  const cells = {};
  const cell = (name, good) =>
    (cells[name] = el("td", { class: good ? "cell good" : "cell bad", "data-cell": name }));
  const total = (name) => (cells[name] = el("td", { class: "total" }));
  follow(() => {
    const now = counts();
    const n = now.tp + now.fp + now.fn + now.tn;
    const rows = { tp: now.tp + now.fn, fn: now.tp + now.fn, fp: now.fp + now.tn, tn: now.fp + now.tn };
    for (const name of ["tn", "fp", "fn", "tp"]) {
      cells[name].style.setProperty("--share", rows[name] ? now[name] / rows[name] : 0);
      cells[name].replaceChildren(
        el("b", {}, count(now[name])),
        el("small", {}, rows[name] ? share(now[name], rows[name]) : ""),
      );
    }
    cells.no.replaceChildren(count(rows.tn));
    cells.yes.replaceChildren(count(rows.tp));
    cells.down0.replaceChildren(count(now.tn + now.fn));
    cells.down1.replaceChildren(count(now.fp + now.tp));
    cells.all.replaceChildren(count(n));
  });
  return el(
    "table",
    { class: "matrix" },
    el("caption", {}, "Rows actual, columns predicted; shares of the row"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("td"),
        labels.map((label) => el("th", { scope: "col" }, label)),
        el("th", { scope: "col" }, "total"),
      ),
    ),
    el(
      "tbody",
      {},
      el("tr", {}, el("th", { scope: "row" }, labels[0]), cell("tn", true), cell("fp", false), total("no")),
      el("tr", {}, el("th", { scope: "row" }, labels[1]), cell("fn", false), cell("tp", true), total("yes")),
      el("tr", {}, el("th", { scope: "row" }, "total"), total("down0"), total("down1"), total("all")),
    ),
  );
}

// On a narrow screen the chart is drawn smaller, so that its letters are not.
const sliderBox = () => ({
  width: innerWidth < 760 ? 350 : 640,
  height: innerWidth < 760 ? 170 : 190,
  left: 48,
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
  const [low, high] = scores.limits;
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
  const typed = el("input", { type: "number", step: "any", id: fresh("threshold"), inputmode: "decimal" });
  const said = el("p", { class: "quiet", "aria-live": "polite", "aria-atomic": "true", "data-said": true });
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
  const nearest = () => state.at ?? cutoffAt(live, Number(slider.value));
  slider.addEventListener("input", () => move(cutoffAt(live, Number(slider.value))));
  slider.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // a step of a key is a step to the next cutoff
    move(nearest() + keys[event.key]);
  });
  typed.addEventListener(
    "change",
    () =>
      typed.value !== "" && Number.isFinite(typed.valueAsNumber) && move(cutoffAt(live, typed.valueAsNumber)),
  );
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
  if (live.start == null) slider.value = live.probabilities ? 0.5 : (low + high) / 2;
  let waiting = null;
  follow(() => {
    const now = counts();
    const given = state.at == null;
    const cutoff = given ? null : live.cutoffs[state.at];
    const where = given ? NaN : Math.max(limits[0], Math.min(limits[1], cutoff ?? limits[1]));
    if (!given && document.activeElement !== slider) slider.value = where;
    else if (!given && cutoffAt(live, Number(slider.value)) !== state.at) slider.value = where;
    if (document.activeElement !== typed)
      typed.value = Number.isFinite(cutoff) && !given ? cutoffText(cutoff) : "";
    const text = given ? "as predicted, by no threshold on the scores" : cutoffText(cutoff);
    slider.setAttribute("aria-valuetext", text);
    slider.dataset.at = state.at ?? "";
    cut.setAttribute("visibility", given ? "hidden" : "visible");
    if (!given) fill(cut, { x1: place(chart.x(where)), x2: place(chart.x(where)) }, []);
    reset.disabled = state.at === live.start;
    chart.describe(`${live.labels[1]} and ${live.labels[0]}; threshold: ${text}`);
    clearTimeout(waiting); // read out once the slider rests
    waiting = setTimeout(() => {
      said.textContent = `Threshold ${text}: ${count(now.tp)} of ${count(now.tp + now.fn)} “${live.labels[1]}” found, ${count(now.fp)} false alarms.`;
    }, 150);
  });
  const kept = live.hull ? "all that some costs make the cheapest" : "many that some costs make the cheapest";
  const reach = live.complete
    ? `The slider reaches every one of ${count(live.distinct)} distinct scores; counts are exact.`
    : `The slider reaches ${count(live.cutoffs.length)} of ${count(live.distinct)} distinct scores: the extremes, ` +
      `those that part either class evenly, and ${kept}. Counts there are exact.`;
  const key = (style, label) =>
    el(
      "span",
      { class: "key" },
      svg(
        "svg",
        { viewBox: "0 0 14 10", class: "swatch" },
        svg("rect", { width: 14, height: 10, class: `bars ${style}` }),
      ),
      label,
    );
  return el(
    "div",
    { class: "threshold" },
    el("div", { class: "keys" }, key("negative", live.labels[0]), key("positive", live.labels[1])),
    chart.root,
    slider,
    el("div", { class: "row controls" }, el("label", { for: typed.id }, "Threshold"), typed, reset),
    said,
    el("p", { class: "quiet" }, reach),
  );
}
