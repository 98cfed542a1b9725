"""A check in the formats of continuous integration: JUnit's XML, and GitHub's annotations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from assay.escape import printable

if TYPE_CHECKING:
    from assay.plans.check_result import PlanCheck

__all__ = ["annotation", "github_annotations", "junit_xml"]

_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def junit_xml(check: PlanCheck) -> str:
    """Return a check as JUnit's XML, a test case for each requirement."""
    size, failed = str(len(check.results)), str(len(check.failures))
    name = _xml_text(f"{check.plan.name} {check.model}")
    root = ET.Element("testsuites", tests=size, failures=failed, errors="0")
    suite = ET.SubElement(root, "testsuite", name=name, tests=size, failures=failed, errors="0", skipped="0")
    properties = ET.SubElement(suite, "properties")
    for key, value in (("sha256", check.plan.sha256), ("look", check.look), ("rows", check.n)):
        ET.SubElement(properties, "property", name=key, value=str(value))
    for result in check.results:
        case = ET.SubElement(
            suite, "testcase", classname=_xml_text(check.plan.name),
            name=_xml_text(result.requirement.canonical), time="0",
        )  # fmt: skip
        if not result.met:
            message = _xml_text(result.reason)
            ET.SubElement(case, "failure", type="NotMet", message=message).text = message
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False)


def github_annotations(check: PlanCheck) -> list[str]:
    """Return a check as GitHub's workflow commands: an error for each requirement that is not met."""
    title = f"plan {check.plan.name}"
    annotations = [
        annotation("error", f"{result.requirement.canonical}: {result.reason}", title)
        for result in check.failures
    ]
    return annotations or [annotation("notice", f"{check.verdict} by {check.model}", title)]


def annotation(kind: str, message: str, title: str) -> str:
    """Return one workflow command; its text can end neither the command nor the line.

    >>> annotation("error", "100% of rows", "plan a,b")
    '::error title=plan a%2Cb::100%25 of rows'
    """
    quoted = _command_text(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={quoted}::{_command_text(message)}"


def _command_text(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _xml_text(text: str) -> str:
    """Return text with characters that XML cannot hold written out."""
    return _NOT_IN_XML.sub("?", printable(text))
