// The bootstrap: replicates of a tally, and the areas under their curves without keeping their
// counts.
//
// Replicate b is a function of the seed, b and the tally's entries alone, so it has the same digits
// on any number of threads, on any CPU, and whichever other replicates are asked for. All kernels
// here run in parallel over replicates and take replicates [begin, end).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/order/order.hpp"

namespace assay {

struct Replicates {
    std::uint64_t seed, begin, end;

    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

// Draws sum(sizes) rows with replacement, sizes[e] of which are entry e: multinomial counts to
// out[replicate - begin][e]. Different streams (below 2^40) of a replicate are independent. At most
// 2^42 rows.
void resample_counts(std::span<const std::uint64_t> sizes, Replicates replicates,
                     std::uint64_t stream, std::int64_t* out);

// The area under the ROC curve of each replicate of a score tally, its counts in ascending order of
// score; NaN where a class is absent. Stratified, each class keeps its number of rows. The pairs
// are counted exactly. Distinct scores take 0.6 ns each a replicate on one thread, others up to 40.
//
// The counts are those of resample_counts for the entries (score, class) that have rows, positives
// before negatives, on stream 0; stratified, for the positives on stream 1 and the negatives on 2.
void resample_areas(const CountsView& positives, const CountsView& negatives, Replicates replicates,
                    bool stratified, double* out);

// Average precision by steps of the same replicates, summed from the highest score to the lowest;
// NaN without positives.
void resample_precisions(const CountsView& positives, const CountsView& negatives,
                         Replicates replicates, bool stratified, double* out);

// The areas of two models on the same rows: entries with a rank (an index of the distinct scores,
// ascending) by each model. To out[0] for the first, out[1] for the second model.
void resample_paired_areas(const CountsView& positives, const CountsView& negatives,
                           std::span<const std::uint32_t> first_ranks,
                           std::span<const std::uint32_t> second_ranks, Replicates replicates,
                           bool stratified, double* const out[2]);

}  // namespace assay
