// The chunk kernels in plain C++, one row at a time: 64-bit multiplications instead of vectors.
#include <cmath>

#define ASSAY_LANES_TARGET
#include "kernel/sums/chunk_lanes.hpp"

namespace assay::sums {
namespace {

struct OneLane {
    static constexpr int width = 1;
    using Real = double;
    using Int = std::uint64_t;

    static Real load(const double* p) { return *p; }
    static Int load(const std::int64_t* p) { return static_cast<Int>(*p); }
    static Int bits(Real x) { return std::bit_cast<Int>(x); }
    static Real real(Int x) { return std::bit_cast<Real>(x); }
    static Int fill(std::uint64_t value) { return value; }
    static Real larger_magnitude(Real largest, Real x) {
        const Real magnitude = std::fabs(x);
        return magnitude > largest ? magnitude : largest;
    }
    static Int add_where_less(Int sum, Real a, Real b, Int value) {
        return sum + (value & (Int{0} - static_cast<Int>(a < b)));
    }
    static std::uint64_t lane_sum(Int x) { return x; }
    static bool any(Int x) { return x != 0; }
    static double largest(Real x) { return x; }

    struct Squares {
        uint128 low = 0, middle = 0, high = 0;

        // A limb that does not fit its 52 bits only spoils totals that are thrown away.
        void add(Int h, Int l) {
            low += uint128{l} * l;
            middle += uint128{h} * l;
            high += uint128{h} * h;
        }
        void add_wide(Int h, Int l) { add(h, l); }
        Parts total() const {
            Parts parts;
            parts.part[0] = low;
            parts.part[2] = middle;
            parts.part[4] = high;
            return parts;
        }
    };
};

}  // namespace

const Kernels portable_kernels = {column_chunk<OneLane, false>, column_chunk<OneLane, true>,
                                  pair_chunk<OneLane, double>, pair_chunk<OneLane, std::int64_t>};

}  // namespace assay::sums
