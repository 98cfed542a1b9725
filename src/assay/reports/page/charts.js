// Charts are SVG drawn in units of a fixed box and scaled by the browser; colours come from the style sheet.
const BOX = { width: 340, height: 290, left: 54, right: 12, top: 12, bottom: 42 };

function ticks([low, high], wanted = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((one) => one >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(k * step);
  return found.map((one) => Number(one.toPrecision(12)));
}

const tickText = (value) => {
  const size = Math.abs(value);
  if (size && (size >= 1e5 || size < 1e-3)) return value.toExponential(1).replace(".0e", "e");
  return String(Number(value.toPrecision(4)));
};

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const tenTo = (power) => `10${[...String(power)].map((sign) => RAISED[sign]).join("")}`;

const UNITS = { 3: "thousands", 6: "millions", 9: "billions" };

// The power of ten that the ticks of an axis share: of large numbers one that leaves their steps whole.
function commonPower(most, step) {
  if (!most || (most >= 1e-3 && most < 1e5)) return 0;
  return 3 * Math.floor(Math.log10(most < 1 ? most : Math.max(step, most / 1e4)) / 3);
}

// How the ticks of an axis are written: what all of them have in common, a large number or a power of ten, is
// said once, beside the axis's name.
function tickLabels(all) {
  const size = all.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const step = all.length > 1 ? all[1] - all[0] : size;
  let offset = 0;
  if (all.length > 1 && size > 1e4 * step) {
    const unit = 10 ** Math.ceil(Math.log10(10 * (all.at(-1) - all[0])));
    offset = Math.floor(all[0] / unit) * unit;
  }
  const rest = all.map((one) => one - offset);
  const most = rest.reduce((top, one) => Math.max(top, Math.abs(one)), 0);
  const power = commonPower(most, step);
  const texts = rest.map((one) => {
    const [whole, part] = String(Number((one / 10 ** power).toPrecision(5))).split(".");
    return (Math.abs(whole) < 1e4 ? whole : count(Number(whole))) + (part ? `.${part}` : "");
  });
  const parts = [];
  if (power) parts.push(!offset && UNITS[power] ? UNITS[power] : `× ${tenTo(power)}`);
  if (offset) parts.push(`${offset < 0 ? "−" : "+"} ${count(Math.abs(offset))}`);
  return { texts, common: parts.length ? ` (${parts.join(" ")})` : "" };
}

// The ticks of an axis of powers of ten: every one, or fewer where there are many.
function powerTicks([low, high]) {
  const [first, last] = [Math.ceil(low - 1e-9), Math.floor(high + 1e-9)];
  const each = Math.max(1, Math.ceil((last - first) / 6));
  const found = [];
  for (let power = first; power <= last; power += each) found.push(power);
  const plain = (power) => String(Number((10 ** power).toPrecision(3)));
  const text = (power) => (power >= -3 && power <= 3 ? plain(power) : tenTo(power));
  return { values: found, texts: found.map(text), common: "" };
}

function axisTicks(limits, wanted, log, whole) {
  if (log) return powerTicks(limits);
  const values = wanted ? ticks(limits, wanted).filter((one) => !whole || Number.isInteger(one)) : [];
  return { values, ...tickLabels(values) };
}

const place = (value) => Number(Math.max(-1e5, Math.min(1e5, value)).toFixed(2)); // within what SVG can draw

// A frame with axes; `x` and `y` turn numbers into places, and `limits(x, y)` sets them anew.
function frame({
  title,
  note,
  xTitle,
  yTitle,
  xLimits,
  yLimits,
  box = BOX,
  xTicks = 5,
  yTicks = 5,
  ...axis
}) {
  const right = box.width - box.right;
  const bottom = box.height - box.bottom;
  const axes = svg("g", { class: "axes" });
  const plot = svg("g", { class: "plot" });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, role: "img", "aria-label": title },
    axes,
    plot,
  );
  const caption = el("figcaption", {}, title, note ? el("small", {}, note) : null);
  const made = {
    picture,
    caption,
    plot,
    box,
    right,
    bottom,
    title,
    root: el("figure", { class: "chart" }, caption, picture, chartButtons(title, picture)),
  };
  made.limits = (xs, ys) => {
    made.x = (v) => box.left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * (right - box.left);
    made.y = (v) => bottom - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * (bottom - box.top);
    const across = axis.ticks ? axis.ticks(xs, xTicks) : axisTicks(xs, xTicks, axis.log, axis.whole);
    const up = axis.ticksUp ? axis.ticksUp(ys, yTicks) : axisTicks(ys, yTicks, false);
    const named = { "text-anchor": "middle", class: "name" };
    const title = (text, attributes) => svg("text", { ...named, ...attributes }, text);
    axes.replaceChildren(
      ...across.values.flatMap((v, i) => [
        svg("line", { x1: made.x(v), x2: made.x(v), y1: bottom, y2: box.top, class: "grid" }),
        svg("text", { x: made.x(v), y: bottom + 15, "text-anchor": "middle" }, across.texts[i]),
      ]),
      ...up.values.flatMap((v, i) => [
        svg("line", { x1: box.left, x2: right, y1: made.y(v), y2: made.y(v), class: "grid" }),
        svg("text", { x: box.left - 6, y: made.y(v) + 3.5, "text-anchor": "end" }, up.texts[i]),
      ]),
      svg("line", { x1: box.left, x2: right, y1: bottom, y2: bottom, class: "axis" }),
      title(brief(xTitle) + across.common, { x: (box.left + right) / 2, y: box.height - 8 }),
      title(yTitle + up.common, { transform: `translate(11 ${(box.top + bottom) / 2}) rotate(-90)` }),
    );
  };
  // Keep lines within the frame.
  made.clip = (...shapes) => {
    const id = fresh("clip");
    const area = svg("rect", {
      x: box.left,
      y: box.top,
      width: right - box.left,
      height: bottom - box.top + 2,
    });
    picture.prepend(svg("clipPath", { id }, area));
    for (const shape of shapes) shape.setAttribute("clip-path", `url(#${id})`);
  };
  made.describe = (text) => picture.setAttribute("aria-label", text ? `${title}. ${text}` : title);
  made.limits(xLimits, yLimits);
  return made;
}

function path(chart, xs, ys) {
  let text = "";
  let drawing = false;
  for (let i = 0; i < xs.length; i++) {
    const here = Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    if (here) text += `${drawing ? "L" : "M"}${place(chart.x(xs[i]))} ${place(chart.y(ys[i]))}`;
    drawing = here;
  }
  return text;
}

const line = (chart, xs, ys, style) => svg("path", { d: path(chart, xs, ys), class: `line ${style}` });

function band(chart, xs, lows, highs) {
  const there = xs.map((x, i) => [x, highs[i]]);
  const back = xs.map((x, i) => [x, lows[i]]).reverse();
  const points = [...there, ...back].map(([x, y]) => `${place(chart.x(x))},${place(chart.y(y))}`);
  return svg("polygon", { points: points.join(" "), class: "band" });
}

// Bars of equal width as one outline: two classes lie over each other.
function bars(chart, [low, high], heights, style) {
  const wide = (high - low) / heights.length;
  let text = `M${place(chart.x(low))} ${place(chart.y(0))}`;
  heights.forEach((height, i) => {
    text += `V${place(chart.y(height))}H${place(chart.x(low + (i + 1) * wide))}`;
  });
  return svg("path", { d: `${text}V${place(chart.y(0))}Z`, class: `bars ${style}` });
}

// What moves with the threshold: a dot, and a line down to the axis. What is beyond the frame waits at its edge.
function marker(chart) {
  const dot = svg("circle", { r: 5, class: "marker" });
  const stem = svg("line", { class: "stem" });
  chart.plot.append(stem, dot);
  return (x, y) => {
    const seen = Number.isFinite(x) && Number.isFinite(y);
    for (const part of [dot, stem]) part.setAttribute("visibility", seen ? "visible" : "hidden");
    if (!seen) return;
    const cx = place(Math.max(chart.box.left, Math.min(chart.right, chart.x(x))));
    const cy = place(Math.max(chart.box.top, Math.min(chart.bottom, chart.y(y))));
    const beyond = Math.abs(chart.x(x) - cx) > 0.01 || Math.abs(chart.y(y) - cy) > 0.01;
    dot.classList.toggle("beyond", beyond);
    fill(dot, { cx, cy, "data-x": x, "data-y": y }, []);
    fill(stem, { x1: cx, x2: cx, y1: chart.bottom, y2: cy }, []);
  };
}

// Rows in cells, shaded by the logarithm of how many a cell holds, or of what they weigh.
function cloud(chart, { x, y, size, cells }, unit = "rows") {
  const wide = (chart.x(x[1]) - chart.x(x[0])) / size;
  const tall = (chart.y(y[0]) - chart.y(y[1])) / size;
  const top = cells.reduce((most, cell) => Math.max(most, cell[2]), 0);
  const least = cells.reduce((low, cell) => Math.min(low, cell[2]), Infinity);
  const shade = (amount) => (top > least ? Math.log(amount / least) / Math.log(top / least) : 1);
  return cells.map(([i, j, rows]) =>
    svg(
      "rect",
      {
        x: place(chart.x(x[0]) + i * wide),
        y: place(chart.y(y[0]) - (j + 1) * tall),
        width: place(wide),
        height: place(tall),
        class: "dot",
        "fill-opacity": (0.2 + 0.8 * shade(rows)).toFixed(2),
      },
      svg("title", {}, `${count(rows)} ${unit}`),
    ),
  );
}

// An interval on the scale of what the metric can be, as a bar with a tick at the value; a dotted line is where
// the value of all rows is.
function intervalBar(text, limits, wide = 130, reference = NaN) {
  const [value, low, high] = text.map(number);
  if (Number.isNaN(value)) return null;
  const at = (v) =>
    place(
      3 +
        ((Math.min(Math.max(v, limits[0]), limits[1]) - limits[0]) / (limits[1] - limits[0] || 1)) *
          (wide - 6),
    );
  const words = interval(text) ? `${text[0]}, interval ${text[1]} to ${text[2]}` : text[0];
  const parts = [svg("line", { x1: 3, x2: wide - 3, y1: 8, y2: 8, class: "track" })];
  if (limits[0] < 0 && limits[1] > 0)
    parts.push(svg("line", { x1: at(0), x2: at(0), y1: 3, y2: 13, class: "track" }));
  if (interval(text)) {
    parts.push(
      svg("rect", {
        x: at(low),
        y: 4.5,
        width: Math.max(at(high) - at(low), 1),
        height: 7,
        rx: 1.5,
        class: "range",
      }),
    );
  }
  if (Number.isFinite(reference))
    parts.push(svg("line", { x1: at(reference), x2: at(reference), y1: 0, y2: 16, class: "reference" }));
  parts.push(svg("line", { x1: at(value), x2: at(value), y1: 2, y2: 14, class: "value" }));
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} 16`, class: "interval", role: "img", "aria-label": words },
    parts,
  );
}

// The scale of a bar: the metric's bounds where it has some, else from 0 to a little beyond the intervals.
function barLimits(bounds, texts) {
  const [least, most] = bounds ?? [null, null];
  if (least != null && most != null) return bounds;
  const all = texts.flat().map(number).filter(Number.isFinite);
  return [least ?? Math.min(0, ...all) * 1.1, most ?? (Math.max(0, ...all) * 1.1 || 1)];
}

// Which line is whose.
const legend = (names) =>
  el(
    "div",
    { class: "keys" },
    names.map((name, i) =>
      el(
        "span",
        { class: "key" },
        svg(
          "svg",
          { viewBox: "0 0 24 10", class: "swatch", "aria-hidden": "true" },
          svg("path", { d: "M0 5H24", class: `line series s${i}` }),
        ),
        named(name),
      ),
    ),
  );
