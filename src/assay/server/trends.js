// Metrics over time: values as lines and dots, intervals as bands.
const TOGETHER = 3; // series that can be told apart in one chart
const DAY = 1; // times are in days since 1970

const dateOf = (days) => new Date(days * 864e5);
const two = (value) => String(value).padStart(2, "0");
const dayText = (days) => dateOf(days).toISOString().slice(0, 10);

// Ticks at the beginnings of hours, days, months or years, as many as there is room for.
function timeTicks([low, high], wanted) {
  const span = (high - low) / Math.max(1, wanted);
  const found = [];
  const add = (days, text) => days >= low - 1e-9 && days <= high + 1e-9 && found.push([days, text]);
  if (span > 20) {
    const months = [1, 2, 3, 6, 12, 24, 60, 120].find((one) => one * 30.4 >= span) ?? 240;
    const first = dateOf(low).getUTCFullYear() * 12;
    for (let month = first; ; month += months) {
      const days = Date.UTC(Math.floor(month / 12), month % 12) / 864e5;
      if (days > high) break;
      const text = `${Math.floor(month / 12)}-${two((month % 12) + 1)}`;
      add(days, months >= 12 ? text.slice(0, 4) : text);
    }
  } else {
    const steps = [1 / 1440, 5 / 1440, 15 / 1440, 1 / 24, 3 / 24, 6 / 24, 1, 2, 5, 7, 14];
    const step = steps.find((one) => one >= span) ?? 28;
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k++) {
      const text = dateOf(k * step + 1e-6).toISOString();
      add(k * step, step >= DAY ? text.slice(5, 10) : text.slice(11, 16));
    }
  }
  return { values: found.map(([days]) => days), texts: found.map(([, text]) => text), common: "" };
}

// The limits of a chart: all intervals with a little room, within what the metric can be.
function trendLimits(series) {
  const numbers = series
    .flatMap((one) => one.points.flatMap((point) => point.numbers))
    .filter(Number.isFinite);
  const days = series.flatMap((one) => one.points.map((point) => point.days));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const room = (high - low) * 0.06 || Math.abs(high) * 0.05 || 0.05;
  const [first, last] = [Math.min(...days), Math.max(...days)];
  const side = (last - first) * 0.02 || 0.5;
  return { x: [first - side, last + side], y: [low - room, high + room] };
}

function trendChart({ title, series, limits, box, whole, hideKey }) {
  const wide = box.width - box.left - box.right;
  const chart = frame({
    title,
    xTitle: "recorded (UTC)",
    yTitle: data.label,
    xLimits: limits.x,
    yLimits: limits.y,
    box,
    ticks: timeTicks,
    xTicks: Math.max(2, Math.round(wide / 90)),
  });
  const column = (points, i) => points.map((point) => point.numbers[i] ?? NaN);
  const daysOf = (points) => points.map((point) => point.days);
  if (whole?.points.length > 1)
    chart.plot.append(line(chart, daysOf(whole.points), column(whole.points, 0), "chance"));
  series.forEach(({ points }, i) => {
    const bounded = points.filter((point) => point.numbers[1] != null && point.numbers[2] != null);
    if (bounded.length > 1) {
      const shape = band(chart, daysOf(bounded), column(bounded, 1), column(bounded, 2));
      shape.classList.add(`b${i}`);
      chart.plot.append(shape);
    }
  });
  series.forEach(({ name, points }, i) => {
    chart.plot.append(line(chart, daysOf(points), column(points, 0), `series s${i}`));
    for (const point of points) {
      const [x, y] = [place(chart.x(point.days)), place(chart.y(point.numbers[0]))];
      const alone = points.length === 1 && point.numbers[1] != null;
      chart.plot.append(
        fill(svg("a", { href: href(`run/${point.run}`), tabindex: "-1", class: "point" }), {}, [
          alone
            ? svg("line", {
                x1: x,
                x2: x,
                y1: place(chart.y(point.numbers[1])),
                y2: place(chart.y(point.numbers[2])),
                class: `line series s${i}`,
              })
            : null,
          svg("circle", { cx: x, cy: y, r: 9, class: "reach" }),
          svg("circle", { cx: x, cy: y, r: points.length > 60 ? 1.8 : 2.8, class: `dot d${i}` }),
          svg(
            "title",
            {},
            `${isolated(name)}, ${point.time} UTC, run #${point.run}: ${point.text[0]} ${interval(point.text)}, ${plural(point.rows, "row")}`,
          ),
        ]),
      );
    }
  });
  if (series.length > 1 && !hideKey) chart.caption.append(legend(series.map((one) => one.name)));
  chart.describe(
    series
      .map(
        ({ name, points }) =>
          `${isolated(name)}: ${plural(points.length, "run")}, latest ${points.at(-1)?.text[0]}`,
      )
      .join("; "),
  );
  return chart.root;
}

// Drawn for the width that there is, and again when that changes: letters keep their size.
function drawnToFit(draw) {
  const holder = el("div", { class: "toFit" });
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.round(holder.clientWidth);
    if (!now || now === width) return;
    width = now;
    holder.replaceChildren(draw(width));
  }).observe(holder);
  return holder;
}

function trendCharts(series, whole = null) {
  if (series.length <= TOGETHER && !whole) {
    const limits = trendLimits(series);
    return drawnToFit((width) =>
      trendChart({
        title: `${data.label} over time`,
        series,
        limits,
        box: { ...BOX, width, height: Math.min(380, Math.max(250, width * 0.4)), right: 16 },
      }),
    );
  }
  const limits = trendLimits(whole ? [...series, whole] : series);
  return el(
    "div",
    { class: "small charts" },
    series.map((one) =>
      drawnToFit((width) =>
        trendChart({
          title: one.name,
          series: [one],
          limits,
          box: { ...BOX, width, height: 210, right: 12 },
          whole,
        }),
      ),
    ),
  );
}

// The same as numbers, which the keyboard reaches.
const trendTable = (title, series, noun) =>
  el(
    "details",
    {},
    el("summary", {}, "As a table"),
    scrolled(
      title,
      el(
        "table",
        { class: "figures list" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            [noun, "recorded (UTC)", "run", "rows", data.label, `${data.confidence} interval`].map(
              (word, i) => el("th", { scope: "col", class: i > 1 ? "number" : null }, word),
            ),
          ),
        ),
        el(
          "tbody",
          {},
          series.flatMap(({ name, points }) =>
            points
              .toReversed()
              .map((point) =>
                el(
                  "tr",
                  {},
                  el("td", {}, named(name)),
                  el("td", {}, point.time),
                  el("td", { class: "number" }, runLink(point.run, `#${point.run}`)),
                  el("td", { class: "number" }, count(point.rows)),
                  el("td", { class: "number" }, point.text[0]),
                  el("td", { class: "number" }, interval(point.text)),
                ),
              ),
          ),
        ),
      ),
    ),
  );

const metricChoice = () =>
  choice(
    "metric",
    "Metric",
    data.known.map((one) => ({ key: one.name, name: one.label })),
    data.metric,
    null,
  );

const leftOut = (noun) =>
  [
    data.left_out ? `${plural(data.left_out, "older run")} left out.` : null,
    data.single ? `${plural(data.single, "model")} with one run left out.` : null,
    data.left_out_series ? `${plural(data.left_out_series, noun)} left out.` : null,
  ].filter(Boolean);

function trendsPage() {
  const { series } = data;
  return [
    filterForm("trends", data.filters, ["q", "model", "test", "task", "tag", "since"], metricChoice()),
    series.length
      ? [
          el(
            "p",
            { class: "quiet" },
            [
              `Bands are ${data.confidence} intervals, each for itself. A dot opens its run.`,
              ...leftOut("model"),
            ].join(" "),
          ),
          trendCharts(series),
          trendTable("Trends", series, "model"),
        ]
      : nothingThere("No run with a metric is like that."),
  ];
}

function slicesPage() {
  const { series, filters } = data;
  const columns = data.columns.map((name) => ({ key: name, name }));
  const form = filterForm(
    "slices",
    { ...filters, choices: { ...filters.choices, model: filters.models } },
    ["test", "tag", "since"],
    filters.models.length ? choice("model", "Model", filters.models, filters.chosen.model, null) : null,
    columns.length > 1 ? choice("column", "Sliced by", columns, data.column, null) : null,
    data.known.length ? metricChoice() : null,
  );
  return [
    form,
    series.length
      ? [
          el(
            "p",
            { class: "quiet" },
            [
              `${data.label} by ${isolated(data.column)}. Bands are ${data.confidence} intervals, each for itself; dotted: all rows.`,
              ...leftOut("slice"),
            ].join(" "),
          ),
          trendCharts(series, data.whole),
          trendTable("Slices over time", series, "slice"),
        ]
      : nothingThere(
          filters.models.length
            ? "No slice has this metric."
            : "No run is sliced: name columns with by= when you evaluate, and record the evaluation.",
        ),
  ];
}

// What is missing, and what would bring it.
const nothingThere = (text, code = null) =>
  el("div", { class: "empty" }, el("p", {}, text), code ? el("pre", {}, el("code", {}, code)) : null);
