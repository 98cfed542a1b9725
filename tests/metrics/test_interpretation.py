import math

import pytest

from assay import MetricError
from assay.metrics import Undefined
from assay.metrics.interpretation import SCALES, band, hint

ABOVE = math.inf  # the next number above the edge


@pytest.mark.parametrize(
    ("scale", "edge", "below", "at", "above"),
    [
        ("landis-koch", 0.0, "poor", "slight", "slight"),
        ("landis-koch", 0.2, "slight", "slight", "fair"),
        ("landis-koch", 0.4, "fair", "fair", "moderate"),
        ("landis-koch", 0.6, "moderate", "moderate", "substantial"),
        ("landis-koch", 0.8, "substantial", "substantial", "almost perfect"),
        ("altman", 0.0, "poor", "poor", "poor"),
        ("altman", 0.2, "poor", "poor", "fair"),
        ("altman", 0.4, "fair", "fair", "moderate"),
        ("altman", 0.6, "moderate", "moderate", "good"),
        ("altman", 0.8, "good", "good", "very good"),
        ("fleiss", 0.4, "poor", "poor", "fair to good"),
        ("fleiss", 0.75, "fair to good", "fair to good", "excellent"),
        ("teaching-kappa", 0.2, "poor", "fair", "fair"),
        ("teaching-kappa", 0.4, "fair", "moderate", "moderate"),
        ("teaching-kappa", 0.6, "moderate", "good", "good"),
        ("teaching-kappa", 0.8, "good", "very good", "very good"),
        ("letters", 0.6, "F (fail)", "D (poor)", "D (poor)"),
        ("letters", 0.7, "D (poor)", "C (fair)", "C (fair)"),
        ("letters", 0.8, "C (fair)", "B (good)", "B (good)"),
        ("letters", 0.9, "B (good)", "A (excellent)", "A (excellent)"),
        ("hosmer-lemeshow", 0.5, SCALES["letters"].words[0], "no discrimination", "poor"),
        ("hosmer-lemeshow", 0.7, "poor", "acceptable", "acceptable"),
        ("hosmer-lemeshow", 0.8, "acceptable", "excellent", "excellent"),
        ("hosmer-lemeshow", 0.9, "excellent", "outstanding", "outstanding"),
        ("teaching-auc", 0.5, SCALES["letters"].words[0], "F (no discrimination)", "F (no discrimination)"),
        ("teaching-auc", 0.8, "C (acceptable/fair)", "B (excellent/good)", "B (excellent/good)"),
        ("teaching-auc", 0.9, "B (excellent/good)", "A (outstanding)", "A (outstanding)"),
    ],
)  # fmt: skip
def test_an_edge_belongs_to_the_band_that_its_source_gives_it(scale, edge, below, at, above):
    """Bands of kappa are closed on the right, those of the AUC on the left, on the unrounded value."""
    assert band(math.nextafter(edge, -ABOVE), scale) == below
    assert band(edge, scale) == at
    assert band(math.nextafter(edge, ABOVE), scale) == above


def test_the_spam_filter_is_very_good():
    """Kappa 0.887 and AUC 0.983 of the teaching text."""
    assert band(0.8867172, "teaching-kappa") == "very good"
    assert band(0.9829999, "teaching-auc") == "A (outstanding)"


def test_an_interval_over_several_bands_gets_all_their_words():
    """An estimate that may be fair or good is not called good."""
    assert band(0.62, "altman", low=0.35, high=0.69) == "fair to good"
    assert band(0.62, "altman", low=0.61, high=0.69) == "good"
    assert '"fair to good" on the scale of Altman (1991)' in hint(0.62, "altman", low=0.35, high=0.69)


def test_what_is_undefined_has_no_word():
    """No value, no word."""
    assert band(Undefined("no rows"), "altman") is None
    assert hint(math.nan, "altman") is None


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_a_scale_has_one_word_more_than_edges(scale):
    """Every value of the metric's range has a band, and the source is named."""
    assert len(scale.words) == len(scale.edges) + 1
    assert sorted(scale.edges) == list(scale.edges)
    assert scale.source
    assert band(1, scale) == scale.words[-1]


def test_values_that_cannot_be_are_refused():
    """A kappa of 2 has no word, and neither has a scale that nobody made."""
    with pytest.raises(MetricError, match="is no kappa"):
        band(2.0, "altman")
    with pytest.raises(MetricError, match="is no auc"):
        band(-0.1, "letters")
    with pytest.raises(MetricError, match='no scale "stars"'):
        band(0.5, "stars")
