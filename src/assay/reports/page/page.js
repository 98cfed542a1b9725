// The page: its parts in order, drawn again when another model is chosen.
const page = document.getElementById("page");

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

function modelChoice() {
  if (data.models.length < 2) return null;
  const name = fresh("model");
  return el(
    "fieldset",
    { class: "models" },
    el("legend", {}, "Model"),
    data.models.map((model) =>
      el(
        "label",
        {},
        el("input", { type: "radio", name, checked: model === state.model, onchange: () => choose(model) }),
        named(model.name),
      ),
    ),
  );
}

function body(model) {
  const parts = [];
  if (model.live) {
    parts.push(
      section("Counts and threshold", el("div", { class: "beside" }, matrix(model), thresholdPanel(model))),
    );
  } else if (model.table) parts.push(section("Counts", heatMap(model.table)));
  const charts = curveCharts(model);
  if (charts.length) parts.push(section("Charts", el("div", { class: "charts" }, charts)));
  if (model.live) parts.push(costs(model));
  parts.push(figureTable(model));
  if (model.classes) parts.push(forest("Classes, each against the rest", model.classes, "class"));
  return parts;
}

const shownModel = el("div", { id: "model" });

function choose(model) {
  state.model = model;
  state.at = model.live ? model.live.start : null;
  listeners = [];
  shownModel.replaceChildren(
    el(
      "p",
      { class: "facts" },
      model.title,
      model.heading.map((text) => [el("br"), text]),
    ),
    ...large(model),
    el(
      "div",
      { class: "remarks" },
      model.remarks.map((text) => el("p", {}, text)),
    ),
    ...body(model),
  );
  moved();
}

choose(state.model);
page.append(
  ...[
    el("header", {}, el("h1", { dir: "auto" }, data.title), themeButton()),
    modelChoice(),
    shownModel,
    data.comparison && comparison(data.comparison),
    data.slices && forest("Slices", data.slices, "slice"),
    data.errors && errorTable(data.errors),
    computed(data.models[0]),
  ].filter(Boolean),
);
// Paper shows what is folded on a screen.
addEventListener("beforeprint", () =>
  document.querySelectorAll("details").forEach((one) => (one.open = true)),
);
