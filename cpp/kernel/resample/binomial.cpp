#include "kernel/resample/binomial.hpp"

#include <bit>
#include <cmath>

#include "kernel/losses/logarithm.hpp"

namespace assay::resample {
namespace {

constexpr double least_mean = 10;  // below it rejection is neither valid nor worth its setup

// The natural logarithm of a positive normal number.
double logarithm(double x) {
    constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<std::int64_t>(bits >> 52) - 1022;
    const double m = std::bit_cast<double>((bits & ((std::uint64_t{1} << 52) - 1)) |
                                           (one - (std::uint64_t{1} << 52)));
    return static_cast<double>(exponent) * 0x1.62e42fefa39efp-1 -
           minus_log(m, 0.0);  // 1/2 <= m < 1
}

// log(k!) - log(sqrt(2 pi k) (k/e)^k) for k >= 1.
double stirling_rest(double k) {
    if (k < 16) {
        double factorial = 1;
        for (double i = 2; i <= k; ++i) factorial *= i;  // exact
        return logarithm(factorial) - 0.5 * logarithm(6.283185307179586477 * k) - k * logarithm(k) +
               k;
    }
    const double square = 1 / (k * k);
    return (1.0 / 12 -
            (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - square / 1188) * square) * square) * square) /
           k;
}

// x log(x / mean) + mean - x, without cancelling where x is near the mean.
double deviance(double x, double mean) {
    const double gap = x - mean;
    if (std::fabs(gap) >= 0.1 * (x + mean)) return x * logarithm(x / mean) - gap;
    const double v = gap / (x + mean), square = v * v;
    double sum = gap * v, power = 2 * x * v;
    for (int odd = 3; odd < 40; odd += 2) {
        power *= square;
        const double before = sum;
        sum += power / odd;
        if (sum == before) break;
    }
    return sum;
}

// The logarithm of the probability of k, less a term in n alone.
double log_probability(double k, double n, double p, double q) {
    if (k == 0) return -n * minus_log(q, (1 - q) - p) - stirling_rest(n);
    if (k == n) return -n * minus_log(p, 0.0) - stirling_rest(n);
    return -0.5 * logarithm(6.283185307179586477 * k * ((n - k) / n)) - stirling_rest(k) -
           stirling_rest(n - k) - deviance(k, n * p) - deviance(n - k, n * q);
}

std::uint64_t by_inversion(std::uint64_t n, double p, Stream& stream) {
    const double q = 1 - p, size = static_cast<double>(n);
    const double none = exp_minus(size * minus_log(q, (1 - q) - p));
    for (;;) {
        double left = stream.uniform(), here = none;
        for (std::uint64_t k = 0; k <= n; ++k) {
            if (left < here) return k;
            left -= here;
            here *= (size - static_cast<double>(k)) * p / ((static_cast<double>(k) + 1) * q);
            if (here < 0x1p-100) break;  // what is left is what rounding left
        }
    }
}

std::uint64_t by_rejection(std::uint64_t rows, double p, Stream& stream) {
    const double n = static_cast<double>(rows), q = 1 - p, spread = std::sqrt(n * p * q);
    const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double centre = n * p + 0.5, inside = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread;
    double at_mode = 1;  // a probability's logarithm is never above 0: not yet known
    for (;;) {
        const double u = stream.uniform() - 0.5, v = stream.uniform();
        const double edge = 0.5 - std::fabs(u);
        const double k = std::floor((2 * a / edge + b) * u + centre);
        if (edge >= 0.07 && v <= inside) return static_cast<std::uint64_t>(k);
        if (k < 0 || k > n) continue;
        if (at_mode > 0) at_mode = log_probability(std::floor((n + 1) * p), n, p, q);
        if (logarithm(v * alpha / (a / (edge * edge) + b)) <= log_probability(k, n, p, q) - at_mode)
            return static_cast<std::uint64_t>(k);
    }
}

}  // namespace

double exp_minus(double x) {
    const double k = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
    const double r = (k * 0x1.62e42fefa38p-1 - x) + k * 0x1.ef35793c7673p-45;  // |r| <= log(2) / 2
    double sum = 1.0 / 87178291200.0;
    for (int i = 13; i >= 0; --i) {
        constexpr double inverse[14] = {
            1.0,
            1.0,
            1.0 / 2,
            1.0 / 6,
            1.0 / 24,
            1.0 / 120,
            1.0 / 720,
            1.0 / 5040,
            1.0 / 40320,
            1.0 / 362880,
            1.0 / 3628800,
            1.0 / 39916800,
            1.0 / 479001600,
            1.0 / 6227020800,
        };
        sum = sum * r + inverse[i];
    }
    return sum * std::bit_cast<double>(
                     static_cast<std::uint64_t>(1023 - static_cast<std::int64_t>(k)) << 52);
}

std::uint64_t binomial(std::uint64_t n, std::uint64_t part, std::uint64_t whole, Stream& stream) {
    if (n == 0 || part == 0) return 0;
    if (part > whole - part) return n - binomial(n, whole - part, whole, stream);
    const double p = static_cast<double>(part) / static_cast<double>(whole);
    return static_cast<double>(n) * p < least_mean ? by_inversion(n, p, stream)
                                                   : by_rejection(n, p, stream);
}

}  // namespace assay::resample
