#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernel/interruptible_work.hpp"
#include "kernel/lists/lists.hpp"
#include "kernel/lists/parallel_queries.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

// A sum with the rounding errors of its additions beside it (Knuth's TwoSum).
class Sum {
public:
    void add(double term) {
        const double sum = sum_ + term;
        const double added = sum - sum_;
        error_ += (sum_ - (sum - added)) + (term - added);
        sum_ = sum;
    }
    // An infinite gain makes the error NaN, not the sum.
    double value() const { return std::isinf(sum_) ? sum_ : sum_ + error_; }

private:
    double sum_ = 0, error_ = 0;
};

// The logarithm and the power below use long double additions, products and quotients alone, which
// every CPU rounds alike; the library's functions differ in their last bits between CPUs.

// log2(number) to about 2^-61: 2 atanh((m - 1) / (m + 1)) / ln 2 for m in [sqrt(1/2), sqrt(2)).
long double log2_of(std::uint64_t number) {
    int exponent = 0;
    long double m = std::frexp(static_cast<long double>(number), &exponent);
    if (m < 0.70710678118654752440L) {
        m *= 2;
        --exponent;
    }
    const long double s = (m - 1) / (m + 1), square = s * s;
    long double series = 0;
    for (int odd = 27; odd >= 1; odd -= 2) series = series * square + 1.0L / odd;
    return exponent + 2 * s * series * 1.44269504088896340735992468100189214L;
}

// 2^gain - 1: a power of two from the nearest integer, and for the rest the Taylor series of
// e^x - 1, |x| <= ln(2) / 2.
double power_less_one(double gain) {
    if (!(gain > 0)) return 0;
    if (gain >= 1024) return std::numeric_limits<double>::infinity();
    const auto whole = static_cast<unsigned>(gain + 0.5);
    if (whole == gain && whole < 64) return static_cast<double>((std::uint64_t{1} << whole) - 1);
    const long double power = std::ldexp(1.0L, static_cast<int>(whole));
    const long double x = (gain - whole) * 0.69314718055994530941723212145817657L;
    long double series = 0;
    for (int k = 20; k >= 1; --k) series = (series + 1) * x / k;
    return static_cast<double>(power * series + (power - 1));
}

// The discounts 1 / log2(i + 2) of the first ranks, counted from 0.
std::vector<double> discounts(std::size_t ranks) {
    std::vector<double> table(ranks);
    parallel_rows(ranks, 1 << 14, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t i = begin; i < end; ++i)
            table[i] = static_cast<double>(1 / log2_of(i + 2));
    });
    return table;
}

struct ListScore {
    Sum hits, precision_sum, precision_mean_sum, reciprocal_rank, dcg_linear, dcg_exponential;
    double hit = 0;
};

// Scores the first `cutoff` ranks of one list, group of tied ranks by group. `before` relevant
// items come before a group that starts after `start` ranks, has `size` items, `relevant` of them
// relevant, and of which `counted` ranks are within the cutoff.
template <class Gain>
class ListScorer {
public:
    ListScorer(std::span<const Gain> gains, const std::uint8_t* tied, std::size_t cutoff,
               const double* discount)
        : gains_(gains), tied_(tied), cutoff_(cutoff), discount_(discount) {}

    // `beyond` is how far the cutoff asked for lies behind the end of the list.
    ListScore score(std::size_t beyond) {
        for (std::size_t start = 0, checked = 0; start < cutoff_;) {
            if (start - checked >= rows_per_check) {
                check_interrupt();
                checked = start;
            }
            std::size_t size = 1;
            if (tied_)
                while (start + size < gains_.size() && tied_[start + size - 1]) ++size;
            if (size == 1) {
                add_one(start);
            } else {
                add_group(start, size);
            }
            start += size;
        }
        if (beyond > 0 && !gains_.empty())
            result_.precision_mean_sum.add(static_cast<double>(beyond) * before_ /
                                           static_cast<double>(gains_.size()));
        return result_;
    }

private:
    static constexpr std::size_t rows_per_check = 1 << 14;

    void add_one(std::size_t start) {
        const double rank = static_cast<double>(start + 1);
        const auto gain = static_cast<double>(gains_[start]);
        if (gain > 0) {
            if (before_ == 0) {
                result_.reciprocal_rank.add(1 / rank);
                result_.hit = 1;
            }
            before_ += 1;
            result_.hits.add(1);
            result_.precision_sum.add(before_ / rank);
            result_.dcg_linear.add(gain * discount_[start]);
            result_.dcg_exponential.add(power_less_one(gain) * discount_[start]);
        }
        if (before_ > 0) result_.precision_mean_sum.add(before_ / rank);
    }

    void add_group(std::size_t start, std::size_t items) {
        const auto size = static_cast<double>(items);
        const std::size_t counted = std::min(items, cutoff_ - start);
        double relevant = 0;
        Sum linear, exponential, discount;
        in_pieces(items, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const auto gain = static_cast<double>(gains_[start + i]);
                if (!(gain > 0)) continue;
                relevant += 1;
                linear.add(gain);
                exponential.add(power_less_one(gain));
            }
        });
        if (relevant > 0) {
            if (before_ == 0) add_first_relevant(start, items, relevant);
            result_.hits.add(static_cast<double>(counted) * relevant / size);
            for (std::size_t i = 0; i < counted; ++i) {
                // Given a relevant item at this place, each earlier place of the group holds one of
                // the other relevant - 1 among the other size - 1 (McSherry & Najork 2008).
                const double earlier = static_cast<double>(i) * (relevant - 1) / (size - 1);
                const double rank = static_cast<double>(start + i + 1);
                result_.precision_sum.add(relevant * (before_ + 1 + earlier) / (size * rank));
                discount.add(discount_[start + i]);
            }
            result_.dcg_linear.add(linear.value() / size * discount.value());
            result_.dcg_exponential.add(exponential.value() / size * discount.value());
        }
        if (before_ + relevant > 0) {
            for (std::size_t i = 0; i < counted; ++i) {
                const double expected = static_cast<double>(i + 1) * relevant / size;
                result_.precision_mean_sum.add((before_ + expected) /
                                               static_cast<double>(start + i + 1));
            }
        }
        before_ += relevant;
    }

    // The first relevant item is at place i of the group with probability
    // C(size - i, relevant - 1) / C(size, relevant); each follows from the one before.
    void add_first_relevant(std::size_t start, std::size_t items, double relevant) {
        const auto size = static_cast<double>(items);
        const std::size_t counted = std::min(items, cutoff_ - start);
        const std::size_t last = items + 1 - static_cast<std::size_t>(relevant);
        double chance = relevant / size;
        Sum hit;
        for (std::size_t i = 1; i <= std::min(counted, last); ++i) {
            const auto place = static_cast<double>(i);
            hit.add(chance);
            result_.reciprocal_rank.add(chance / static_cast<double>(start + i));
            chance *= (size - place - relevant + 1) / std::max(1.0, size - place);
        }
        result_.hit = counted >= last ? 1 : hit.value();
    }

    std::span<const Gain> gains_;
    const std::uint8_t* tied_;
    std::size_t cutoff_;
    const double* discount_;
    double before_ = 0;
    ListScore result_;
};

std::size_t longest(Offsets offsets) {
    std::int64_t most = 0;
    for (std::size_t query = 0; query + 1 < offsets.size(); ++query)
        most = std::max(most, offsets[query + 1] - offsets[query]);
    return static_cast<std::size_t>(most);
}

}  // namespace

template <class Gain>
ListScores score_lists(Offsets offsets, std::span<const Gain> gains,
                       std::span<const std::uint8_t> tied, Offsets ideal_offsets,
                       std::span<const double> ideal_gains, std::int64_t k) {
    check_offsets(offsets, gains.size());
    check_offsets(ideal_offsets, ideal_gains.size());
    if (offsets.size() != ideal_offsets.size())
        throw std::invalid_argument("ranked and ideal lists differ in number");
    if (!tied.empty() && tied.size() != gains.size())
        throw std::invalid_argument("gains and tied flags differ in length");
    if (k < 0) throw std::invalid_argument("k must not be negative");

    const std::size_t queries = offsets.size() - 1;
    const std::size_t limit =
        k == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(k);
    const std::vector<double> discount =
        discounts(std::min(limit, std::max(longest(offsets), longest(ideal_offsets))));
    ListScores result;
    for (auto* column : {&result.hits, &result.precision_sum, &result.precision_mean_sum,
                         &result.reciprocal_rank, &result.dcg_linear, &result.dcg_exponential,
                         &result.ideal_dcg_linear, &result.ideal_dcg_exponential, &result.hit})
        *column = Buffer<double>(queries);

    const auto work = [&](std::size_t query) {
        return static_cast<std::size_t>(offsets[query] + ideal_offsets[query]);
    };
    parallel_queries(queries, work, [&](std::size_t query, int) {
        const auto begin = static_cast<std::size_t>(offsets[query]);
        const std::size_t length = static_cast<std::size_t>(offsets[query + 1]) - begin;
        const std::size_t cutoff = std::min(limit, length);
        ListScorer scorer(gains.subspan(begin, length),
                          tied.empty() ? nullptr : tied.data() + begin, cutoff, discount.data());
        const ListScore score = scorer.score(k == 0 ? 0 : limit - cutoff);
        result.hits[query] = score.hits.value();
        result.precision_sum[query] = score.precision_sum.value();
        result.precision_mean_sum[query] = score.precision_mean_sum.value();
        result.reciprocal_rank[query] = score.reciprocal_rank.value();
        result.dcg_linear[query] = score.dcg_linear.value();
        result.dcg_exponential[query] = score.dcg_exponential.value();
        result.hit[query] = score.hit;

        const auto first = static_cast<std::size_t>(ideal_offsets[query]);
        const std::size_t ideal = static_cast<std::size_t>(ideal_offsets[query + 1]) - first;
        Sum linear, exponential;
        in_pieces(std::min(limit, ideal), [&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; ++i) {
                linear.add(ideal_gains[first + i] * discount[i]);
                exponential.add(power_less_one(ideal_gains[first + i]) * discount[i]);
            }
        });
        result.ideal_dcg_linear[query] = linear.value();
        result.ideal_dcg_exponential[query] = exponential.value();
    });
    return result;
}

template ListScores score_lists(Offsets, std::span<const double>, std::span<const std::uint8_t>,
                                Offsets, std::span<const double>, std::int64_t);
template ListScores score_lists(Offsets, std::span<const std::uint8_t>,
                                std::span<const std::uint8_t>, Offsets, std::span<const double>,
                                std::int64_t);

}  // namespace assay
