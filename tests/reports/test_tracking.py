"""Evaluations as runs in a real local store of MLflow, each in a process of its own."""

import importlib.util
import json
import os
import sys

import pytest
from support import programs

# MLflow asks before it uses files, starts a reporter in the background, and warns of what it will drop.
SETTINGS = {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
START = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, assay, mlflow
from mlflow.tracking import MlflowClient
uri = f"file://{sys.argv[1]}/store"
client = MlflowClient(tracking_uri=uri)
def evaluation(seed, **more):
    draw = np.random.default_rng(seed)
    actual = draw.integers(0, 2, 200)
    score = np.clip(0.3 * actual + 0.7 * draw.random(200), 0, 1)
    return assay.evaluate(actual=actual, score=score, key=range(200 * seed, 200 * seed + 200), name=f"m{seed}", **more)
def runs(name):
    home = client.get_experiment_by_name(name).experiment_id
    return sorted(client.search_runs([home]), key=lambda run: run.info.start_time)
"""
ONE = """
ev = evaluation(1)
run = client.get_run(ev.log_mlflow(tracking_uri=uri, experiment="spam", tags={"team": "mail"}))
files = sorted(file.path for file in client.list_artifacts(run.info.run_id))
folder = client.download_artifacts(run.info.run_id, "", sys.argv[1])
again = assay.load(f"{folder}/evaluation.assay")
mine = client.create_run(run.info.experiment_id)
assert ev.log_mlflow(run_id=mine.info.run_id, tracking_uri=uri, page=False) == mine.info.run_id
print(json.dumps({
    "metrics": run.data.metrics, "params": run.data.params, "tags": run.data.tags, "status": run.info.status,
    "files": files, "same": again.to_json() == ev.to_json(), "page": open(f"{folder}/report.html").read()[:15],
    "values": {name: [ev[name].value, ev[name].low, ev[name].high] for name in ev},
    "mine": [client.get_run(mine.info.run_id).info.status, len(client.list_artifacts(mine.info.run_id))],
}))
"""
MANY = """
with assay.ledger(f"{sys.argv[1]}/ledger.db") as book:
    for seed in (1, 2, 3):
        evaluation(seed, ledger=book, tags=["nightly"])
    book.append("plan", {"name": "churn"})
    counts = [len(book.to_mlflow(tracking_uri=uri, page=False)) for _ in range(2)]
    evaluation(4, ledger=book)
    counts.append(len(book.to_mlflow(tracking_uri=uri, page=False, model="m4")))
    found = runs("assay")
    print(json.dumps({
        "counts": counts,
        "names": [run.info.run_name for run in found],
        "auc": [run.data.metrics["auc"] for run in found],
        "stored": [entry.payload["estimates"]["auc"]["value"] for entry in book.entries(kind="evaluation")],
        "tags": found[0].data.tags["assay.tags"],
    }))
"""


def printed(script, folder):
    if importlib.util.find_spec("mlflow") is None:
        pytest.skip("MLflow is not installed: pip install mlflow-skinny")
    environment = os.environ | SETTINGS
    done = programs.run_script(START + script, str(folder), env=environment, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_an_evaluation_is_a_run_with_its_page_and_tally(tmp_path):
    """Each metric has its value and both limits; the tally that comes back is the same evaluation."""
    assert sys.executable
    found = printed(ONE, tmp_path)
    for name, (value, low, high) in found["values"].items():
        logged = [found["metrics"].get(f"{name}{end}") for end in ("", ".low", ".high")]
        assert logged == [value, low, high], name
    assert found["files"] == ["evaluation.assay", "report.html", "summary.md"]
    assert found["same"]
    assert found["page"].lower() == "<!doctype html>"
    assert (found["params"]["task"], found["params"]["rows"]) == ("binary", "200")
    assert (found["tags"]["team"], found["tags"]["mlflow.runName"]) == ("mail", "m1")
    assert found["status"] == "FINISHED"
    assert found["mine"] == ["RUNNING", 2]


@pytest.mark.slow
def test_a_ledger_is_sent_once(tmp_path):
    """Each evaluation is a run with its own time; a second call sends what is new, and nothing else."""
    found = printed(MANY, tmp_path)
    assert found["counts"] == [3, 0, 1]
    assert found["names"] == ["m1", "m2", "m3", "m4"]
    assert found["auc"] == found["stored"]
    assert found["tags"] == "nightly"
