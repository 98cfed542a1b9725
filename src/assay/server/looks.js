// Test sets and the looks at them.

function plainTable(title, heads, rows, { numbers = [], style = "" } = {}) {
  return scrolled(
    title,
    el(
      "table",
      { class: `slices ${style}` },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          heads.map((word, i) =>
            el("th", { scope: "col", class: numbers.includes(i) ? "number" : null }, word),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((cells) =>
          el(
            "tr",
            {},
            cells.map((cell, i) =>
              cell instanceof Element && /^T[HD]$/.test(cell.tagName)
                ? cell
                : el(
                    i ? "td" : "th",
                    {
                      scope: i ? null : "row",
                      class: numbers.includes(i) ? "number" : null,
                      "data-name": heads[i],
                    },
                    cell,
                  ),
            ),
          ),
        ),
      ),
    ),
  );
}

const modelNames = (one) => [
  one.models.map((name, i) => [i ? ", " : null, named(name)]),
  one.more_models ? ` and ${plural(one.more_models, "more")}`.replace("mores", "more") : null,
];

function testSetsPage() {
  if (!data.rows.length) return nothingThere("The ledger has no test set yet: record an evaluation.");
  const rows = data.rows.map((one) => [
    testLink(one),
    one.task,
    count(one.rows),
    count(one.looks),
    one.confidence,
    [link("", { test: one.test }, {}, plural(one.runs, "run")), el("small", {}, modelNames(one))],
    [
      el("span", { class: "unbroken" }, one.last),
      one.first === one.last ? null : el("small", {}, `since ${one.first}`),
    ],
  ]);
  const heads = ["test set", "task", "rows", "looks", "confidence of the next look", "runs", "latest (UTC)"];
  return [
    el(
      "p",
      { class: "quiet" },
      "A look is a set of predictions that was evaluated on these rows. Intervals of all looks hold together, as sure as one of them usually is, if each is made at the confidence of its look.",
    ),
    plainTable("Test sets", heads, rows, { numbers: [2, 3, 4], style: "cards" }),
    data.left_out
      ? el("p", { class: "quiet" }, `${plural(data.left_out, "older test set")} left out.`)
      : null,
  ];
}

function testSetPage() {
  const scales = data.metrics.map((_, i) => scaleOf(data.looks_of.map((row) => row.cells[i])));
  const forAll = data.looks_of.some((row) => row.for_all);
  const [main, ...others] = data.metrics.map((metric) => metric.label);
  const heads = [
    "look",
    "model",
    "first recorded (UTC)",
    "runs",
    main,
    forAll ? `${main}, for all looks` : null,
    ...others,
  ].filter(Boolean);
  const cells = (row) => {
    const found = row.cells.map((text, i) => metricCell(i, text, scales[i]));
    if (forAll) found.splice(1, 0, forAllCell(`${main}, for all looks`, row.for_all));
    return found;
  };
  const table = el(
    "table",
    { class: "slices folded runs looks" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((word) =>
          el("th", { scope: "col", class: word === "look" || word === "runs" ? "number" : null }, word),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      data.looks_of.map((row) =>
        el(
          "tr",
          {},
          el("td", { class: "number look", "data-name": "look" }, count(row.look)),
          el(
            "th",
            { scope: "row" },
            runLink(row.run, row.model ? named(row.model) : `run ${row.run}`),
            tagLinks(row.tags),
          ),
          el("td", { class: "when" }, row.time, el("small", {}, `#${row.run}`)),
          el("td", { class: "number rows", "data-name": row.runs === 1 ? "run" : "runs" }, count(row.runs)),
          cells(row),
        ),
      ),
    ),
  );
  const numbers = data.looks_of.map((row) => row.run);
  const { optimism } = data;
  return [
    el(
      "p",
      { class: "facts" },
      `${data.task} · ${plural(data.rows, "row")}, known by ${data.basis.join(" and ")}`,
      el("br"),
      `${plural(data.looks, "look")} in ${plural(data.runs, "run")}`,
      data.first === data.last ? `, ${data.last} UTC` : `, from ${data.first} to ${data.last} UTC`,
    ),
    el(
      "div",
      { class: "pairing" },
      el(
        "p",
        {},
        `A new model would be ${data.next}. Its intervals hold together with all before at a confidence of ${data.confidence}.`,
      ),
      optimism
        ? el(
            "p",
            {},
            `The best of ${count(optimism.of)} models on ${optimism.label}, `,
            runLink(optimism.run, `#${optimism.run}`),
            `, seems better than it is by up to ${optimism.by} on average, because it was picked.`,
          )
        : null,
    ),
    data.overlaps.length
      ? plainTable(
          "Test sets that share rows",
          ["test set with rows in common", "rows shared", "looks"],
          data.overlaps.map((one) => [testLink(one), one.share, count(one.looks)]),
          { numbers: [1, 2], style: "narrow" },
        )
      : null,
    scrolled("Looks", table),
    el(
      "p",
      {},
      link("", { test: data.test }, {}, "All runs on this test set"),
      numbers.length > 1 && numbers.length <= MOST_COMPARED
        ? [" · ", link("compare", { run: numbers }, {}, "Compare the looks")]
        : null,
      " · ",
      link("trends", { test: data.test }, {}, "Trends"),
    ),
  ];
}

const forAllCell = (name, found) =>
  el(
    "td",
    { class: "forest forAll", "data-name": name, "data-text": found ? "" : null },
    found
      ? [
          el("span", { class: "number quiet" }, found.interval),
          " ",
          el("small", {}, `at ${found.confidence}`),
        ]
      : "–",
  );
