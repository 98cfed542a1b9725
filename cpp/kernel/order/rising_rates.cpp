#include "kernel/order/rising_rates.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t block_entries = std::size_t{1} << 15;

// What is known of some neighbours. `part` of `whole` is what rises: positives of negatives, which
// rises where positives of all do, or positives of all.
template <class Number>
struct Pool {
    Number part, whole;
    std::size_t start;
};

// Whether the rate of `a` is not below that of `b`.
template <class Product, class Number>
bool not_below(const Pool<Number>& a, const Pool<Number>& b) {
    return static_cast<Product>(a.part) * static_cast<Product>(b.whole) >=
           static_cast<Product>(b.part) * static_cast<Product>(a.whole);
}

// A stack of pools whose rates rise, in room that its owner has.
template <class Product, class Number>
class RisingStack {
public:
    explicit RisingStack(Pool<Number>* pools) : pools_(pools) {}

    void push(Pool<Number> pool) {
        while (size_ > 0 && not_below<Product>(pools_[size_ - 1], pool)) {
            const Pool<Number>& last = pools_[--size_];
            pool = {last.part + pool.part, last.whole + pool.whole, last.start};
        }
        pools_[size_++] = pool;
    }

    std::size_t size() const { return size_; }

private:
    Pool<Number>* pools_;
    std::size_t size_ = 0;
};

// The pools of `size` entries, of which entry(i) is one: blocks by themselves, whose pools are then
// pooled, as the order of pooling does not matter. BlockProduct holds products of two sums of a
// block.
template <class Number, class BlockProduct, class Product, class Entry>
std::vector<Pool<Number>> pool_entries(std::size_t size, Entry entry) {
    const std::size_t blocks = (size + block_entries - 1) / block_entries;
    std::vector<std::vector<Pool<Number>>> of_blocks(blocks);
    parallel_rows(blocks, 1, [&](std::size_t block, std::size_t, int) {
        const std::size_t begin = block * block_entries;
        const std::size_t end = std::min(size, begin + block_entries);
        std::vector<Pool<Number>> pools(end - begin);
        RisingStack<BlockProduct, Number> rising(pools.data());
        for (std::size_t i = begin; i < end; ++i) rising.push(entry(i));
        of_blocks[block].assign(pools.begin(),
                                pools.begin() + static_cast<std::ptrdiff_t>(rising.size()));
    });
    if (blocks == 1) return std::move(of_blocks[0]);
    std::size_t count = 0;
    for (const auto& pools : of_blocks) count += pools.size();
    std::vector<Pool<Number>> pools(count);
    RisingStack<Product, Number> rising(pools.data());
    for (auto& of_block : of_blocks) {
        check_interrupt();
        for (const Pool<Number>& pool : of_block) rising.push(pool);
        of_block = {};
    }
    pools.resize(rising.size());
    return pools;
}

std::size_t entries_of(const CountsView& counts) {
    return std::visit([](const auto& values) { return values.size(); }, counts);
}

void fit(const double* positives, const double* totals, std::size_t size, double* rates) {
    const auto pools = pool_entries<double, double, double>(
        size, [=](std::size_t i) { return Pool<double>{positives[i], totals[i], i}; });
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const std::size_t end = i + 1 < pools.size() ? pools[i + 1].start : size;
        std::fill(rates + pools[i].start, rates + end, pools[i].part / pools[i].whole);
    }
}

}  // namespace

RisingPools rising_pools(const CountsView& positives, const CountsView& negatives) {
    const std::size_t size = entries_of(positives);
    if (entries_of(negatives) != size) throw std::invalid_argument("columns differ in length");
    const auto pools = std::visit(
        [size](const auto& p, const auto& q) {
            using Wider =
                std::conditional_t<(sizeof(p[0]) > sizeof(q[0])), decltype(p[0]), decltype(q[0])>;
            // Sums of a block of counts of at most 16 bits are below 2^31.
            constexpr bool narrow = sizeof(std::remove_reference_t<Wider>) <= 2;
            using BlockProduct = std::conditional_t<narrow, std::uint64_t, uint128>;
            return pool_entries<std::uint64_t, BlockProduct, uint128>(
                size, [&](std::size_t i) { return Pool<std::uint64_t>{p[i], q[i], i}; });
        },
        positives, negatives);
    RisingPools result{Buffer<std::int64_t>(pools.size()), Buffer<std::int64_t>(pools.size()),
                       Buffer<std::int64_t>(pools.size())};
    for (std::size_t i = 0; i < pools.size(); ++i) {
        result.starts[i] = static_cast<std::int64_t>(pools[i].start);
        result.positives[i] = static_cast<std::int64_t>(pools[i].part);
        result.negatives[i] = static_cast<std::int64_t>(pools[i].whole);
    }
    return result;
}

void rising_rates(const double* positives, const double* totals, std::size_t replicates,
                  std::size_t size, double* rates) {
    if (replicates == 1) return fit(positives, totals, size, rates);
    parallel_rows(replicates, 1, [=](std::size_t replicate, std::size_t, int) {
        fit(positives + replicate * size, totals, size, rates + replicate * size);
    });
}

}  // namespace assay
