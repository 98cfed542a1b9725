// What errors cost, at costs and a prevalence that can be typed in.
function costs(model, title) {
  const { live } = model;
  const n = live.positives + live.negatives;
  const field = (label, value, wanted, attributes, changed) => {
    const id = fresh("field");
    const wrong = el("small", { class: "wrong", id: `${id}-wrong`, role: "alert" });
    const input = el("input", {
      type: "number",
      id,
      min: 0,
      step: "any",
      inputmode: "decimal",
      value,
      "aria-describedby": wrong.id,
      ...attributes,
    });
    input.addEventListener("input", () => {
      const given = input.value === "" ? null : input.valueAsNumber;
      const bad =
        input.validity.badInput || (given != null && !(given >= 0 && given < 1e15)) || !changed(given);
      input.setAttribute("aria-invalid", bad);
      wrong.textContent = bad ? wanted : "";
      if (!bad) moved();
    });
    return el("div", { class: "field" }, el("label", { for: id }, label), input, wrong);
  };
  // What was typed in stays when another model is shown.
  state.costs ??= [live.cost_fp ?? 1, live.cost_fn ?? 1];
  if (state.prevalence === undefined) state.prevalence = live.prevalence;
  const cost = (which) => (given) => {
    if (given == null || given + state.costs[1 - which] === 0) return false;
    state.costs[which] = given;
    return true;
  };
  const prevalence = (given) => {
    if (given != null && !(given > 0 && given < 100)) return false;
    state.prevalence = given == null ? null : given / 100;
    return true;
  };
  const own = Number(((100 * live.positives) / n).toPrecision(4));
  const amounts = "A number from 0 on, and not 0 for both";
  const outputs = {};
  const output = (name, label) => [el("dt", {}, label), (outputs[name] = el("dd", { "data-output": name }))];
  const go = el(
    "button",
    { type: "button", onclick: () => move(cheapest(live)) },
    "Go to the cheapest threshold",
  );
  const drawnAt = live.cutoffs.flatMap((cutoff, i) => (Number.isFinite(cutoff) ? [i] : []));
  const axis = scoreAxis(model);
  const xs = drawnAt.map((i) => axis.to(live.cutoffs[i]));
  const limits = [axis.low, axis.high];
  const chart = frame({
    title: "Expected cost per 1,000 rows",
    note: "dotted: all rows alike, whichever is cheaper",
    xTitle: `threshold on ${live.score}`,
    yTitle: "cost",
    xLimits: limits,
    yLimits: [0, 1],
    log: axis.log,
  });
  const curve = svg("path", { class: "line accent" });
  const level = svg("path", { class: "line chance" });
  chart.plot.append(level, curve);
  chart.clip(curve);
  const mark = marker(chart);
  let drawn = null;
  follow(() => {
    const key = JSON.stringify([state.costs, state.prevalence]);
    if (drawn !== key) {
      drawn = key;
      const ys = drawnAt.map((i) => 1000 * costAt(live, i));
      // Whoever predicts all rows alike pays this much: what is far above it need not be seen.
      const alike = 1000 * Math.min(costAt(live, 0), costAt(live, live.cutoffs.length - 1));
      const most = ys.reduce((top, y) => Math.max(top, y), 0);
      chart.limits(limits, [0, Math.min(most, 3 * alike || most) * 1.05 || 1]);
      level.setAttribute("d", path(chart, limits, [alike, alike]));
      // A cutoff holds from the score below it up to itself.
      const stepX = xs.flatMap((x, i) => (i ? [xs[i - 1], x] : [x]));
      curve.setAttribute(
        "d",
        path(
          chart,
          stepX,
          ys.flatMap((y, i) => (i ? [y, y] : [y])),
        ),
      );
    }
    const best = cheapest(live);
    const now = counts();
    const here = 1000 * costOf(live, now.fp, now.fn);
    outputs.cost.replaceChildren(amount(here));
    const where = live.cutoffs[best] == null ? "with none positive" : `at ${cutoffText(live.cutoffs[best])}`;
    outputs.best.replaceChildren(`${amount(1000 * costAt(live, best))} ${where}`);
    mark(state.at == null || live.cutoffs[state.at] == null ? NaN : axis.to(live.cutoffs[state.at]), here);
    chart.describe(`Now ${amount(here)}, at best ${amount(1000 * costAt(live, best))}`);
    const part = state.prevalence ?? live.positives / n;
    const written = (text) => (interval(text) ? `${text[0]} ${interval(text)}` : text[0]);
    const sides = [now.tp + now.fn, now.tn + now.fp];
    const stated = state.prevalence != null;
    const column = (name, value) => {
      const one = model.metrics.flat().find((f) => f.name === name);
      return one ? figureNow(one, model).text : value;
    };
    const positive = stated
      ? predictiveValue(part, [now.tp, sides[0]], [now.fp, sides[1]], live)
      : column("precision", [shown(now.tp / (now.tp + now.fp)), null, null]);
    const negative = stated
      ? predictiveValue(1 - part, [now.tn, sides[1]], [now.fn, sides[0]], live)
      : column("negative_predictive_value", [shown(now.tn / (now.tn + now.fn)), null, null]);
    outputs.ppv.replaceChildren(written(positive) || "undefined");
    outputs.npv.replaceChildren(written(negative) || "undefined");
    go.disabled = state.at === best;
  });
  const charts = [chart.root];
  if (live.probabilities) charts.push(netBenefit(model, n));
  return section(
    title,
    el(
      "div",
      { class: "row fields" },
      field("Cost of a false positive", state.costs[0], amounts, { "data-field": "fp" }, cost(0)),
      field("Cost of a false negative", state.costs[1], amounts, { "data-field": "fn" }, cost(1)),
      field(
        ["Prevalence of ", named(live.labels[1]), " in use, %"],
        state.prevalence == null ? null : Number((100 * state.prevalence).toPrecision(12)),
        "Between 0 and 100, or nothing for that of these rows",
        { placeholder: own, max: 100, "data-field": "prevalence" },
        prevalence,
      ),
    ),
    el(
      "dl",
      { class: "outputs" },
      output("cost", "Cost per 1,000 rows here"),
      output("best", "At the cheapest threshold"),
      output("ppv", "PPV at this prevalence"),
      output("npv", "NPV at this prevalence"),
    ),
    el("div", { class: "row" }, go),
    el(
      "p",
      { class: "quiet spaced" },
      "A threshold that is chosen and evaluated on the same rows looks better than it will be on others.",
    ),
    el("div", { class: "charts" }, charts),
  );
}

// Net benefit over the threshold (Vickers and Elkin 2006), from the counts of the cutoffs.
function netBenefit({ live, shapes }, n) {
  const at = (i, t) => (live.tp[i] - (live.fp[i] * t) / (1 - t)) / n;
  // From a threshold above all probabilities on nobody is treated.
  const side = shapes.calibration?.side ?? 1;
  const xs = [];
  for (let k = 1; k < 200; k++) xs.push((k / 200) * side);
  const ys = xs.map((t) => at(cutoffAt(live, t), t));
  const part = live.positives / n;
  const all = xs.map((t) => part - ((1 - part) * t) / (1 - t));
  const floor = Math.min(-0.05 * part, ...ys.map((y) => Math.max(y, -part / 4)));
  const top = Math.max(part, ...ys) * 1.1 || 1;
  const chart = frame({
    title: "Net benefit",
    note: "dotted: all rows treated, and none",
    xTitle: "threshold probability",
    yTitle: "net benefit per row",
    xLimits: [0, side],
    yLimits: [floor, top],
  });
  const shownAll = all.map((y) => (y >= floor ? y : NaN));
  chart.plot.append(
    line(chart, xs, shownAll, "chance"),
    line(chart, [0, side], [0, 0], "chance"),
    line(
      chart,
      xs,
      ys.map((y) => (y >= floor ? y : NaN)),
      "accent",
    ),
  );
  const mark = marker(chart);
  follow(() => {
    const cutoff = state.at == null ? null : live.cutoffs[state.at];
    const y = cutoff == null || cutoff >= 1 ? NaN : at(state.at, cutoff);
    mark(cutoff ?? NaN, y);
    chart.describe(
      Number.isFinite(y) ? `At the threshold: ${shown(y)}; dotted: all rows treated, and none` : "",
    );
  });
  return chart.root;
}
