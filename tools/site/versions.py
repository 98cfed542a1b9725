"""Versions of the site side by side: a folder each, a list for the selector, and a door to the newest.

``python tools/site/versions.py SITE`` writes the list and the door anew after a version's folder was put there.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

__all__ = ["write"]

DOOR = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>assay</title>
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<a href="{newest}/index.html">assay {newest}</a></html>
"""


def write(html: Path, current: str = "") -> None:
    """Write ``versions.js`` and ``index.html`` of the folders of versions that are there."""
    names = {path.parent.name for path in html.glob("*/index.html")} | ({current} if current else set())
    ordered = sorted(names, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    (html / "versions.js").write_text(f"window.assayVersions = {json.dumps(ordered)};\n", encoding="utf-8")
    (html / "index.html").write_text(DOOR.format(newest=ordered[0]), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
