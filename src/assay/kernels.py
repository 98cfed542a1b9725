"""The one door to the C++ kernels."""

try:
    from assay._kernels import (
        bin_edges,
        bin_places,
        bin_scores,
        count_integer_pairs,
        count_pairs,
        count_pairs_sparse,
        encode_doubles,
        encode_fixed_text,
        encode_integers,
        encode_objects,
        exact_cell_sums,
        exact_log_losses,
        exact_moments,
        exact_square_sum,
        exact_weighted_moments,
        exact_weighted_sum,
        import_arrow,
        log_losses,
        match_lists,
        merge_pairs,
        merge_scores,
        order_groups,
        order_pairs,
        order_scores,
        random_below,
        random_poisson,
        random_words,
        rank_rows,
        score_lists,
        set_threads,
        sweep_scores,
        threads,
    )
except ImportError as missing:  # pragma: no cover - a broken installation
    from assay.errors import PartError

    raise PartError(
        f"assay's compiled kernels could not be loaded ({missing}). "
        "Install assay again for this Python: pip install --force-reinstall assay."
    ) from missing

__all__ = [
    "bin_edges",
    "bin_places",
    "bin_scores",
    "count_integer_pairs",
    "count_pairs",
    "count_pairs_sparse",
    "encode_doubles",
    "encode_fixed_text",
    "encode_integers",
    "encode_objects",
    "exact_cell_sums",
    "exact_log_losses",
    "exact_moments",
    "exact_square_sum",
    "exact_weighted_moments",
    "exact_weighted_sum",
    "import_arrow",
    "log_losses",
    "match_lists",
    "merge_pairs",
    "merge_scores",
    "order_groups",
    "order_pairs",
    "order_scores",
    "random_below",
    "random_poisson",
    "random_words",
    "rank_rows",
    "score_lists",
    "set_threads",
    "sweep_scores",
    "threads",
]
