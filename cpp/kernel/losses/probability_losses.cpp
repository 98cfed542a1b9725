#include "kernel/losses/probability_losses.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/concurrent_change.hpp"
#include "kernel/losses/logarithm.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"
#include "kernel/sums/column_task.hpp"

namespace assay {
namespace {

using sums::chunk_rows;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Labels, probabilities and losses of a block together stay in the first cache.
constexpr std::size_t block = 512;
static_assert(chunk_rows % block == 0);

template <ProbabilityLoss kind, bool has_labels>
ASSAY_INTO_CLONE void loss_loop(const double* __restrict labels,
                                const double* __restrict probabilities, std::size_t rows,
                                double least, double most, double* __restrict out) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double label = has_labels ? labels[i] : 1.0, given = probabilities[i];
        double p = given < least ? least : given;
        p = p > most ? most : p;
        const bool happened = label == 1.0;
        const bool good = (given >= 0.0) & (given <= 1.0) & (happened | (label == 0.0));
        double loss;
        if constexpr (kind == ProbabilityLoss::log) {
            const double other = 1.0 - p, rest = (1.0 - other) - p;  // exact: 1 - p = other + rest
            const double t = happened ? p : other;
            const double finite = minus_log(t, happened ? 0.0 : rest);
            loss = t == 0.0 ? infinity : finite;
        } else {
            const double error = label - p;
            loss = error * error;
        }
        out[i] = good ? loss : none;
    }
}

// Four functions, because clones of templates are more than Clang takes.
ASSAY_CLONES void make_log_losses(const double* labels, const double* probabilities,
                                  std::size_t rows, double least, double most, double* out) {
    loss_loop<ProbabilityLoss::log, true>(labels, probabilities, rows, least, most, out);
}
ASSAY_CLONES void make_log_losses(const double* probabilities, std::size_t rows, double least,
                                  double most, double* out) {
    loss_loop<ProbabilityLoss::log, false>(nullptr, probabilities, rows, least, most, out);
}
ASSAY_CLONES void make_squared_losses(const double* labels, const double* probabilities,
                                      std::size_t rows, double least, double most, double* out) {
    loss_loop<ProbabilityLoss::squared, true>(labels, probabilities, rows, least, most, out);
}
ASSAY_CLONES void make_squared_losses(const double* probabilities, std::size_t rows, double least,
                                      double most, double* out) {
    loss_loop<ProbabilityLoss::squared, false>(nullptr, probabilities, rows, least, most, out);
}

struct Extremes {
    double least, largest;
};

// Bits of doubles that are not negative order as integers do, and NaN comes last.
ASSAY_CLONES Extremes extremes_of(const double* losses, std::size_t rows) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto bits = std::bit_cast<std::int64_t>(losses[i]);
        least = std::min(least, bits);
        largest = std::max(largest, bits);
    }
    return {std::bit_cast<double>(least), std::bit_cast<double>(largest)};
}

void note(std::int64_t& first, std::int64_t row) {
    if (first < 0 || (row >= 0 && row < first)) first = row;
}

// Turns rows of forecasts into losses, block by block.
class LossMaker {
public:
    // Writes the losses of [begin, begin + rows), rows <= block, and returns their extremes: a
    // largest one that is not finite says that some are infinite, or NaN in bad rows.
    Extremes make(const Forecasts& forecasts, std::size_t begin, std::size_t rows, double* out) {
        const double* p = doubles(forecasts.probabilities, begin, rows, probabilities_);
        const double least = forecasts.clip, most = 1.0 - forecasts.clip;
        const double* labels =
            forecasts.labels ? doubles(*forecasts.labels, begin, rows, labels_) : nullptr;
        if (forecasts.loss == ProbabilityLoss::log) {
            labels ? make_log_losses(labels, p, rows, least, most, out)
                   : make_log_losses(p, rows, least, most, out);
        } else {
            labels ? make_squared_losses(labels, p, rows, least, most, out)
                   : make_squared_losses(p, rows, least, most, out);
        }
        const Extremes extremes = extremes_of(out, rows);
        if (extremes.largest != extremes.largest) name_bad_rows(forecasts, begin, rows, out);
        return extremes;
    }

    void merge(const LossMaker& other) {
        note(bad.row, other.bad.row);
        note(bad.label, other.bad.label);
    }

    BadForecasts bad;

private:
    static const double* doubles(const NumberColumn& column, std::size_t begin, std::size_t rows,
                                 double* buffer) {
        if (const auto* own = std::get_if<const double*>(&column)) return *own + begin;
        read_numbers(column, begin, rows, buffer);
        return buffer;
    }

    void name_bad_rows(const Forecasts& forecasts, std::size_t begin, std::size_t rows,
                       const double* losses) {
        for (std::size_t i = 0; i < rows; ++i) {
            if (losses[i] == losses[i]) continue;
            double p, label = 1.0;
            read_numbers(forecasts.probabilities, begin + i, 1, &p);
            if (forecasts.labels) read_numbers(*forecasts.labels, begin + i, 1, &label);
            const bool bad_row = !(p >= 0.0 && p <= 1.0), bad_label = label != 0.0 && label != 1.0;
            if (!bad_row && !bad_label) throw_changed();
            const auto row = static_cast<std::int64_t>(begin + i);
            if (bad_row) note(bad.row, row);
            if (bad_label) note(bad.label, row);
        }
    }

    double probabilities_[block], labels_[block];
};

// The sums of losses with what goes along with them.
struct LossTask : sums::ColumnTask<true> {
    // Makes the losses of a chunk and leaves zeros, which add nothing, where they are not finite.
    void make(const Forecasts& forecasts, std::size_t begin, std::size_t rows, double* losses) {
        for (std::size_t done = 0; done < rows; done += block) {
            const std::size_t here = std::min(block, rows - done);
            Extremes found = maker.make(forecasts, begin + done, here, losses + done);
            if (!(found.largest < infinity)) found = drop_infinite(losses + done, here);
            extremes.least = std::min(extremes.least, found.least);
            extremes.largest = std::max(extremes.largest, found.largest);
        }
    }
    Extremes drop_infinite(double* losses, std::size_t rows) {
        Extremes kept{infinity, -infinity};
        for (std::size_t i = 0; i < rows; ++i) {
            infinite += losses[i] == infinity;
            if (losses[i] < infinity) {
                kept = {std::min(kept.least, losses[i]), std::max(kept.largest, losses[i])};
            } else {
                losses[i] = 0.0;
            }
        }
        return kept;
    }
    void merge(const LossTask& other) {
        ColumnTask::merge(other);
        maker.merge(other.maker);
        infinite += other.infinite;
        extremes.least = std::min(extremes.least, other.extremes.least);
        extremes.largest = std::max(extremes.largest, other.extremes.largest);
    }

    LossMaker maker;
    std::int64_t infinite = 0;
    Extremes extremes{infinity, -infinity};
};

void check(const Forecasts& forecasts) {
    if (!(forecasts.clip >= 0.0 && forecasts.clip <= 0.5))
        throw std::invalid_argument("clip must be a number from 0 to 0.5");
}

}  // namespace

LossSums exact_losses(const Forecasts& forecasts) {
    check(forecasts);
    const auto walker = sums::walk_ranges<LossTask>(
        forecasts.rows, SumPath::best,
        [&](sums::Walker<LossTask>& own, std::size_t begin, std::size_t end) {
            own.walk_made(begin, end, [&](std::size_t row, std::size_t rows, double* losses) {
                own.task.make(forecasts, row, rows, losses);
            });
        });
    const LossTask& task = walker->task;
    return {task.sum,      task.squared, task.infinite, task.extremes.least, task.extremes.largest,
            task.maker.bad};
}

RowLosses row_losses(const Forecasts& forecasts) {
    check(forecasts);
    constexpr std::size_t grain = 16 * block;
    RowLosses result{Buffer<double>(forecasts.rows), {}};
    std::vector<LossMaker> slots(static_cast<std::size_t>(threads()));
    parallel_rows(forecasts.rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        for (std::size_t row = begin; row < end; row += block)
            slots[static_cast<std::size_t>(slot)].make(forecasts, row, std::min(block, end - row),
                                                       result.losses.data() + row);
    });
    for (std::size_t slot = 1; slot < slots.size(); ++slot) slots[0].merge(slots[slot]);
    result.bad = slots[0].bad;
    return result;
}

}  // namespace assay
