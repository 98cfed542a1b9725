// The page: its parts in order, drawn again when another model is chosen.
const page = document.getElementById("page");

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
        el("input", {
          type: "radio",
          name,
          "data-model": data.models.indexOf(model),
          checked: model === state.model,
          onchange: () => choose(model),
        }),
        named(model.name),
      ),
    ),
  );
}

// Counts, charts and costs of a model, or of one of its labels or outputs, under headings that name it.
function pictures(model, headed = (title) => title) {
  const { shapes, live } = model;
  const parts = [];
  if (live) {
    parts.push(
      section(
        headed("Counts and threshold"),
        el("div", { class: "beside" }, matrix(model), thresholdPanel(model)),
        thresholdTable(model),
      ),
    );
  } else if (model.table) {
    parts.push(
      section(headed("Counts"), heatMap(model), model.confused ? confusedPairs(model.confused) : null),
    );
  }
  if (model.rank_errors) parts.push(section(headed("Grades"), rankErrors(model.rank_errors)));
  const charts = curveCharts(model);
  if (shapes.residuals) charts.push(...regressionCharts(shapes));
  if (shapes.at_k?.length) charts.push(...rankingCharts(shapes));
  if (charts.length)
    parts.push(
      section(
        headed("Charts"),
        el("div", { class: "charts" }, charts),
        live ? moreCurves(model) : null,
        shapes.quantiles ? quantileTable(shapes.quantiles) : null,
        shapes.extremes?.worst.length ? extremeLists(shapes) : null,
      ),
    );
  if (model.class_curves.length)
    parts.push(section(headed("Each class against the rest"), classCharts(model)));
  if (live) parts.push(costs(model, headed("What errors cost")));
  return parts;
}

// The parts of a page about one model, in their order; what is not there is left out with its heading.
function body(model) {
  const { confidence } = model;
  const parts = [...pictures(model), figureTable(model)];
  const [title, noun] = {
    multilabel: ["Labels", "label"],
    multioutput: ["Outputs", "output"],
  }[model.task] ?? ["Classes, each against the rest", "class"];
  if (model.classes) parts.push(forest(title, model.classes, noun, { confidence }));
  if (model.together) parts.push(section("Labels that are wrong together", wrongTogether(model.together)));
  if (model.parts.length) parts.push(...chosenPart(model, noun));
  if (model.slices)
    parts.push(
      forest(sliceTitle(model), { ...model.slices, worst: true }, "slice", {
        confidence,
        about: startNote(model, "Slices"),
      }),
    );
  return parts;
}

const sliceTitle = (model) => (data.models.length > 1 ? `Slices of ${isolated(model.name)}` : "Slices");

// The threshold that the page shows now.
function thresholdFact(model) {
  if (!model.live) return null;
  const fact = el("span", { "data-threshold": true });
  follow(() => {
    const text = state.at == null ? "as predicted" : `threshold ${cutoffText(model.live.cutoffs[state.at])}`;
    fact.replaceChildren(`${text} on `, named(model.live.score), " · ");
  });
  return fact;
}

const shownModel = el("div", { id: "model" });

function choose(model) {
  state.model = model;
  state.at = subject().live ? subject().live.start : null;
  listeners = [];
  shownModel.replaceChildren(
    el(
      "p",
      { class: "facts" },
      data.models.length > 1 ? [named(model.name), ": "] : null,
      model.title,
      model.heading.map((text, i) => [el("br"), i ? null : thresholdFact(model), text]),
    ),
    el("h2", { class: "hidden" }, "Main metrics"),
    large(model),
    el(
      "div",
      { class: "remarks" },
      model.remarks.map((text) => el("p", {}, text)),
      model.remarks.length ? startNote(model, "Remarks") : null,
    ),
    ...body(model),
  );
  if (data.comparison) ofModels.replaceChildren(...comparison(data.comparison));
  method.replaceChildren(computed(model));
  follow(remember);
  moved();
  listContents();
}

// At the side of the page where there is room, else folded at its top: one of both is shown. Drawn again with
// the model, whose parts may be others.
const contentsAside = el("nav", { class: "contents aside", "aria-label": "Contents" });
const folded = el("details", {}, el("summary", {}, "Contents"));
const contentsAtTop = el("nav", { class: "contents top", "aria-label": "Contents" }, folded);
const foldContents = () => (folded.open = false);
function listContents() {
  contentsAside.replaceChildren(contents());
  folded.replaceChildren(folded.firstChild, contents(foldContents));
}

// The model, its label or output, the threshold and the class that are shown, in the address: a link to the page brings them back.
let remembering = null;
function remember() {
  clearTimeout(remembering); // browsers count how often the address changes
  remembering = setTimeout(writeState, 250);
}

function writeState() {
  const facts = new URLSearchParams();
  if (state.model !== data.models[0]) facts.set("model", data.models.indexOf(state.model) + 1);
  if (state.part != null) facts.set("part", state.part);
  const { live } = subject();
  if (live && state.at !== live.start) facts.set("threshold", String(live.cutoffs[state.at] ?? "none"));
  if (state.klass != null) facts.set("class", state.klass);
  try {
    history.replaceState(null, "", facts.size ? `#${facts}` : location.pathname + location.search);
  } catch {
    // A page within another one may not touch the address.
  }
}

function recall() {
  const facts = new URLSearchParams(location.hash.slice(1));
  const model = data.models[Number(facts.get("model") ?? 1) - 1] ?? data.models[0];
  state.klass = facts.get("class");
  state.part = facts.get("part");
  choose(model);
  const wanted = facts.get("threshold");
  const { live } = subject();
  if (!live || wanted == null) return;
  const threshold = wanted === "none" ? Infinity : Number(wanted);
  if (!Number.isNaN(threshold)) move(cutoffAt(live, threshold));
}

// What was handed in with the page is of no model and no threshold that it knows.
function handedIn(what) {
  if (data.models.length < 2 && !subject().live) return null;
  const text = `${what} were handed in with the page: they follow neither the model nor the threshold.`;
  return el("p", { class: "fixed" }, text);
}

const ofModels = el("div");
const method = el("div");
recall();
page.append(
  ...[
    el("header", {}, el("h1", { dir: "auto" }, data.title), themeButton()),
    contentsAtTop,
    data.comparison && ofModels, // which of the models is best comes before what there is to say of each
    modelChoice(),
    shownModel,
    data.slices && forest("Slices", data.slices, "slice", { about: handedIn("The slices") }),
    data.errors && errorTable(data.errors),
    method,
  ].filter(Boolean),
);
page.append(contentsAside);
listContents();
// Paper shows what is folded on a screen.
addEventListener("beforeprint", () =>
  document.querySelectorAll("section details").forEach((one) => (one.open = true)),
);
// Another address typed in, or chosen from the browser's history.
addEventListener("hashchange", () => location.reload());
