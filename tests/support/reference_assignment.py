"""The dealing of rows a second way: whole numbers of Python, every stratum sorted, no buckets."""

import itertools

import numpy as np

WORD = 2**64


def random_words(seed, repeat, count):
    key = np.array([seed, repeat], dtype=np.uint64)  # a list of large numbers would become floats
    return list(map(int, np.random.Philox(key=key).random_raw(count)))


def mixed(word):
    word ^= word >> 30
    word = word * 0xBF58476D1CE4E5B9 % WORD
    word ^= word >> 27
    word = word * 0x94D049BB133111EB % WORD
    return word ^ (word >> 31)


def text_bits(text):
    """The 64 bits of a text: the sum of its scrambled characters, each with its place, and an end."""
    return (
        sum(
            mixed(((place << 32) + ord(c) + 0x9E3779B97F4A7C15) % WORD) for place, c in enumerate(text + "\0")
        )
        % WORD
    )


def keyed_word(seed, repeat, key):
    first, second = random_words(seed, repeat, 2)
    bits = text_bits(key) if isinstance(key, str) else key % WORD
    return mixed((mixed(bits ^ first) + second) % WORD)


def fold_of_keys(keys, strata, k, seed, repeat=0):
    """The fold of every key: strata in shuffled order, the folds that are larger by one going round."""
    labels = sorted(set(strata))
    random = random_words(seed, repeat, 2 + len(labels))[2:]
    places, first = {}, 0
    for index in sorted(range(len(labels)), key=random.__getitem__):
        inside = [key for key, label in zip(keys, strata, strict=True) if label == labels[index]]
        inside.sort(key=lambda key: (keyed_word(seed, repeat, key), key))
        small, larger = divmod(len(inside), k)
        sizes = [small + 1] * larger + [small] * (k - larger)
        folds = itertools.chain.from_iterable([fold] * size for fold, size in enumerate(sizes))
        places |= {key: (fold + first) % k for key, fold in zip(inside, folds, strict=True)}
        first = (first + len(inside)) % k
    return [places[key] for key in keys]
