// Models side by side: ranks and intervals on a metric that is chosen, and the outcome of every two.

const thresholdsNote = () => {
  const live = data.models.filter((model) => model.live);
  if (!live.length) return null;
  const starts = new Set(live.map(startText));
  const each = live.map((model) => `${isolated(model.name)} ${startText(model)}`).join(", ");
  const where = starts.size > 1 ? each : `every model is ${[...starts][0]}`;
  const text = `This section does not follow the model and the threshold chosen below: ${where}.`;
  return el("p", { class: "fixed" }, text);
};

// The name of a model, which shows it.
const modelLink = (at) =>
  el(
    "button",
    {
      type: "button",
      class: "link",
      title: "Show this model below",
      onclick: () => {
        const radio = document.querySelector(`[data-model="${at}"]`);
        radio.checked = true;
        choose(data.models[at]);
        radio.closest("fieldset").scrollIntoView({ block: "start" });
      },
    },
    named(data.models[at].name),
  );

const BAR_COLUMN = 3; // of the leaderboard, which narrow screens leave out

function leaderboard(compared) {
  const names = data.models.map((model) => model.name);
  const wanted = { metric: compared[state.ranked] ?? compared[0] };
  const holder = el("div");
  const numbersOf = el("p", { class: "quiet", "aria-live": "polite" });
  const outcome = (pairs, row, column) => {
    const pair = pairs.find(([a, b]) => (a === row && b === column) || (a === column && b === row));
    if (!pair) return null;
    const [first, second, text, p, better, method] = pair;
    return { first, second, text, p, better: better === 2 ? 2 : second === row ? better : -better, method };
  };
  const marks = { 1: "▲", 0: "·", "-1": "▼", 2: "◆" };
  const styles = { 1: "better", 0: "", "-1": "worse", 2: "" };
  const words = { 1: "better than", 0: "cannot be told from", "-1": "worse than", 2: "differs from" };
  const explain = (row, column, { first, second, text, p, better, method }) => {
    const how = data.comparison.methods[method] ? ` (${data.comparison.methods[method]})` : "";
    const [after, before] = [names[second], names[first]].map(isolated);
    numbersOf.replaceChildren(
      named(names[row]),
      ` ${words[better]} `,
      named(names[column]),
      `: ${after} - ${before} = ${text[0] ?? "–"} ${interval(text)}, ${p}${how}`,
    );
  };
  const draw = () => {
    const { label, direction, values, order, ranks, pairs } = wanted.metric;
    const scale = values
      .flat()
      .map(number)
      .filter(Number.isFinite)
      .every((one) => one >= 0 && one <= 1)
      ? null
      : barLimits(null, values);
    const known = values.flat().map(number).filter(Number.isFinite);
    const low = Math.min(...known);
    const high = Math.max(...known);
    const room = (high - low) * 0.05 || 0.05;
    const limits = scale ?? [Math.max(0, low - room), Math.min(1, high + room)];
    const table = el(
      "table",
      { class: "figures board" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["rank", "model", label, "", direction ? "the tests say" : ""].map((word, i) =>
            el("th", { scope: "col", class: i === BAR_COLUMN ? "drawn" : null }, word),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        order.map((at, i) => {
          const [first, last, tied] = ranks[i];
          const rank = !direction ? "" : first === last ? String(first) : `${first} to ${last}`;
          const best = i ? "tied with the best" : "best value";
          const verdict = !direction ? "" : tied ? best : "worse than the best";
          return el(
            "tr",
            { class: tied && direction ? "tied" : null },
            el("td", { class: "number" }, rank),
            el("th", { scope: "row" }, modelLink(at)),
            el(
              "td",
              { class: "number" },
              `${values[at][0] ?? "–"} `,
              el("span", { class: "unbroken" }, interval(values[at])),
            ),
            el("td", { class: "drawn" }, intervalBar(values[at], limits, 160) ?? ""),
            el("td", {}, verdict),
          );
        }),
      ),
    );
    const grid = el(
      "table",
      { class: "outcomes" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          order.map((at) => el("th", { scope: "col" }, el("span", {}, named(names[at])))),
        ),
      ),
      el(
        "tbody",
        {},
        order.map((row) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, named(names[row])),
            order.map((column) => {
              const found = row === column ? null : outcome(pairs, row, column);
              if (!found) return el("td", { class: "self" });
              const said = `${isolated(names[row])} ${words[found.better]} ${isolated(names[column])}`;
              return el(
                "td",
                { class: styles[found.better] },
                el(
                  "button",
                  {
                    type: "button",
                    title: said,
                    "aria-label": said,
                    onclick: () => explain(row, column, found),
                  },
                  marks[found.better],
                ),
              );
            }),
          ),
        ),
      ),
    );
    numbersOf.replaceChildren(el("span", { class: "screen" }, "Choose a cell for its numbers."));
    holder.replaceChildren(
      ...scrolled("Models in order", table),
      el("h3", {}, "Every two models"),
      el(
        "p",
        { class: "quiet" },
        "▲ the model of the row is better, ▼ worse than that of the column, · the rows cannot tell.",
      ),
      ...scrolled("Every two models", grid).slice(0, 1),
      numbersOf,
    );
  };
  const id = fresh("metric");
  const select = el(
    "select",
    {
      id,
      onchange: () => {
        state.ranked = Number(select.value);
        wanted.metric = compared[state.ranked];
        draw();
      },
    },
    compared.map((one, i) => el("option", { value: i, selected: one === wanted.metric }, one.label)),
  );
  draw();
  return [el("div", { class: "row controls" }, el("label", { for: id }, "Metric "), select), holder];
}

// The differences of two or three models, all of them.
function differenceTable(compared, methods, paired) {
  const names = data.models.map((model) => model.name);
  const rows = compared.flatMap(({ label, pairs }) =>
    pairs.map(([first, second, text, p, better, method]) => ({
      label,
      pair: [named(names[second]), " - ", named(names[first])],
      text,
      p,
      better,
      method: methods[method],
    })),
  );
  const heads = ["metric", "models", "difference", "interval", "p, corrected", "method"];
  return [
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
            heads.map((word) => el("th", { scope: "col" }, word)),
          ),
        ),
        el(
          "tbody",
          {},
          rows.map((row) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, row.label),
              el("td", {}, row.pair),
              el("td", { class: "number" }, row.text[0] ?? "–"),
              el("td", { class: "number" }, interval(row.text)),
              el("td", { class: "number" }, row.p),
              el("td", { class: "method" }, row.method),
            ),
          ),
        ),
      ),
    ),
  ];
}

const FEW_MODELS = 3; // whose metrics stand side by side and whose differences are all listed

function modelTable(metrics) {
  const names = data.models.map((model) => model.name);
  return scrolled(
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
        metrics.map((row) => {
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
  );
}

// All models as rows, their metrics as columns that sort.
function sortedModels(metrics) {
  const rows = data.models.map((model, at) => ({
    name: model.name,
    n: model.n,
    metrics: Object.fromEntries(metrics.map((metric) => [metric.label, metric.values[at]])),
  }));
  return forest("All metrics of all models", { metrics: metrics.map((one) => one.label), rows }, "model", {
    confidence: data.models[0].confidence,
  });
}

// A kind of curve of all models in one chart; more than eight cannot be told apart, so that one stands out.
function modelChart(key, words) {
  const shown = data.models.map((model) => [model.name, model.shapes[key]]).filter(([, curve]) => curve);
  if (shown.length < 2) return null;
  const many = shown.length > 8;
  const limits = [0, Math.max(...shown.map(([, one]) => one.side ?? 1))];
  const outside = shown.some(([, one]) => one.y.some((y) => y > limits[1]));
  const beyond = outside ? "some lines go on beyond the frame" : null;
  const notes = [many ? "thick: the model chosen below" : null, beyond].filter(Boolean);
  const chart = frame({ ...words, note: notes.join("; "), xLimits: limits, yLimits: limits });
  const lines = shown.map(([, one], i) => line(chart, one.x, one.y, many ? "others" : `series s${i}`));
  if (beyond) chart.clip(...lines);
  if (words.chance) chart.plot.append(line(chart, limits, limits, "chance"));
  chart.plot.append(...lines);
  if (many)
    follow(() => {
      const chosen = shown.findIndex(([name]) => name === state.model.name);
      lines.forEach((one, i) => one.setAttribute("class", `line ${i === chosen ? "accent" : "others"}`));
      if (chosen >= 0) chart.plot.append(lines[chosen]);
    });
  else chart.caption.append(legend(shown.map(([name]) => name)));
  chart.describe(shown.map(([name]) => isolated(name)).join(", "));
  return chart.root;
}

function modelCurves() {
  const charts = [
    modelChart("roc", {
      title: "ROC curves of all models",
      xTitle: "false positive rate",
      yTitle: "recall",
      chance: true,
    }),
    modelChart("precision_recall", {
      title: "Precision and recall of all models",
      xTitle: "recall",
      yTitle: "precision",
    }),
    modelChart("calibration", {
      title: "Calibration of all models",
      xTitle: "predicted probability",
      yTitle: "share of positives",
      chance: true,
    }),
  ].filter(Boolean);
  return charts.length ? el("div", { class: "charts" }, charts) : null;
}

function comparison({ metrics, compared, methods, summary, paired, family }) {
  const few = data.models.length <= FEW_MODELS;
  const { confidence } = data.models[0];
  const corrected = family > 1 ? `; p-values corrected over ${count(family)} tests` : "";
  const parts = [
    summary.map((text) => el("p", {}, text)),
    thresholdsNote(),
    el("p", { class: "quiet" }, `${confidence} intervals, each for itself${corrected}.`),
    few && metrics.length ? modelTable(metrics) : null,
    compared.length && !few ? leaderboard(compared) : null,
    compared.length && few ? differenceTable(compared, methods, paired) : null,
    modelCurves(),
  ];
  const sections = [section("Models side by side", parts.filter(Boolean))];
  if (!few && metrics.length) sections.push(sortedModels(metrics));
  return sections;
}
