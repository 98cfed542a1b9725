"""The progress bar: silent away from a terminal and in quick work, one line that is wiped otherwise."""

import io

from assay.formatting import progress
from assay.formatting.progress import Progress, disable_progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Say so."""
        return True


def _work(stream, seconds_each, monkeypatch, **more):
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock) * seconds_each)
    with Progress("replicates", 10, stream=stream, **more) as bar:
        for _ in range(10):
            bar.step()
    assert bar.done == 10
    return stream.getvalue()


def test_a_terminal_sees_slow_work(monkeypatch):
    """After a second the bar is drawn with rate and time left, and wiped in the end."""
    said = _work(Terminal(), 0.5, monkeypatch)
    assert "replicates [" in said
    assert "2/s" in said
    assert "0:04 left" in said
    assert said.endswith("\r\033[K")


def test_quick_work_is_silent(monkeypatch):
    """Work of less than a second shows nothing."""
    assert not _work(Terminal(), 0.05, monkeypatch)


def test_files_see_nothing(monkeypatch):
    """What is no terminal gets nothing, unless it is asked for; a closed one does no harm."""
    assert not _work(io.StringIO(), 0.5, monkeypatch)
    assert _work(io.StringIO(), 0.5, monkeypatch, show=True)
    assert not _work(Terminal(), 0.5, monkeypatch, show=False)
    closed = Terminal()
    closed.close()
    closed.isatty = io.StringIO.isatty.__get__(closed)  # which raises once the stream is closed
    with Progress("replicates", 1, stream=closed) as bar:
        bar.step()
    assert bar.done == 1


def test_work_of_unknown_length_tells_how_much_is_done(monkeypatch):
    """Without a total there is no bar and no time left, but the amount and the rate."""
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    stream = Terminal()
    with Progress("rows", None, stream=stream) as bar:
        bar.reach(1000)
        bar.reach(5000)
    assert bar.done == 5000
    assert "5,000 rows  2,500/s" in stream.getvalue()
    assert "left" not in stream.getvalue()


def test_silence_is_kept_by_all(monkeypatch):
    """While somebody wants silence, not even a terminal sees anything."""
    with disable_progress():
        assert not _work(Terminal(), 0.5, monkeypatch, show=True)
    assert _work(Terminal(), 0.5, monkeypatch)
