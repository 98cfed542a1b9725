"""The shape of the package, held by its own source: who may import whom, and what an import costs."""

import ast
import collections
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import _kernels

SOURCE = Path(assay.__file__).parent
# A stage imports only from its left.
STAGES = [
    "escape", "hints", "errors", "output_files", "temporary_files", "kernels", "device", "formatting", "inputs", "datasets", "tallies",
    "engines",
    "metrics", "inference", "raters", "repeated_runs", "preferences", "crosstable", "decisions", "resampling", "evaluation", "ledgers", "comparison", "crossvalidation",
    "plans", "plots", "reports", "server", "sklearn", "torch", "cli", "pytest_plugin", "__main__",
]  # fmt: skip
# Results are data: they reach plots and reports only by the methods of these files, which import inside.
SHORTCUTS = {
    "comparison/shortcuts.py", "crosstable/shortcuts.py", "crossvalidation/shortcuts.py",
    "evaluation/shortcuts.py", "evaluation/slices/shortcuts.py", "ledgers/shortcuts.py", "preferences/shortcuts.py",
    "raters/shortcuts.py",
    "repeated_runs/shortcuts.py",
}  # fmt: skip
FORBIDDEN = {"metrics": {"inputs", "kernels"}}  # a formula never sees rows
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py" or path.parent != SOURCE)


def stage_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_stages(path, *, inside_functions=True):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    within = {id(node) for outer in ast.walk(tree) if _runs_later(outer) for node in ast.walk(outer)}
    for node in ast.walk(tree):
        if not inside_functions and id(node) in within:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "assay":
            parts = node.module.split(".")[1:]
            yield from (
                [parts[0]] if parts else [alias.name for alias in node.names if alias.name != "__version__"]
            )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("assay."):
                    yield alias.name.split(".")[1]


def _runs_later(node):
    """Tell whether a node's imports are not made with its module: in functions, and for type checkers."""
    types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return types or isinstance(node, ast.FunctionDef)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_stage_imports_only_from_its_left(path):
    """No module imports a stage to its right, and formulas never import rows or kernels."""
    stage = stage_of(path)
    assert stage in STAGES, f"{stage} has no place in the order of stages"
    shortcut = str(path.relative_to(SOURCE)) in SHORTCUTS
    for other in imported_stages(path, inside_functions=not shortcut):
        if other == "_kernels":
            assert stage == "kernels", "only kernels.py opens the door to C++"
            continue
        assert STAGES.index(other) <= STAGES.index(stage), f"{stage} imports {other}"
        assert other not in FORBIDDEN.get(stage, set()), f"{stage} imports {other}"


def test_shortcuts_reach_to_the_right_and_nothing_else_is_named_like_them():
    """Every `shortcuts.py` is listed, and each of them needs to be."""
    assert {str(path.relative_to(SOURCE)) for path in FILES if path.name == "shortcuts.py"} == SHORTCUTS
    for name in SHORTCUTS:
        stage = STAGES.index(stage_of(SOURCE / name))
        assert any(STAGES.index(other) > stage for other in imported_stages(SOURCE / name))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_opens_with_a_sentence_and_stays_readable(path):
    """Every module says what it is and is of a size one can hold in mind, what its docstrings list apart."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    documented = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
    ]
    docstrings = sum(node.body[0].end_lineno - node.body[0].lineno + 1 for node in documented)
    assert len(text.splitlines()) - docstrings <= 430


def test_public_names_are_listed_once_and_exist():
    """The lazy table and the type checker's imports name the same things; `__all__` is what help() shows."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    imports = [
        (node.module, alias)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay")
        for alias in node.names
    ]
    assert all(alias.asname == alias.name for _, alias in imports)  # public to type checkers
    typed = {alias.name for module, alias in imports if module != "assay"}
    assert set(assay._HOME_OF) == typed
    assert set(assay._PARTS) == {alias.name for module, alias in imports if module == "assay"}
    assert set(assay.__all__) < typed
    assert set(dir(assay)) == typed | {"__version__", *assay._PARTS}
    for name in dir(assay):
        assert getattr(assay, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = assay.nonsense


def test_the_stub_names_what_the_compiled_module_offers():
    """Every kernel is in the stub with its parameters, and nothing else is."""
    stub = ast.parse((SOURCE / "_kernels.pyi").read_text(encoding="utf-8"))
    said = {
        node.name: [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }
    compiled = {name: getattr(_kernels, name) for name in dir(_kernels) if not name.startswith("_")}
    assert set(said) == set(compiled)
    for name, function in compiled.items():
        signature = function.__doc__.split("\n")[0]
        assert re.findall(r"(\w+): ", signature.split(" -> ")[0]) == said[name], name


def test_importing_assay_imports_nothing_heavy():
    """`import assay` and a tally of arrays load none of the libraries a caller may or may not have."""
    script = (
        "import sys, numpy as np, assay;"
        "assay.Confusion.of(assay.rows(actual=np.array([0, 1]), predicted=np.array([0, 1])));"
        "print(' '.join(sys.modules))"
    )
    loaded = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = (
        "pandas polars pyarrow scipy duckdb sklearn matplotlib pyspark narwhals torch jax rich click arro3"
    )
    assert not set(heavy.split()) & set(loaded)


def test_a_bare_import_does_not_load_numpy():
    """`import assay` alone costs nothing: even NumPy waits for the first use."""
    script = "import sys, assay; print('numpy' in sys.modules)"
    out = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "False"


def test_versions_agree():
    """The version is said in two places, and they say the same."""
    project = SOURCE.parents[1] / "pyproject.toml"
    if not project.exists():
        pytest.skip("an installed package has no pyproject.toml beside it")
    found = re.search(r'^version = "(.+)"$', project.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    assert found[1] == assay.__version__


def test_the_example_of_a_metric_is_a_real_one():
    """How to add a metric is shown with lines that stand in the catalogue and in its oracles."""
    root = SOURCE.parents[1]
    page = root / "CONTRIBUTING.md"
    if not page.exists():
        pytest.skip("no sources beside the package")
    block = page.read_text(encoding="utf-8").split("  ```python\n")[1].split("  ```\n")[0]
    lines = [line.removeprefix("  ") for line in block.splitlines() if line.strip() and "# " not in line[:4]]
    text = "".join(
        (root / path).read_text(encoding="utf-8")
        for path in ("src/assay/metrics/classification/rates.py", "tests/support/oracles/rates.py")
    )
    assert len(lines) > 5
    for line in lines:
        assert line in text


# A file name stands in two folders only where both are about the same thing: the families of metrics, and the
# results and commands that are computed in one stage and shown in another.
FAMILIES = {"confusion", "ranking", "probability", "regression", "multilabel", "row_means"}
SAME_SUBJECT = {
    *("agreement", "auc", "curves", "deviance", "moments", "multioutput", "rates"),  # the drop-in's metrics
    *(
        "comparison",
        "crosstable",
        "learning_curve",
        "per_class",
        "arena",
        "procedures",
        "repeats",
        "slices",
        "summary",
    ),  # results
    *("check", "compare", "crossval", "evaluate", "split"),  # commands and the functions they call
    "ledger",  # and the command that verifies it
    "shortcuts",  # one for each folder of results
}


def test_a_file_name_means_one_thing():
    """No file name stands in two folders, but for families and for the same subject in two stages."""
    folders = collections.defaultdict(set)
    for path in FILES:
        if path.name != "__init__.py":
            folders[path.stem].add(path.parent)
    repeated = {name for name, places in folders.items() if len(places) > 1}
    assert repeated <= FAMILIES | SAME_SUBJECT
    assert repeated >= SAME_SUBJECT, "names that no longer stand twice need no exception"


def test_a_class_name_means_one_thing():
    """No two classes have one name."""
    homes = collections.defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
