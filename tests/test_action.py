"""The GitHub Action: its script, run by bash as the runner does."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

import assay
from assay.plans.plan_seal import write_seal

ACTION = Path(__file__).parents[1] / "action.yml"
BASH = shutil.which("bash")
SCRIPT = pytest.mark.skipif(BASH is None, reason="there is no bash")


@pytest.fixture(scope="module")
def action():
    """Return the action as data."""
    return yaml.safe_load(ACTION.read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path):
    """Return a folder with a sealed plan and predictions."""
    rows = pd.DataFrame({"id": range(300), "y": [0, 1] * 150})
    for name, wrong in (("new", 20), ("old file", 12), ("bad", 3)):
        rows.assign(z=rows.y.where(rows.id % wrong != 0, 1 - rows.y)).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    plan = assay.plan(
        requirements=["accuracy >= 0.8", "accuracy no worse than production by 0.05"], actual="y",
        predicted="z", key="id", looks=2,
    )  # fmt: skip
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    write_seal(tmp_path / "plan.toml", str(tmp_path / "new.csv"))
    return tmp_path


def run(action, project, **inputs):
    """Run the step that checks, with inputs as the runner passes them; return the process and its outputs."""
    (step,) = (step for step in action["runs"]["steps"] if step.get("id") == "check")
    stated = {name: each.get("default", "") for name, each in action["inputs"].items()}
    stated |= {name.replace("_", "-"): value for name, value in inputs.items()}
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: stated[match[1]], value)
        for name, value in step["env"].items()
    }
    for name in ("output", "summary"):
        (project / name).write_text("", encoding="utf-8")
    folder = str(Path(sys.executable).parent)
    environment = os.environ | variables | {
        "GITHUB_OUTPUT": str(project / "output"), "GITHUB_STEP_SUMMARY": str(project / "summary"),
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    done = subprocess.run(  # noqa: S603
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done, (project / "output").read_text(encoding="utf-8")


def test_no_input_is_part_of_a_script(action):
    """An input that is pasted into a script could end it and begin another."""
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
    used = " ".join(str(step) for step in action["runs"]["steps"])
    for name in action["inputs"]:
        assert f"inputs.{name} " in used, name


@SCRIPT
@pytest.mark.slow
def test_exit_codes_outputs_and_files(action, project):
    """0 and 1 with annotations, the summary and files; 4 when looks are spent; 3 for another test set; 2."""
    stated = {
        "plan": "plan.toml", "predictions": "new.csv", "against": "production=old file.csv\n", "ledger": "book.db",
        "junit": "gate.xml", "markdown": "comment.md", "name": "v2; echo injected",
    }  # fmt: skip
    done, output = run(action, project, **stated)
    assert (done.returncode, output) == (0, "code=0\n"), done.stderr
    assert done.stderr.startswith("::notice title=plan plan::")
    assert "v2; echo injected against production" in (project / "summary").read_text(encoding="utf-8")
    assert (project / "comment.md").exists()
    assert (project / "gate.xml").exists()
    done, output = run(action, project, **stated | {"predictions": "bad.csv"})
    assert (done.returncode, output) == (1, "code=1\n")
    assert "::error title=plan plan::accuracy >= 0.8" in done.stderr
    bad = pd.read_csv(project / "bad.csv")
    bad.assign(z=1 - bad.z).to_csv(project / "bad.csv", index=False)
    assert run(action, project, **stated | {"predictions": "bad.csv"})[1] == "code=4\n"
    bad.assign(id=bad.id + 7).to_csv(project / "bad.csv", index=False)
    assert run(action, project, **stated | {"predictions": "bad.csv"})[1] == "code=3\n"
    assert run(action, project, **stated | {"against": "none.csv"})[1] == "code=2\n"
    assert run(action, project, **stated | {"predictions": "$(touch injected)"})[1] == "code=2\n"
    assert not (project / "injected").exists()
