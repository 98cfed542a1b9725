"""Write the catalogue of metrics into its page, below what is written by hand, and their number."""

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
