"""Settings of Sphinx for the documentation: read by ``tools/site/build.py``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import assay

project = "assay"
author = "the assay authors"
copyright = "the assay authors"  # noqa: A001 - Sphinx reads this name
version = release = assay.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "citations"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_dmath_double_inline = True
default_role = "literal"
add_module_names = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
pygments_style = "tango"
trim_doctest_flags = True

html_theme = "pydata_sphinx_theme"
html_title = f"assay {release}"
html_static_path = ["static"]
templates_path = ["templates"]
html_css_files = ["site.css"]
html_js_files = [
    ("../../versions.js", {"defer": "defer"}),
    ("search-index.js", {"defer": "defer"}),
    ("search.js", {"defer": "defer"}),
]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_additional_pages = {"search": "search.html"}
html_sidebars = {
    page: [] for page in ("index", "search", "gallery/**", "glossary", "bibliography", "genindex")
}
html_theme_options = {
    "logo": {"text": "assay"},
    "github_url": "https://github.com/assay-metrics/assay",
    "header_links_before_dropdown": 6,
    "navbar_end": ["version-select", "theme-switcher", "navbar-icon-links"],
    "navbar_persistent": ["search-button-field"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "search_bar_text": "Search the docs",
}
suppress_warnings = ["config.cache", "ref.python"]  # a type that two modules export has two places


def setup(app: object) -> None:
    """Leave Sphinx's own search out: search.js is ours."""
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # type: ignore[attr-defined]
