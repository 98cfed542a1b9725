"""Write what the code or one document knows into others: the catalogue, its length, measured coverage."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

page, readme = ROOT / "docs" / "reference" / "metrics" / "index.md", ROOT / "README.md"
tables = subprocess.check_output([sys.executable, "-m", "assay", "metrics", "--markdown"], text=True)
opening = page.read_text(encoding="utf-8").split("\n## ")[0].rstrip()
page.write_text(f"{opening}\n\n{tables}", encoding="utf-8")
text = readme.read_text(encoding="utf-8")
count = tables.count("\n| **")
readme.write_text(re.sub(r"catalogue of \d+", f"catalogue of {count}", text), encoding="utf-8")

# The worst cell of each metric in the coverage study, for the module that `assay metrics NAME` reads.
columns, rows = [], {}
for line in (ROOT / "docs" / "explanation" / "coverage.md").read_text(encoding="utf-8").splitlines():
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if line.startswith("| metric | cells | low | method"):
        columns = cells
    elif columns and line.startswith("| ") and len(cells) == len(columns):
        cell = dict(zip(columns, cells, strict=True))
        if cell["worst"]:
            numbers = f"{int(cell['cells'])}, {int(cell['low'] or 0)}, {float(cell['worst'])}"
            rows.setdefault(cell["metric"], f'({numbers}, "{cell["family"]}: {cell["in"]}")')
lines = [
    '"""Measured coverage of 95% intervals: settings, those too low, the worst and where."""',
    "\nfrom __future__ import annotations\n\nfrom typing import Final\n",
    '__all__ = ["MEASURED"]\n',
    "MEASURED: Final[dict[str, tuple[int, int, float, str]]] = {",
    *(f'    "{name}": {row},' for name, row in rows.items()),
    "}\n",
]
module = ROOT / "src" / "assay" / "reports" / "measured_coverage.py"
module.write_text("\n".join(lines), encoding="utf-8")
subprocess.run([sys.executable, "-m", "ruff", "format", "-q", module], check=True)
