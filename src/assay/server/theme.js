// Light or dark stays as it was chosen from page to page; a browser may forbid to remember it.
function rememberTheme() {
  const root = document.documentElement;
  try {
    const before = localStorage.getItem("assay-theme");
    if (before) root.dataset.theme = before;
    new MutationObserver(() => localStorage.setItem("assay-theme", root.dataset.theme ?? "")).observe(root, {
      attributeFilter: ["data-theme"],
    });
  } catch {
    // The system's colours, then.
  }
}

rememberTheme();
