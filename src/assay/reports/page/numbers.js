// The pictures of regressions and of ranked lists.

const beyond = (outside) => (outside ? `; ${count(outside)} rows lie beyond the frame` : "");

function regressionCharts({ residuals, predicted, distribution, weighted }) {
  const unit = weighted ? "by weight" : "rows";
  const shaded = weighted ? "cells by the weight of their rows" : "cells by number of rows";
  const cells = frame({
    title: "Residuals",
    note: `${shaded}; line: mean by tenths of the rows${beyond(residuals.outside)}`,
    xTitle: "predicted",
    yTitle: "actual - predicted",
    xLimits: residuals.x,
    yLimits: residuals.y,
  });
  const trend = line(cells, ...residuals.trend, "warning");
  cells.plot.append(...cloud(cells, residuals, unit), line(cells, residuals.x, [0, 0], "chance"), trend);
  cells.clip(trend);
  const both = frame({
    title: "Predicted and actual",
    note: `${shaded}; on the dotted line they are equal${beyond(predicted.outside)}`,
    xTitle: "actual",
    yTitle: "predicted",
    xLimits: predicted.x,
    yLimits: predicted.y,
  });
  both.plot.append(...cloud(both, predicted, unit), line(both, predicted.x, predicted.y, "chance"));
  const heights = frame({
    title: "Distribution of the residuals",
    note: distribution.outside ? beyond(distribution.outside).slice(2) : null,
    xTitle: "actual - predicted",
    yTitle: weighted ? "weight" : "rows",
    xLimits: distribution.limits,
    yLimits: [0, Math.max(...distribution.counts) * 1.05],
  });
  heights.plot.append(bars(heights, distribution.limits, distribution.counts, "negative"));
  return [cells, both, heights].map((chart) => chart.root);
}

const quantileTable = (quantiles) =>
  listed(
    "Quantiles of the residuals",
    ["of the rows", "actual - predicted is at most"],
    quantiles.map(([part, value]) => [part, value]),
    [0, 1],
  );

// The lists with the lowest and the highest values that have something to find, without their names; and how many
// have nothing, which are in neither table.
function extremeLists({ lists, extremes }) {
  const { worst, best, nothing_to_find: without, counted } = extremes;
  const table = (title, rows) =>
    rows.length
      ? el(
          "div",
          {},
          listed(
            title,
            [lists.label, "items", "relevant"],
            rows.map(([value, items, relevant]) => [value, count(items), count(relevant)]),
            [0, 1, 2],
          ),
        )
      : null;
  const how = { zero: "counted as 0", one: "counted as 1", skip: "left out of the metrics" }[counted];
  const lone = without > 1 ? "lists without a relevant item are" : "list without a relevant item is";
  return [
    el("div", { class: "abreast" }, table("Worst lists", worst), table("Best lists", best)),
    without ? el("p", { class: "quiet" }, `${count(without)} ${lone} ${how}, and in neither table.`) : null,
  ];
}

function rankingCharts({ at_k: curves, lists, k }) {
  const longest = Math.max(...curves.flatMap((one) => one.points.map(([depth]) => depth)));
  const charts = curves.map(({ label, points }) => {
    const depths = points.map(([depth]) => depth);
    const [values, lows, highs] = [0, 1, 2].map((i) => points.map(([, text]) => number(text[i])));
    const chart = frame({
      title: label.endsWith(" k") ? label : `${label} at k`,
      note: "shaded: the interval",
      xTitle: "k: the first k of each list",
      yTitle: label,
      xLimits: [longest > 1 ? 1 : 0, longest],
      yLimits: [0, 1],
      whole: true,
    });
    const known = points.map((_, i) => i).filter((i) => Number.isFinite(lows[i] + highs[i]));
    if (known.length > 1)
      chart.plot.append(
        band(
          chart,
          known.map((i) => depths[i]),
          known.map((i) => lows[i]),
          known.map((i) => highs[i]),
        ),
      );
    chart.plot.append(line(chart, depths, values, "accent"));
    chart.plot.append(
      ...points.map(([depth, text], i) =>
        svg(
          "circle",
          { cx: place(chart.x(depth)), cy: place(chart.y(values[i])), r: 3, class: "dot" },
          svg("title", {}, `k = ${depth}: ${text[0]} ${interval(text)}`),
        ),
      ),
    );
    if (k != null) chart.plot.append(line(chart, [k, k], [0, 1], "chance"));
    return chart;
  });
  const top = Math.max(...lists.counts, 1);
  const heights = frame({
    title: `${lists.label} of each list`,
    note: `${count(lists.n)} lists${k == null ? "" : `, the first ${count(k)} of each`}`,
    xTitle: lists.label,
    yTitle: "lists",
    xLimits: [0, 1],
    yLimits: [0, top * 1.05],
  });
  heights.plot.append(bars(heights, [0, 1], lists.counts, "negative"));
  return [...charts, heights].map((chart) => chart.root);
}
