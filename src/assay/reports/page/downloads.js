// Tables as CSV and charts as SVG and PNG, made on demand from what is shown.
function download(name, content, type) {
  const link = el("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const fileName = (title, ending) =>
  `${title
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 60)}.${ending}`;

// A field of CSV; what a spreadsheet would take for a formula is marked as text.
function csvField(text) {
  const safe = /^[=+@\t\r]/.test(text) || (/^-/.test(text) && Number.isNaN(Number(text))) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// A table as it is shown; a cell with an interval becomes three columns of numbers, one with a number of its
// own that number, and columns that say the same again are left out.
function csvOf(table) {
  const body = [...table.tBodies].flatMap((part) => [...part.rows]);
  const width = Math.max(...body.map((row) => row.cells.length));
  const drawn = Array.from({ length: width }, (_, i) => body.some((row) => row.cells[i]?.dataset.text));
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const again = heads.map((cell) => cell.dataset.again != null);
  const words = (cell) => cell?.dataset.number ?? wordsOf(cell);
  const plain = (text) => (text == null ? "" : text.replaceAll(",", ""));
  const head = heads.flatMap((cell, i) => {
    if (again[i]) return [];
    return drawn[i] ? [words(cell), `${words(cell)} low`, `${words(cell)} high`] : [words(cell)];
  });
  const rows = body.map((row) =>
    [...row.cells].flatMap((cell, i) => {
      if (again[i]) return [];
      if (!drawn[i]) return [words(cell)];
      return JSON.parse(cell.dataset.text ?? "[null,null,null]").map(plain);
    }),
  );
  return [head, ...rows].map((row) => row.map(csvField).join(",")).join("\r\n");
}

// What a cell says, less the explanation of its words and with a space between its lines.
function wordsOf(cell) {
  if (!cell) return "";
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".tip, .hidden").forEach((node) => node.remove());
  copy.querySelectorAll("[data-whole]").forEach((node) => (node.textContent = node.dataset.whole));
  copy.querySelectorAll("small").forEach((node) => node.prepend(" "));
  return copy.textContent.replace(/\s+/g, " ").trim();
}

const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "font-size",
];

// A chart with its colours written into it, so that it looks the same elsewhere.
function svgOf(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const look of LOOKS) to[i].setAttribute(look, style.getPropertyValue(look));
    to[i].removeAttribute("class");
  });
  const { width, height } = picture.viewBox.baseVal;
  const paper = svg("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(paper);
  fill(copy, { xmlns: SVG, width: 2 * width, height: 2 * height, "font-family": "sans-serif" }, []);
  return new XMLSerializer().serializeToString(copy);
}

// The same chart as dots, at twice the density of the SVG, which the browser draws from it.
async function pngOf(picture) {
  const source = URL.createObjectURL(new Blob([svgOf(picture)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = el("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(source);
  }
}

const saveButton = (title, word, onclick) =>
  el(
    "button",
    { type: "button", class: "save", onclick },
    word,
    el("span", { class: "hidden" }, ` of ${title}`),
  );

const chartButtons = (title, picture) =>
  el(
    "div",
    { class: "saves" },
    saveButton(title, "SVG", () => download(fileName(title, "svg"), svgOf(picture), "image/svg+xml")),
    saveButton(title, "PNG", async () => download(fileName(title, "png"), await pngOf(picture), "image/png")),
  );

// `table` is one, or a function that returns the one that is shown.
const csvButton = (title, table) =>
  saveButton(title, "CSV", () =>
    download(
      fileName(title, "csv"),
      csvOf(typeof table === "function" ? table() : table),
      "text/csv;charset=utf-8",
    ),
  );
