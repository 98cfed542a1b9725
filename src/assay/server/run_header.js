// Above the page of a run, or of runs side by side: where they stand in the ledger.
function runHeader({ run, time, test_name: _, ...facts }) {
  const steps = [
    facts.before == null ? null : runLink(facts.before, "← before"),
    facts.after == null ? null : runLink(facts.after, "after →"),
    facts.before == null
      ? null
      : link("compare", { run: [facts.before, run] }, {}, `compare with #${facts.before}`),
  ].filter(Boolean);
  return el(
    "div",
    { class: "ofRun" },
    el(
      "p",
      {},
      el("b", {}, `Run #${run}`),
      ` · ${time} UTC · test set `,
      testLink(data.run),
      ` · look ${facts.look}`,
      facts.commit ? [" · commit ", el("code", {}, facts.commit)] : null,
      facts.version ? ` · assay ${facts.version}` : null,
      " ",
      tagLinks(facts.tags),
    ),
    steps.length
      ? el(
          "p",
          { class: "steps" },
          el("span", { class: "quiet" }, "Runs of this model: "),
          steps.map((one, i) => [i ? " · " : null, one]),
        )
      : null,
  );
}

function comparedHeader({ runs, notes }) {
  return el(
    "div",
    { class: "ofRun" },
    el(
      "ul",
      {},
      runs.map((one) =>
        el(
          "li",
          {},
          runLink(one.run, `#${one.run} `, named(one.model)),
          ` · ${one.time} UTC · test set `,
          testLink(one),
        ),
      ),
    ),
    notes.map((text) => el("p", { class: "pairing" }, text)),
  );
}

page.prepend(navigation(null), data.run ? runHeader(data.run) : comparedHeader(data.compared));
