// Search and filters as a form that the server answers: the address is the state.

// A choice that asks at once; without a choice everything is meant.
function choice(name, label, options, chosen, all = "all") {
  const id = fresh("choice");
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    el(
      "select",
      { id, name, onchange: (event) => submitted(event.target) },
      all == null ? null : el("option", { value: "" }, all),
      options.map(({ key, name: shown, runs }) =>
        el(
          "option",
          { value: key, selected: key === chosen },
          isolated(shown),
          runs == null ? "" : ` (${count(runs)})`,
        ),
      ),
    ),
  );
}

// The field that one was in has the focus again on the page that answers.
function submitted(field) {
  try {
    sessionStorage.setItem("assay-field", field.name);
  } catch {
    // Then it has not.
  }
  field.form.requestSubmit();
}

function backToField() {
  let name = null;
  try {
    name = sessionStorage.getItem("assay-field");
    sessionStorage.removeItem("assay-field");
  } catch {
    return;
  }
  const field = name && document.querySelector("form.filters")?.elements[name];
  if (!field?.focus) return;
  field.focus({ preventScroll: true });
  if (field.type === "search") field.setSelectionRange(field.value.length, field.value.length);
}

const dateField = (name, label, value) => {
  const id = fresh("date");
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    el("input", { type: "date", id, name, value: value ?? "", onchange: (event) => submitted(event.target) }),
  );
};

// Only what is filled in goes into the address, and columns where others were chosen than the usual ones.
function tidy(event) {
  const usual = (data.metrics ?? []).map((metric) => metric.name);
  const columns = [...event.target.querySelectorAll("input[name=metric]:checked")].map((box) => box.value);
  const same = !data.picked && String(columns.sort()) === String(usual.sort());
  for (const field of event.target.elements)
    field.disabled ||= field.name && (field.value === "" || (same && field.type === "checkbox"));
  setTimeout(() => [...event.target.elements].forEach((field) => (field.disabled = false)));
}

// On a narrow screen the filters wait behind a button.
function toggle() {
  const button = el("button", { type: "button", class: "toggle", "aria-expanded": "false" }, "Filters");
  button.addEventListener("click", () => {
    const closed = button.form.classList.toggle("closed");
    button.setAttribute("aria-expanded", !closed);
  });
  return button;
}

function filterForm(path, { chosen, choices }, names, ...more) {
  const search = fresh("search");
  const [what, titles] = [choices, { model: "Model", test: "Test set", task: "Task", tag: "Tag" }];
  const form = el(
    "form",
    { class: "filters closed", action: href(path), method: "get", role: "search", onsubmit: tidy },
    names.includes("q")
      ? el(
          "div",
          { class: "field search" },
          el("label", { for: search }, "Search"),
          el("input", {
            type: "search",
            id: search,
            name: "q",
            value: chosen.q ?? "",
            placeholder: "model, tag, #run, commit",
            autocomplete: "off",
          }),
        )
      : null,
    names.includes("q") ? toggle() : null,
    Object.keys(titles)
      .filter((name) => names.includes(name) && (what[name].length > 1 || chosen[name]))
      .map((name) => choice(name, titles[name], what[name], chosen[name])),
    names.includes("since")
      ? [dateField("since", "From", chosen.since), dateField("until", "To", chosen.until)]
      : null,
    more,
    el("div", { class: "field act" }, el("button", { type: "submit" }, "Show")),
  );
  return form;
}

// The slash leads to the search, as in many lists.
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector("input[type=search]");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});
