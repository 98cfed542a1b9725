const messagePage = () => [el("p", {}, data.text), el("p", {}, link("", {}, {}, "All runs"))];

// The page that the data are of.
const page = document.getElementById("page");
const PAGES = {
  runs: runsPage,
  tests: testSetsPage,
  test: testSetPage,
  trends: trendsPage,
  slices: slicesPage,
  plans: plansPage,
  message: messagePage,
};
page.className = "wide";
page.append(
  navigation(data.kind === "test" ? "tests" : data.kind),
  el("header", {}, el("h1", { dir: "auto" }, data.title), themeButton()),
  ...[PAGES[data.kind]()].flat(Infinity).filter(Boolean),
);
backToField();
