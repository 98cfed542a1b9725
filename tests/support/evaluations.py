"""Evaluations of every kind, made of any part of the same rows."""

import numpy as np

import assay

N = 360
RANDOM = np.random.default_rng(20)
ACTUAL = RANDOM.integers(0, 2, N)
SCORE = np.clip(0.3 * ACTUAL + 0.7 * RANDOM.random(N), 0, 1)
GROUP = np.sort(RANDOM.integers(0, 30, N))
CLASS = np.array(["ant", "bee", "cat"])[RANDOM.integers(0, 3, N)]
GUESS = np.where(RANDOM.random(N) < 0.7, CLASS, "bee")
CHANCES = RANDOM.dirichlet([1, 1, 1], N)

MAKERS = {
    "labels": lambda i: assay.evaluate(actual=ACTUAL[i], predicted=(SCORE > 0.4).astype(int)[i]),
    "probabilities": lambda i: assay.evaluate(actual=ACTUAL[i], score=SCORE[i], beta=2, prevalence=0.1, name="a"),
    "scores": lambda i: assay.evaluate(actual=ACTUAL[i], score=10 * SCORE[i], threshold=4.5),
    "weighted": lambda i: assay.evaluate(actual=ACTUAL[i], score=SCORE[i], weight=0.5 + GROUP[i]),
    "grouped": lambda i: assay.evaluate(actual=ACTUAL[i], score=SCORE[i], group=GROUP[i]),
    "classes": lambda i: assay.evaluate(actual=CLASS[i], predicted=GUESS[i]),
    "class probabilities": lambda i: assay.evaluate(actual=CLASS[i], score=CHANCES[i]),
    "ordinal": lambda i: assay.evaluate(
        actual=CLASS[i], predicted=GUESS[i], task="ordinal", labels=["bee", "ant", "cat"]
    ),
    "label sets": lambda i: assay.evaluate(
        actual=(CHANCES > 0.3)[i], predicted=(CHANCES > 0.35)[i], task="multilabel", labels=["a", "b", "c"]
    ),
    "regression": lambda i: assay.evaluate(actual=SCORE[i], predicted=SCORE[i] + CHANCES[i, 0] / 9),
    "ranking": lambda i: assay.evaluate(actual=ACTUAL[i], score=SCORE[i], query=GROUP[i], k=3),
    "one class": lambda i: assay.evaluate(
        actual=["ham"] * len(ACTUAL[i]), predicted=["ham"] * len(ACTUAL[i]), positive="spam", labels=["ham", "spam"]
    ),
}  # fmt: skip
EDGES = [0, *np.searchsorted(GROUP, [9, 20]), N]  # lists stay whole
