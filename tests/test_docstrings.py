"""Docstrings of public functions: what each takes, returns and raises, with an example, and that it is true."""

import builtins
import contextlib
import doctest
import importlib
import inspect
import io
import re

import pytest
from support.site_tools import site_tool

from assay import errors
from assay.errors import AssayError

REFUSED = {"confidence": 95, "alternative": "sideways", "method": "nonsense"}
# Arithmetic on numbers, and functions of which nothing that is passed can be refused.
NOTHING = """
    datasets.messages inference.mover inference.mover_function inference.pabak inference.delong
    inference.hanley_mcneil inference.newcombe_variance inference.average_precision_variance
    inference.stratified_variance inference.cluster_variance inference.cluster_jackknife
    inference.design_effect inference.kish inference.effective_counts inference.chi_square_p
    inference.f_p inference.obuchowski_variance inference.equal_binormal_variance
    inference.binormal_variance inference.binormal_covariance metrics.catalogue metrics.each
    metrics.each_output metrics.pooled metrics.ratio metrics.root plots.simplify.simplified resampling.leave_group_out
    resampling.leave_one_out threads
"""
RAISES_NOTHING = {f"assay.{name}" for name in re.findall(r"[\w.]+", NOTHING)}


def _functions():
    pages = site_tool("api_pages").subjects()
    names = [name for _, names in pages.values() for name in names if not name.startswith("assay.torch.")]
    functions = {name: _object(name) for name in names}
    return {name: it for name, it in functions.items() if callable(it) and not inspect.isclass(it)}


def _object(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def _sections(text):
    """Return the sections of a docstring by their headings, the first lines under ""."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _entries(section):
    """Return the names that a section describes: its lines that are not indented."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    return [name.strip(" *") for line in lines for name in line.split(",")]


FUNCTIONS = _functions()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_says_what_it_takes_returns_and_raises(name):
    """Summary, parameters as in the signature, what is returned, what is raised, and an example."""
    function = FUNCTIONS[name]
    sections = _sections(
        re.sub(rf"^{function.__name__}\(.*\n\n", "", inspect.getdoc(function))
    )  # of the kernel
    summary = sections[""].split("\n\n")[0]
    assert summary.endswith(".")
    assert "Returns" in sections or "Yields" in sections
    assert ">>>" in sections["Examples"]
    with contextlib.suppress(ValueError):  # functions of the kernel have no signature
        parameters = list(inspect.signature(inspect.unwrap(function)).parameters)
        assert sorted(_entries(sections.get("Parameters", ""))) == sorted(parameters)
    raised = _entries(sections.get("Raises", ""))
    assert (not raised) == (name in RAISES_NOTHING)
    sklearn = importlib.import_module("assay.sklearn")
    for error in raised:
        assert any(hasattr(home, error) for home in (errors, sklearn, builtins)), error


CHECKED = [
    (name, parameter)
    for name, function in FUNCTIONS.items()
    for parameter in REFUSED
    if not name.startswith(("assay.plots", "assay.sklearn", "assay.decisions"))
    and parameter in getattr(inspect.unwrap(function), "__annotations__", {})
]


@pytest.mark.parametrize(("name", "parameter"), CHECKED)
def test_what_a_function_says_it_raises_it_raises(name, parameter, monkeypatch):
    """The call of its example, with a value that makes no sense, ends in an error that the docstring names."""
    function = FUNCTIONS[name]
    home, _, short = name.rpartition(".")
    calls = []

    def recorder(*args, **kwargs):
        calls.append((args, kwargs))
        return function(*args, **kwargs)

    names = {**vars(importlib.import_module(inspect.unwrap(function).__module__)), short: recorder}
    monkeypatch.setattr(importlib.import_module(home), short, recorder)
    with contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(inspect.getdoc(function)):
            if f"import {short}" not in example.source:
                exec(compile(example.source, name, "exec"), names)  # noqa: S102 - our own examples
            if calls:
                break
    args, kwargs = calls[0]
    bound = inspect.signature(inspect.unwrap(function)).bind(*args, **kwargs)
    bound.arguments[parameter] = REFUSED[parameter]
    raised = _entries(_sections(inspect.getdoc(function))["Raises"])
    with pytest.raises(AssayError) as error:
        function(*bound.args, **bound.kwargs)
    assert any(issubclass(type(error.value), getattr(errors, base)) for base in raised), type(error.value)


@pytest.mark.parametrize("name", ["threads", "set_threads"])
def test_the_examples_of_the_kernels_functions_run(name):
    """They are written in C++, where no other test looks."""
    function = _object(f"assay.{name}")
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(function), {}, name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(example) == (0, len(example.examples))
