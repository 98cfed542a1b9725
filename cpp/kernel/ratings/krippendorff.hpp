// Krippendorff's alpha of a table of ratings by whole numbers of agreeing pairs: no order of items
// or raters changes a bit of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay {

enum class RatingLevel : std::uint8_t { nominal, ordinal, interval, ratio };

// Ratings of items by raters, NaN where one is missing: each item's ratings side by side, or each
// rater's.
struct RatingTable {
    const double* ratings;
    std::size_t items, raters;
    bool by_item;
};

struct RatingAlpha {
    double value;        // NaN where the ratings do not vary
    std::int64_t items;  // that were rated twice or more
};

// Nothing where the table needs another way: an infinite rating, more than 255 raters or different
// ratings, a negative one of level ratio, or counts of pairs beyond 32 MiB per thread. Costs a pass
// over the ratings, and k (k - 1) / 2 steps per item of k ratings. Parallel above 32,768 items.
std::optional<RatingAlpha> krippendorff_alpha(const RatingTable& table, RatingLevel level);

}  // namespace assay
