// Several labels or outputs: one is chosen and drawn like a model; and which labels are wrong in the same rows.

function chosenPart(model, noun) {
  const part = subject(model);
  const id = fresh("part");
  const select = el(
    "select",
    { id, "data-part": true, onchange: () => choosePart(select.value) },
    model.parts.map(({ name }) =>
      el("option", { value: name, selected: name === part.name }, isolated(name)),
    ),
  );
  const leftOut = model.parts_left_out;
  const headed = (title) => `${title}: ${isolated(part.name)}`;
  return [
    section(
      headed(`One ${noun}`),
      el("div", { class: "row controls" }, el("label", { for: id }, `Shown ${noun} `), select),
      leftOut ? el("p", { class: "quiet" }, `The ${count(model.parts.length)} largest of them.`) : null,
      el("p", { class: "facts" }, thresholdFact(part), part.heading[0]),
      large(part),
      part.remarks.map((text) => el("p", { class: "quiet" }, text)),
      part.remarks.length ? startNote(part, "Remarks") : null,
    ),
    ...pictures(part, headed),
    figureTable(part, headed("All metrics")),
  ];
}

function choosePart(name) {
  state.part = name;
  choose(state.model);
  document.querySelector("[data-part]").focus({ preventScroll: true }); // it was drawn anew
}

function wrongTogether({ rows, left_out: leftOut, errors: [several, any], weighted }) {
  const unit = weighted ? "of the weight" : "of the rows";
  const said = el(
    "p",
    { class: "quiet" },
    `${count(any, weighted)} ${unit} have a wrong label; ${count(several, weighted)} have more than one.`,
  );
  if (!rows.length) return said;
  return [
    said,
    listed(
      "Pairs of labels",
      ["label", "and label", weighted ? "weight" : "rows", "if errors were independent"],
      rows.map(([first, second, amount, expected]) => [
        named(first),
        named(second),
        count(amount, weighted),
        count(expected, true),
      ]),
      [2, 3],
    ),
    leftOut
      ? el("p", { class: "quiet" }, `${count(leftOut)} more pairs are wrong together in some row.`)
      : null,
  ];
}
