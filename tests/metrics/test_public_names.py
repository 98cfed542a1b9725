"""Names of assay.metrics: what a type checker is told is what the declarations say (see typed_use.py)."""

import ast
import keyword
from pathlib import Path

import assay.metrics
from assay.metrics import catalogue

SOURCE = Path(assay.metrics.__file__).read_text(encoding="utf-8")


def test_every_metric_is_a_public_name():
    """Each is imported by name, in the order of the catalogue's modules, and listed."""
    names = [metric.name for metric in catalogue()]
    assert set(names) < set(assay.metrics.__all__)
    assert dir(assay.metrics) == sorted(assay.metrics.__all__)
    assert all(getattr(assay.metrics, metric.name) is metric for metric in catalogue())
    assert set(names) <= vars(assay.metrics).keys()


def test_every_alias_is_known_to_a_type_checker():
    """The block that only type checkers read has each alias that can be written as a name, and no other."""
    block = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    listed = {(target.id, assignment.value.id) for assignment in block.body for target in assignment.targets}
    declared = {
        (alias, metric.name)
        for metric in catalogue()
        for alias in metric.aliases
        if alias.isidentifier() and not keyword.iskeyword(alias)
    }
    assert listed == declared
