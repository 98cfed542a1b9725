// The natural logarithm by our own arithmetic: additions, multiplications, one division, each
// rounded once, and bit patterns. So its bits are the same on every CPU and with every C library,
// and loops over it become vectors.
#pragma once

#include <bit>
#include <cstdint>

#include "kernel/platform.hpp"

namespace assay {

// -log(t + rest) for 0 < t <= 1 and |rest| at most half the last bit of t; 0.0, never -0.0, at 1.
// Off by less than 0.85 of the result's last bit, 0.5 of which is the rounding of any double. Other
// t give a number of no use, but do no harm.
ASSAY_INTO_CLONE double minus_log(double t, double rest) {
    // t = 2**k m, 2/3 <= m < 4/3: k is 0 from 2/3 on, so nothing cancels as t goes to 1.
    constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
    constexpr std::uint64_t two_thirds = std::bit_cast<std::uint64_t>(2.0 / 3.0);
    constexpr double tiny = 0x1p-1022;  // below it doubles have fewer bits
    const double raised = t * 0x1p54;
    const bool is_tiny = t < tiny;
    const auto bits = std::bit_cast<std::uint64_t>(is_tiny ? raised : t);
    const std::uint64_t exponent = (bits + (one - two_thirds)) >> 52;  // k + 1023
    const double m = std::bit_cast<double>(bits - (exponent << 52) + one);
    // In the last bits of 2**52: not every CPU converts 64-bit integers.
    const double biased = std::bit_cast<double>(exponent | std::bit_cast<std::uint64_t>(0x1p52));
    const double k = biased - (is_tiny ? 0x1p52 + 1023 + 54 : 0x1p52 + 1023);

    // log(m) with f = m - 1, s = f / (2 + f): 2 atanh(s) = 2 s + s r, and 2 s = f - s f, which is
    // f - h + s h with h = f**2 / 2. The polynomial for r is off by 2**-62 of the whole.
    const double f = m - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s, h = 0.5 * f * f;
    double r = 0x1.1b7ebbcd565f8p-3;
    r = r * z + 0x1.0dcbfb68a92d7p-3;
    r = r * z + 0x1.3b35bb32938cdp-3;
    r = r * z + 0x1.745c4b02cd6dap-3;
    r = r * z + 0x1.c71c748f332bap-3;
    r = r * z + 0x1.24924921e4c29p-2;
    r = r * z + 0x1.999999999c175p-2;
    r = r * z + 0x1.555555555554fp-1;
    r = r * z;

    // log(2) in two parts, the first with so few bits that its product with k is exact; what the
    // sum with f loses is kept as well.
    const double k_high = k * 0x1.62e42fefa38p-1, k_low = k * 0x1.ef35793c7673p-45;
    const double high = k_high + f, low = f - (high - k_high);
    return 0.0 - (high + ((low + (k_low + rest / t)) + (s * (h + r) - h)));
}

}  // namespace assay
