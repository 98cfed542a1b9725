"""A check as JUnit's XML and as GitHub's workflow commands, hostile names and all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import assay
from assay.cli import main
from assay.plans.check_formats import annotation, github_annotations, junit_xml

HOSTILE = "a\r\nb ::error::x %0A <b>&\"'\x00\x1b[31m\uffff, é"


def result(name: str = "churn", reason: str = "it is 0.5", *, met: bool = False) -> Any:
    """Return what the formats read of a check."""
    requirement = SimpleNamespace(canonical=f"recall >= 0.9 in at={name}")
    lines = (
        SimpleNamespace(requirement=requirement, met=met, reason=reason),
        SimpleNamespace(requirement=SimpleNamespace(canonical="auc >= 0.8"), met=True, reason=""),
    )
    plan = SimpleNamespace(name=name, sha256="ab12")
    failures = [line for line in lines if not line.met]
    return SimpleNamespace(
        plan=plan, model=name, results=lines, failures=failures, look=2, n=600, verdict=f"{name}: all are met"
    )


@pytest.mark.parametrize("name", ["churn", HOSTILE])
def test_junit_is_xml_with_a_case_for_each_requirement(name: str) -> None:
    """Whatever the names are, it parses, and the failure has its reason."""
    root = ET.fromstring(junit_xml(result(name, f"it is {name}")))  # noqa: S314 - our own
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "2", "1")
    (suite,) = root
    first, second = suite.findall("testcase")
    (failure,) = first
    assert failure.get("message", "").startswith("it is ")
    assert second.get("name") == "auc >= 0.8"
    assert not list(second)
    assert {each.get("name"): each.get("value") for each in suite.iter("property")} == {
        "sha256": "ab12", "look": "2", "rows": "600",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["churn", HOSTILE])
def test_annotations_are_one_command_a_line(name: str) -> None:
    """A name can neither end the command nor begin another."""
    (line,) = github_annotations(result(name, f"it is {name}"))
    assert "\n" not in line
    assert "\r" not in line
    assert "\x1b" not in line
    head, _, message = line.removeprefix("::").partition("::")
    assert head.startswith("error title=plan ")
    assert not set(head.removeprefix("error title=")) & set(":,")
    assert message.startswith("recall >= 0.9 in at=")
    assert github_annotations(result(met=True)) == ["::notice title=plan churn::churn: all are met by churn"]
    assert annotation("error", "100%", "a") == "::error title=a::100%25"


def test_the_command_line_writes_every_form(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """A file of XML, commands on standard error, the summary of the job appended to what is there."""
    monkeypatch.chdir(tmp_path)
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    lines = [f"{index},{index % 2},{index % 2 if index % 10 else 1 - index % 2}" for index in range(200)]
    (tmp_path / "preds.csv").write_text("\n".join(["id,y,z", *lines]), encoding="utf-8")
    plan = assay.plan(
        name="a|b", requirements=["accuracy >= 0.7", "recall >= 0.99"], actual="y", predicted="z", key="id"
    )
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    assert main(["seal", "plan.toml", "--test-set", "preds.csv", "--quiet"]) == 0
    capfd.readouterr()
    words = ["check", "plan.toml", "preds.csv", "--github", "--junit", "gate.xml", "--markdown"]
    assert main([*words, "--output", "comment.md"]) == 1
    out, err = capfd.readouterr()
    assert not out
    assert err.startswith("::error title=plan a|b::recall >= 0.99: it is 1, but may be as low as 0.9")
    comment = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### ❌ a\\|b: 1 of 2 requirements is NOT met")
    assert summary.read_text(encoding="utf-8") == f"before\n{comment}\n"
    assert ET.parse(tmp_path / "gate.xml").getroot().get("failures") == "1"  # noqa: S314 - our own

    (tmp_path / "plan.toml").write_text(plan.to_toml().replace("0.7", "0.6"), encoding="utf-8")
    assert main(words) == 3
    err = capfd.readouterr().err
    assert err.startswith("::error title=assay check plan.toml::")
    assert "requirements changed" in summary.read_text(encoding="utf-8")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert main(words) == 3


def test_no_name_of_an_error_begins_a_heading_of_the_summary(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """Errors quote names from the rows: these end neither a line nor a block of code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    rows = {"id": list(range(40)), "y": [0, 1] * 20, "z": [0, 1] * 20}
    at = [*["a\n```\n# all met <img>\n"] * 20, *["b"] * 20]
    plan = assay.plan(
        {**rows, "at": at}, requirements="recall >= 0.5 in every at", actual="y", predicted="z", key="id"
    )
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    assert main(["seal", "plan.toml"]) == 0
    pd.DataFrame({**rows, "at": ["b"] * 40}).to_parquet("other.parquet")
    assert main(["check", "plan.toml", "other.parquet", "--github"]) == 3
    heading, _, text, *rest = (tmp_path / "summary.md").read_text(encoding="utf-8").split("\n")
    assert heading == "### ❌ assay check"
    assert r"\`\`\` \# all met \<img\>" in text
    assert not any(rest)
    assert "%0A" in capfd.readouterr().err.splitlines()[0]
