// Elements are built one by one from text: nothing is ever parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null));
  return node;
}

const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

let counter = 0;
const fresh = (stem) => `${stem}-${++counter}`;

// So many decimals, a tie going to the even digit: as Python rounds, so that both print the same.
function fixed(value, digits) {
  const text = value.toFixed(digits);
  const more = value.toFixed(Math.min(100, digits + 30)); // exact, as far as a tie can be told from a near one
  const at = more.length - Math.min(100, digits + 30) + digits; // where the digits that are dropped begin
  if (!/^50*$/.test(more.slice(at))) return text;
  const down = digits ? more.slice(0, at) : more.slice(0, at - 1);
  return Number(down.at(-1)) % 2 ? text : down;
}

// So many digits in all, in plain or in scientific notation: as Python's format "g" has it.
function general(value, digits) {
  const [tenths, power] = even(value, digits);
  if (power >= digits || power < -4) {
    const size = Math.abs(power);
    return `${Number(tenths)}e${power < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
  }
  return String(Number(`${tenths}e${power}`));
}

// The number's significant digits and its power of ten, a tie going to the even digit.
function even(value, digits) {
  const [exact, power] = value.toExponential(Math.min(100, digits + 30)).split("e");
  const [near, after] = value.toExponential(digits - 1).split("e");
  const at = exact.indexOf(".") + digits;
  const down = exact.slice(0, at);
  if (!/^50*$/.test(exact.slice(at)) || Number(down.at(-1)) % 2) return [near, Number(after)];
  return [down, Number(power)];
}

// Rows are whole; sums of weights have a decimal, all of them.
const count = (number, weighted = !Number.isInteger(number)) => {
  const [whole, part] = (weighted ? fixed(number, 1) : String(number)).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
};

// A share in per cent with one decimal, rounded in whole numbers as long as both are.
// What is neither nothing nor all does not look like it.
function share(part, whole) {
  if (!whole) return "";
  const tenths = Math.floor((2000 * part + whole) / (2 * whole));
  const text =
    Number.isInteger(part) && Number.isInteger(whole)
      ? `${Math.floor(tenths / 10)}.${tenths % 10}%`
      : `${fixed((100 * part) / whole, 1)}%`;
  if (text === "0.0%" && part > 0) return "<0.1%";
  return text === "100.0%" && part < whole ? ">99.9%" : text;
}

// So many decimals, with commas between thousands.
function grouped(value, digits) {
  const [whole, part] = fixed(value, digits).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
}

// A number as the summary prints it: four decimals, four digits or more where it is large, three where tiny.
function shown(value) {
  if (value == null || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size && size < 0.001) return general(value, 3);
  if (size >= 1e9) return general(value, 4);
  if (size >= 10) return grouped(value, Math.max(0, 3 - Math.floor(Math.log10(size))));
  const near = size >= 1 - 0.5e-4 && size < 1; // a share just below 1 is not rounded to it
  return fixed(value, near ? Math.min(Math.ceil(-Math.log10(1 - size)), 16) : 4);
}

const cutoffText = (value) => {
  if (value == null) return "above all scores";
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : shown(value);
};
const amount = (value) => (Math.abs(value) < 1000 ? fixed(value, 1) : count(Math.round(value)));

function number(text) {
  if (text == null) return NaN;
  return text === "∞" ? Infinity : text === "-∞" ? -Infinity : Number(text.replaceAll(",", ""));
}

const interval = ([, low, high]) => (low == null || high == null ? "" : `[${low}, ${high}]`);

// A table that may be wider than the page: the keyboard must reach what the hand can scroll to.
const scrolled = (label, table) => [
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table),
  table ? csvButton(label, table) : null,
];

// A name from the data, whose direction of writing stays its own.
const named = (text) => el("bdi", {}, text);

// A name within a sentence that is one text: marks keep its direction of writing apart from the rest.
const isolated = (text) => `\u2068${text}\u2069`;

// A name beside others: on a narrow screen the middle of a long one gives way.
function narrow(text, most = 16) {
  const signs = [...text];
  if (innerWidth >= 760 || signs.length <= most) return named(text);
  const half = Math.floor((most - 1) / 2);
  const [start, end] = [signs.slice(0, half), signs.slice(-half)].map((part) => part.join("").trim());
  return el("bdi", { title: text, "data-whole": text }, `${start}…${end}`);
}

// A name as long as there is room for on an axis.
const brief = (text, most = 36) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// A part of the page under a heading that folds it away; what is folded stays so when the model changes.
const foldedTitles = new Set();
function section(title, ...children) {
  const id = fresh("section");
  const heading = el("button", { type: "button", class: "fold" }, title);
  const part = el("section", { "aria-labelledby": id }, el("h2", { id }, heading), children);
  const show = () => {
    heading.setAttribute("aria-expanded", !foldedTitles.has(title));
    part.classList.toggle("collapsed", foldedTitles.has(title));
  };
  heading.addEventListener("click", () => {
    if (!foldedTitles.delete(title)) foldedTitles.add(title);
    show();
  });
  show();
  return part;
}

// The headings of the page as buttons. Not links, whose address holds the state.
function contents(chosen = () => {}) {
  const go = (heading) => {
    chosen();
    if (heading.getAttribute("aria-expanded") === "false") heading.click();
    heading.scrollIntoView({ block: "start" });
    heading.focus({ preventScroll: true });
  };
  const entry = (heading) =>
    el("li", {}, el("button", { type: "button", onclick: () => go(heading) }, heading.textContent));
  return el("ol", {}, [...document.querySelectorAll("section > h2 > button")].map(entry));
}

// A word with its explanation, which shows on hover and on focus and which Escape puts away.
function term(word, explanation) {
  const id = fresh("tip");
  const tip = el("span", { role: "tooltip", id, class: "tip" }, explanation);
  const box = el("span", { class: "term" });
  const hide = (event) => event.key === "Escape" && box.classList.add("closed");
  const back = () => box.classList.remove("closed");
  box.append(el("span", { tabindex: "0", class: "word", "aria-describedby": id }, word), tip);
  return fill(box, { onkeydown: hide, onmouseleave: back, onfocusout: back }, []);
}

// Light, dark, or as the system has it.
function themeButton() {
  const names = { "": "as the system", light: "light", dark: "dark" };
  const order = ["", "light", "dark"];
  const button = el("button", { type: "button", class: "theme" });
  const show = () => (button.textContent = `Colours: ${names[document.documentElement.dataset.theme ?? ""]}`);
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % order.length];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    show();
  });
  show();
  return button;
}
