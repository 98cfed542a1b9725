// Columns of few distinct scores (votes, rounded or hard scores): counted in a table, not sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/order/score_key.hpp"

namespace assay::order {

template <class Word>
struct FewEntry {
    Word key;
    std::uint64_t positives, negatives;
};

// Entries in ascending order of key; nothing when there are more than 4096 distinct scores. The
// caller has made sure that it is worth trying. A NaN or a label other than 0 and 1 sets `bad` and
// the entries are then of no use. Parallel above 262,144 rows.
template <class Score, class Label>
std::optional<std::vector<FewEntry<WordOf<Score>>>> count_few(const Score* scores,
                                                              const Label* positive,
                                                              std::size_t rows, bool& bad);

}  // namespace assay::order
