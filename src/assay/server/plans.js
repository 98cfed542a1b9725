// Plans: what each asks for, how many looks it has left, and which checks met it.

const verdict = (met) => el("span", { class: met ? "met" : "notMet" }, met ? "✓ met" : "✗ not met");

function checkCell(requirement, result) {
  if (!result) return el("td", { class: "forest", "data-name": requirement }, "–");
  return el(
    "td",
    { class: "forest", "data-name": requirement, "data-text": JSON.stringify(result.text) },
    el("span", { class: result.met ? "met" : "notMet" }, result.met ? "✓ " : "✗ "),
    el("span", { class: "hidden" }, result.met ? "met: " : "not met: "),
    el("span", { class: "number" }, result.text[0] ?? "–"),
    " ",
    el("span", { class: "number quiet" }, interval(result.text)),
    result.note ? el("small", {}, result.note) : null,
  );
}

const checkTable = (plan) =>
  scrolled(
    `Checks of ${isolated(plan.name)}`,
    el(
      "table",
      { class: "slices folded runs checks" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["model", "", "checked (UTC)", "look", ...plan.requirements].map((word) =>
            el(
              "th",
              { scope: "col", class: word === "look" ? "number" : null },
              word || el("span", { class: "hidden" }, "met"),
            ),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        plan.checks.map((check) =>
          el(
            "tr",
            {},
            el(
              "th",
              { scope: "row" },
              check.model ? link("", { q: check.model }, {}, named(check.model)) : "–",
            ),
            el("td", { class: "verdict" }, verdict(check.met)),
            el("td", { class: "when" }, check.time, el("small", {}, `#${check.run}`)),
            el("td", { class: "number look", "data-name": "look" }, check.look ?? "–"),
            plan.requirements.map((text, i) => checkCell(text, check.results[i])),
          ),
        ),
      ),
    ),
  );

function planSection(plan) {
  const [latest] = plan.checks;
  const facts = [
    plan.sealed ? `sealed ${plan.sealed} UTC` : "not sealed in this ledger",
    plan.rows ? plural(plan.rows, "row") : null,
    plan.allowed ? `${count(plan.used)} of ${plural(plan.allowed, "look")} used` : plural(plan.used, "look"),
  ].filter(Boolean);
  const reasons = latest
    ? latest.results.map((result, i) => [plan.requirements[i], result?.reason]).filter(([, why]) => why)
    : [];
  return section(
    plan.name || "a plan",
    el(
      "p",
      { class: "facts" },
      facts.join(" · "),
      plan.test ? [" · test set ", testLink(plan)] : null,
      " · sha256 ",
      el("code", {}, plan.sha256),
    ),
    latest
      ? [
          checkTable(plan),
          reasons.length
            ? [
                el("p", { class: "quiet" }, "Why the latest check is not met:"),
                el(
                  "ul",
                  { class: "reasons" },
                  reasons.map(([text, why]) => el("li", {}, el("b", {}, text), `: ${why}`)),
                ),
              ]
            : null,
          plan.left_out
            ? el("p", { class: "quiet" }, `${plural(plan.left_out, "older check")} left out.`)
            : null,
        ]
      : [
          el("p", {}, "Not checked yet. It asks for:"),
          el(
            "ul",
            {},
            plan.requirements.map((text) => el("li", {}, text)),
          ),
        ],
  );
}

const plansPage = () =>
  data.plans.length
    ? [
        el(
          "p",
          { class: "quiet" },
          "A plan says what counts as good before results are seen. Each check used intervals that hold for all looks and requirements of its plan together.",
        ),
        data.plans.map(planSection),
        data.left_out
          ? el("p", { class: "quiet" }, `${plural(data.left_out, "older plan")} left out.`)
          : null,
      ]
    : nothingThere(
        "No plan is sealed in this ledger. A plan says what counts as good before results are seen:",
        `assay seal plan.toml --test-set preds.csv --ledger ${data.site.ledger}`,
      );
