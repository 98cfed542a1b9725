#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/order/class_counts.hpp"
#include "kernel/order/order.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"
#include "kernel/sums/column_task.hpp"

namespace assay {
namespace {

constexpr std::size_t block = sums::chunk_rows;

// Rows at a score and above it, with the score's block: positives, and both classes together.
struct Above {
    std::uint64_t positives = 0, all = 0;
};

template <class Count>
struct BlockRows {
    // 2^11 counts.
    using Sum = std::conditional_t<sizeof(Count) == 8, uint128, std::uint64_t>;
    Sum positives = 0, all = 0;
};

template <class Count>
BlockRows<Count> count_block(const Count* p, const Count* q, std::size_t size) {
    BlockRows<Count> rows;
    for (std::size_t i = 0; i < size; ++i) {
        rows.positives += p[i];
        rows.all += q[i];
    }
    rows.all += rows.positives;
    return rows;
}

// The terms p TP / (TP + FP) of a block. Int holds its rows.
template <class Int, class Count>
ASSAY_INTO_CLONE void terms_loop(const Count* __restrict p, const Count* __restrict q,
                                 std::size_t size, Above above, double* __restrict out) {
    Int below_positives[block], below_all[block];  // signed: those are easier to convert
    std::make_unsigned_t<Int> positives = 0, all = 0;
    for (std::size_t i = 0; i < size; ++i) {
        below_positives[i] = static_cast<Int>(positives);
        below_all[i] = static_cast<Int>(all);
        positives += p[i];
        all += p[i];
        all += q[i];
    }
    const auto above_positives = static_cast<double>(above.positives);
    const auto above_all = static_cast<double>(above.all);
    for (std::size_t i = 0; i < size; ++i) {
        const auto here = static_cast<double>(static_cast<Int>(p[i]));
        const double tp = above_positives - static_cast<double>(below_positives[i]);
        const double term = here * tp / (above_all - static_cast<double>(below_all[i]));
        out[i] = here == 0.0 ? 0.0 : term;  // an entry without rows may have none above it
    }
}

ASSAY_CLONES void make_terms(const std::uint8_t* p, const std::uint8_t* q, std::size_t size,
                             Above above, double* out) {
    terms_loop<std::int32_t>(p, q, size, above, out);
}
ASSAY_CLONES void make_terms(const std::uint16_t* p, const std::uint16_t* q, std::size_t size,
                             Above above, double* out) {
    terms_loop<std::int32_t>(p, q, size, above, out);
}
ASSAY_CLONES void make_terms(const std::uint32_t* p, const std::uint32_t* q, std::size_t size,
                             Above above, double* out) {
    terms_loop<std::int64_t>(p, q, size, above, out);
}
ASSAY_CLONES void make_terms(const std::uint64_t* p, const std::uint64_t* q, std::size_t size,
                             Above above, double* out) {
    terms_loop<std::int64_t>(p, q, size, above, out);
}

struct PrecisionTask : sums::ColumnTask<false> {
    template <class Count>
    void make(const Count* p, const Count* q, std::size_t size, Above above, double* out) {
        // 2^42 rows times a byte are exact.
        if constexpr (sizeof(Count) > 1) {
            const uint128 most = *std::max_element(p, p + size);
            if (most * above.positives >> 53) return make_long(p, q, size, above, out);
        }
        make_terms(p, q, size, above, out);
    }
    // p TP has more bits than a double: whole quotients are added as integers and only what they
    // leave is rounded.
    template <class Count>
    void make_long(const Count* p, const Count* q, std::size_t size, Above above, double* out) {
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint64_t here = p[i], others = q[i];
            out[i] = 0.0;
            if (here > 0) {
                if (here > above.positives || here > above.all) throw_changed();
                const uint128 product = uint128{here} * above.positives;
                whole += product / above.all;
                out[i] = static_cast<double>(static_cast<std::uint64_t>(product % above.all)) /
                         static_cast<double>(above.all);
            }
            above.positives -= here;
            above.all -= here + others;
        }
    }
    void merge(const PrecisionTask& other) {
        ColumnTask::merge(other);
        whole += other.whole;
    }

    uint128 whole = 0;
};

template <class Count>
PrecisionSweep sweep(std::span<const Count> positives, std::span<const Count> negatives) {
    constexpr std::size_t blocks_per_task = 32;
    const std::size_t size = positives.size();
    const Count *p = positives.data(), *q = negatives.data();
    std::vector<BlockRows<Count>> rows((size + block - 1) / block);
    parallel_rows(rows.size(), blocks_per_task, [&](std::size_t from, std::size_t to, int) {
        for (std::size_t b = from; b < to; ++b)
            rows[b] = count_block(p + b * block, q + b * block, std::min(block, size - b * block));
    });
    uint128 m = 0, all = 0;
    for (const auto& here : rows) {
        m += here.positives;
        all += here.all;
    }
    order::check_rows(all);
    std::vector<Above> above(rows.size());
    Above left{static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(all)};
    for (std::size_t b = 0; b < rows.size(); ++b) {
        above[b] = left;
        left.positives -= static_cast<std::uint64_t>(rows[b].positives);
        left.all -= static_cast<std::uint64_t>(rows[b].all);
    }

    using Walker = sums::Walker<PrecisionTask>;
    const auto walker = sums::walk_ranges<PrecisionTask>(
        size, SumPath::best, [&](Walker& own, std::size_t begin, std::size_t end) {
            own.walk_made(begin, end, [&](std::size_t entry, std::size_t entries, double* out) {
                own.task.make(p + entry, q + entry, entries, above[entry / block], out);
            });
        });
    PrecisionSweep result{static_cast<std::uint64_t>(m), walker->task.sum};
    result.sum.add(Wide<2>(static_cast<int128>(walker->task.whole)), 1074);
    return result;
}

}  // namespace

PrecisionSweep sweep_precision(const CountsView& positives, const CountsView& negatives) {
    return order::with_counts(positives, negatives, [](auto p, auto q) { return sweep(p, q); });
}

}  // namespace assay
