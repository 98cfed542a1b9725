"""The example notebooks as pages, with what they printed and drew when they were last run (the tests compare)."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write"]


def write(notebooks: Path, folder: Path) -> None:
    """Write a page of every notebook, and its pictures."""
    for path in sorted(notebooks.glob("*.ipynb")):
        lines: list[str] = []
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                lines += [source, ""]
                continue
            lines += ["```python", source, "```", ""]
            for output in cell["outputs"]:
                lines += [*_output(output, folder / f"{path.stem}-{number}.png"), ""]
        link = f"https://github.com/assay-metrics/assay/blob/main/docs/notebooks/{path.name}"
        lines += [f"[This page as a notebook]({link})", ""]
        (folder / f"{path.stem}.md").write_text("\n".join(lines), encoding="utf-8")


def _output(output: dict[str, Any], picture: Path) -> list[str]:
    """Return the lines of an output of a cell."""
    data = output.get("data", {})
    if "image/png" in data:
        picture.write_bytes(base64.b64decode("".join(data["image/png"])))
        return [f"![What the lines above draw]({picture.name})"]
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return ["```text", text.rstrip("\n"), "```"] if text else []
