"""What the tests share: parts that cannot run under a sanitizer are hidden from them."""

import os
import sys

import pytest

try:
    import hypothesis
except ModuleNotFoundError:  # in the environment of Spark, whose tests do without it
    pass
else:  # a busy machine may take a second for what takes a millisecond: time limits would fail by luck
    hypothesis.settings.register_profile("no time limit", deadline=None)
    hypothesis.settings.load_profile("no time limit")


class WithoutPolars:
    """An importer that knows no Polars."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        """Refuse Polars, and leave all else to the importers behind."""
        if name.partition(".")[0] == "polars":
            raise ModuleNotFoundError(
                "Polars crashes under TSan: it brings an allocator and threads of its own"
            )


if os.environ.get("ASSAY_SANITIZER") == "thread":
    sys.meta_path.insert(0, WithoutPolars)


@pytest.fixture(scope="session")
def browser():
    """Yield Chromium, for the tests of pages."""
    from support.browser import BROWSER  # noqa: PLC0415 - not before Polars is hidden

    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (requirements/dev.lock)")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()
