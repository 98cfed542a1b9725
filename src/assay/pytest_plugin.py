"""The pytest plugin: a fixture that checks a model by a plan, and fails the test where it is not met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.plans.check_result import PlanCheck

__all__ = ["assay_check", "pytest_addoption"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add where looks are counted."""
    text = "the ledger that counts looks at test sets for assay_check: a file or the URL of a server"
    parser.getgroup("assay").addoption("--assay-ledger", metavar="URL", help=text)
    parser.addini("assay_ledger", text)


@pytest.fixture
def assay_check(request: pytest.FixtureRequest) -> Callable[..., PlanCheck]:
    """Return a function that checks predictions as :func:`assay.check` does, and fails the test if it must.

    It takes the same arguments, and returns the check where the plan is met. The ledger is that of
    ``--assay-ledger`` or of ``assay_ledger`` in the configuration, unless the test names another::

        def test_the_model_may_be_released(assay_check):
            assay_check("plan.toml", "new.parquet", against="old.parquet")
    """
    configured = request.config.getoption("--assay-ledger") or request.config.getini("assay_ledger") or None

    def check(plan: Any, data: Any, **options: Any) -> PlanCheck:
        from assay.plans.check import check as check_plan  # noqa: PLC0415 - loaded for those who use it

        try:
            result = check_plan(plan, data, **{"ledger": configured, **options})
        except PlanError as error:
            pytest.fail(f"assay_check: {error}", pytrace=False)
        properties = {"plan": result.plan.name, "sha256": result.plan.sha256, "look": result.look}
        request.node.user_properties += [(f"assay {name}", value) for name, value in properties.items()]
        if not result.met:
            pytest.fail(result.text(), pytrace=False)
        request.node.add_report_section("call", "assay", result.text())
        return result

    return check
