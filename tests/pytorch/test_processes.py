"""Rows of several processes: the same bits as those of one."""

import contextlib
import subprocess
import sys

import numpy as np
import pytest
from support import programs

import assay

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.errors import InputError  # noqa: E402
from assay.torch import Accumulator  # noqa: E402

if not torch.distributed.is_available():  # pragma: no cover
    pytest.skip("this PyTorch was built without torch.distributed", allow_module_level=True)

# Each process evaluates its share of 101 rows, as a DistributedSampler deals them: padded with rows of the
# front. The third process, where there is one, has no rows.
WORKER = """
import sys
import numpy as np, torch, torch.distributed as dist
from assay.torch import Accumulator

rank, world, store, out, dtype = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
random = np.random.default_rng(0)
actual, score = random.integers(0, 2, 101), random.random(101)
share = torch.arange(102)[rank :: min(world, 2)] % 101 if rank < 2 else torch.arange(0)
accumulator = Accumulator(task="binary", labels=[0, 1])
for rows in share.split(20) if len(share) else ():
    accumulator.update(
        actual=torch.from_numpy(actual)[rows],
        score=torch.from_numpy(score).to(getattr(torch, dtype))[rows],
        key=rows,
    )
whole = accumulator.reduce()
if len(share):
    assert accumulator.n == len(share)
with open(f"{out}.{rank}", "wb") as file:
    file.write(whole.evaluate().tallies["scores"].to_bytes())
dist.destroy_process_group()
"""


def run(tmp_path, world, dtype):
    """Return the bytes of the score tally of each process."""
    out = tmp_path / "scores"
    words = [[str(rank), str(world), str(tmp_path / "store"), str(out), dtype] for rank in range(world)]
    with contextlib.ExitStack() as stack:
        processes = [
            stack.enter_context(
                programs.started([sys.executable, "-c", WORKER, *more], stderr=subprocess.PIPE)
            )
            for more in words
        ]
        for process in processes:
            _, errors = programs.communicate(process)
            assert process.returncode == 0, errors.decode()[-2000:]
    return [(tmp_path / f"scores.{rank}").read_bytes() for rank in range(world)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "dtype"), [(1, "float32"), (2, "float64"), (3, "bfloat16"), (4, "float16")]
)
def test_every_process_has_the_result_of_all_rows(tmp_path, world, dtype):
    """Over gloo, with rows that the sampler repeats, and with a process without rows."""
    random = np.random.default_rng(0)
    actual = random.integers(0, 2, 101)
    score = torch.from_numpy(random.random(101)).to(getattr(torch, dtype))
    scores = assay.evaluate(actual=actual, score=score, task="binary", labels=[0, 1]).tallies["scores"]
    assert run(tmp_path, world, dtype) == [scores.to_bytes()] * world


def test_without_a_group_of_processes_it_says_what_to_call():
    """Instead of PyTorch's own error."""
    with pytest.raises(InputError, match="init_process_group"):
        Accumulator(task="binary").reduce()
