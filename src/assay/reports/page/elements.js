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

const count = (number) => {
  const [whole, part] = (Number.isInteger(number) ? String(number) : number.toFixed(1)).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
};

// A share in per cent with one decimal, rounded in whole numbers as long as both are.
function share(part, whole) {
  if (!whole) return "";
  if (!Number.isInteger(part) || !Number.isInteger(whole)) return `${((100 * part) / whole).toFixed(1)}%`;
  const tenths = Math.floor((2000 * part + whole) / (2 * whole));
  return `${Math.floor(tenths / 10)}.${tenths % 10}%`;
}

// A number as the summary prints it: four decimals, or as many digits where it is large or very small.
function shown(value) {
  if (value == null || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size && size < 0.001) return String(Number(value.toPrecision(3)));
  return size < 10 ? value.toFixed(4) : String(Number(value.toPrecision(4)));
}

const cutoffText = (value) => {
  if (value == null) return "above all scores";
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : shown(value);
};
const amount = (value) => (Math.abs(value) < 1000 ? value.toFixed(1) : count(Math.round(value)));

function number(text) {
  if (text == null) return NaN;
  return text === "∞" ? Infinity : text === "-∞" ? -Infinity : Number(text);
}

const interval = ([, low, high]) => (low == null || high == null ? "" : `[${low}, ${high}]`);

function section(title, ...children) {
  const id = fresh("section");
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), children);
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
