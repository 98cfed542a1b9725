"""The page: one self-contained HTML file with the metrics, the curves and a threshold that can be moved.

It is made of plain data that was taken from tallies, shipped as JSON, so that its size does not grow
with the rows. The script and the style beside these modules draw it; nothing is fetched.
"""

from assay.reports.page.document import as_html, write

__all__ = ["as_html", "write"]
