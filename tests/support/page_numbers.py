"""All numbers in the tables of a page, held against Python's in ways of their own."""

import collections

import numpy as np

import assay
from assay.formatting.numbers import format_interval, format_value
from assay.formatting.width import short
from assay.metrics.spec import metric_title

# What tables and charts say, by their headings.
_TABLES = """() => {
  const text = (node) => node?.textContent ?? "";
  const forests = {}, lists = {}, dots = {};
  for (const table of document.querySelectorAll("table.slices")) {
    const title = text(table.closest("section").querySelector("h2 button"));
    forests[title] = [...table.tBodies[0].rows].map((row) => [
      text(row.querySelector("th bdi")) || text(row.querySelector("th")),
      text(row.querySelector("td.number")),
      Object.fromEntries([...row.querySelectorAll("td.forest")].map((cell) =>
        [cell.dataset.name, JSON.parse(cell.dataset.text)])),
    ]);
  }
  for (const table of document.querySelectorAll("table.list"))
    lists[text(table.closest(".scroll").previousElementSibling)] =
      [...table.tBodies[0].rows].map((row) => [...row.cells].map(text));
  for (const figure of document.querySelectorAll("figure.chart"))
    dots[figure.querySelector("figcaption").firstChild.textContent] =
      [...figure.querySelectorAll("circle.dot title")].map(text);
  const heat = [...document.querySelectorAll("table.matrix:not(.live) tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.number)));
  const board = [...document.querySelectorAll("table.board tbody tr")].map((row) =>
    [text(row.querySelector("th")), text(row.cells[2])]);
  return { forests, lists, dots, heat, board };
}"""


def holds_tables(page, ev, several):
    """Hold every table of a page, as it shows a model, against that model's evaluation; return how many numbers."""
    page.evaluate(
        "[...document.querySelectorAll('.scroll ~ button:not(.save)')].forEach((one) => one.click())"
    )
    shown = page.evaluate(_TABLES)
    checked = 0
    for title, rows in shown["forests"].items():
        wanted = _wanted(title, ev, several)
        assert rows, title
        for name, n, cells in rows:
            for metric, text in cells.items():
                key = (metric, name) if title == "Models side by side" else (name, metric)
                assert text == wanted[key], (title, name, metric)
                checked += 1
            if (name, "n") in wanted:
                assert n == f"{wanted[name, 'n']:,}", (title, name)
    checked += _holds_lists(shown["lists"], ev)
    checked += _holds_depths(shown["dots"], ev)
    checked += _holds_counts(shown["heat"], ev)
    values = {short(one.name): one["accuracy"] for one in several if "accuracy" in one}
    for name, text in shown["board"]:
        assert text == f"{format_value(values[name].value)} {format_interval(values[name])}"
        checked += 1
    return checked


def _texts(estimate):
    return [
        None if number is None or not estimate.defined else format_value(number)
        for number in (estimate.value, estimate.low, estimate.high)
    ]


def _wanted(title, ev, several):
    """Return the texts of a table by row and column."""
    if title in ("Models side by side", "All metrics of all models"):
        return {(short(one.name), metric_title(name)): _texts(one[name]) for one in several for name in one}
    wanted = {}
    if title.startswith("Slices"):
        for by in ev.slices:
            table = ev.slices[by]
            for label, own in table.items():
                name = short(label) if by == "by" else f"{short(by)} = {short(label)}"
                wanted[name, "n"] = own.n
                wanted |= {(name, metric_title(metric)): _texts(own[metric]) for metric in own}
        return wanted | {("all rows", metric_title(name)): _texts(ev[name]) for name in ev}
    for label, metrics in ev.classes.items():
        name = short(label)
        wanted |= {(name, metric_title(metric)): _texts(estimate) for metric, estimate in metrics.items()}
        if "class_scores" in ev.tallies:
            scores = ev.tallies["class_scores"].against_rest(label)
            for metric in ("auc", "average_precision"):
                estimate = assay.estimate(metric, scores, confidence=ev.settings.confidence)
                wanted[name, metric_title(metric)] = _texts(estimate)
    return wanted


def _holds_lists(lists, ev):
    """Hold quantiles, distances of grades, confused pairs and labels that are wrong together."""
    rows = ev.rows
    checked = 0
    if "Quantiles of the residuals" in lists and rows is not None and rows.weight is None:
        left = np.asarray(rows.actual.values, float) - np.asarray(rows.predicted.values, float)
        left = left if left.ndim == 1 else left[:, 0]  # of several outputs the first is shown
        for share, text in lists["Quantiles of the residuals"]:
            wanted = np.quantile(left, float(share[:-1]) / 100, method="inverted_cdf")
            assert text == format_value(float(wanted))
            checked += 1
    pairs = lists.get("Most confused classes")
    if pairs and rows is not None and rows.weight is None and rows.predicted is not None:
        both = zip(map(str, rows.actual.values), map(str, rows.predicted.values), strict=True)
        counted = collections.Counter((a, b) for a, b in both if a != b)
        assert [int(row[2].replace(",", "")) for row in pairs] == sorted(counted.values(), reverse=True)[:15]
        checked += len(pairs)
    grades = lists.get("How far off the predicted grade is")
    if grades:
        away = np.bincount(np.abs(np.asarray(rows.actual.values) - np.asarray(rows.predicted.values)))
        assert [int(row[1].replace(",", "")) for row in grades] == away[: len(grades)].tolist()
        checked += len(grades)
    return checked


def _holds_depths(dots, ev):
    """Hold the points of ranking metrics over k."""
    checked = 0
    options = {} if ev.settings.empty is None else {"empty": ev.settings.empty}
    for name in ("ndcg", "recall_at_k", "precision_at_k", "hit_rate"):
        title = metric_title(name)
        for text in dots.get(title if title.endswith(" k") else f"{title} at k", []):
            k, value = text.removeprefix("k = ").split(": ")
            estimate = ev.estimate(name, k=int(k), **options)
            assert value == f"{format_value(estimate.value)} {format_interval(estimate)}"
            checked += 1
    return checked


def _holds_counts(heat, ev):
    """Hold the table of counts with its totals, of rows without weights and up to 60 classes."""
    tally = ev.tallies.get("confusion")
    if not heat or tally is None or len(heat) != len(tally.labels) + 1 or tally.weights is not None:
        return 0
    order = [tally.labels.index(label) for label in ev.task.labels]
    counts = tally.table()[np.ix_(order, order)]
    counts = np.vstack([counts, counts.sum(0)])
    counts = np.hstack([counts, counts.sum(1, keepdims=True)])
    assert heat == counts.tolist()
    return counts.size
