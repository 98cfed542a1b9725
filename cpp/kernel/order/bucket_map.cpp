#include "kernel/order/bucket_map.hpp"

#include <algorithm>
#include <bit>

#include "kernel/order/score_key.hpp"
#include "kernel/platform.hpp"

namespace assay::order {
namespace {

constexpr int fraction_bits = 16;

template <class Word>
struct Cells {
    Word low, high;
    int up, down;
    const std::uint32_t* edges;
};

// Two loops, because one with 64-bit keys and a 32-bit table does not vectorise.
template <class Word>
ASSAY_INTO_CLONE void locate_in_cells(const Cells<Word>& cells, const Word* __restrict keys,
                                      std::size_t rows, std::uint16_t* __restrict bucket) {
    std::uint32_t place[BucketMap<Word>::block];
    for (std::size_t i = 0; i < rows; ++i) {
        const Word key = keys[i];
        const Word inside = std::min(std::max(key, cells.low), cells.high) - cells.low;
        const auto at = static_cast<std::uint32_t>((inside << cells.up) >> cells.down);
        place[i] = at | static_cast<std::uint32_t>(key >> (8 * sizeof(Word) - 1)) << 31;
    }
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint32_t at = place[i] & 0x7fffffff, cell = at >> fraction_bits;
        const std::uint32_t left = cells.edges[cell], right = cells.edges[cell + 1];
        const auto step = static_cast<std::uint32_t>(
            (std::uint64_t{right - left} * (at & 0xffff)) >> fraction_bits);
        bucket[i] = static_cast<std::uint16_t>(((left + step) >> fraction_bits) + (place[i] >> 31));
    }
}

template <class Word>
ASSAY_INTO_CLONE void locate_in_tree(const Word* tree, int levels, const Word* __restrict keys,
                                     std::size_t rows, std::uint16_t* __restrict bucket) {
    std::uint32_t node[BucketMap<Word>::block];
    for (std::size_t i = 0; i < rows; ++i) node[i] = 1;
    for (int level = 0; level < levels; ++level)
        for (std::size_t i = 0; i < rows; ++i)
            node[i] = 2 * node[i] + static_cast<std::uint32_t>(keys[i] >= tree[node[i]]);
    const std::uint32_t leaves = 1u << levels;
    for (std::size_t i = 0; i < rows; ++i) bucket[i] = static_cast<std::uint16_t>(node[i] - leaves);
}

ASSAY_CLONES void cells_64(const Cells<std::uint64_t>& cells, const std::uint64_t* keys,
                           std::size_t rows, std::uint16_t* bucket) {
    locate_in_cells(cells, keys, rows, bucket);
}
ASSAY_CLONES void cells_32(const Cells<std::uint32_t>& cells, const std::uint32_t* keys,
                           std::size_t rows, std::uint16_t* bucket) {
    locate_in_cells(cells, keys, rows, bucket);
}
ASSAY_CLONES void tree_64(const std::uint64_t* tree, int levels, const std::uint64_t* keys,
                          std::size_t rows, std::uint16_t* bucket) {
    locate_in_tree(tree, levels, keys, rows, bucket);
}
ASSAY_CLONES void tree_32(const std::uint32_t* tree, int levels, const std::uint32_t* keys,
                          std::size_t rows, std::uint16_t* bucket) {
    locate_in_tree(tree, levels, keys, rows, bucket);
}

}  // namespace

template <class Word>
void BucketMap<Word>::locate(const Word* keys, std::size_t rows, std::uint16_t* bucket) const {
    if constexpr (sizeof(Word) == 8) {
        if (levels_ > 0) return tree_64(tree_.data(), levels_, keys, rows, bucket);
        cells_64({low_, high_, up_, down_, edges_.data()}, keys, rows, bucket);
    } else {
        if (levels_ > 0) return tree_32(tree_.data(), levels_, keys, rows, bucket);
        cells_32({low_, high_, up_, down_, edges_.data()}, keys, rows, bucket);
    }
}

template <class Word>
BucketMap<Word>::BucketMap(const std::vector<Word>& sample, std::size_t wanted) {
    // Distinct values, because rows that tie cannot be parted by more buckets.
    std::vector<Word> distinct(sample);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    build_cells(distinct, wanted);
    // A tree costs more a row but does not care how the keys crowd.
    if (fullest(distinct) > std::max<std::size_t>(64, 4 * distinct.size() / wanted))
        build_tree(distinct, wanted);
    const Word zero = top_bit<Word>;
    std::uint16_t bucket;
    locate(&zero, 1, &bucket);
    first_nonnegative_ = bucket;
}

template <class Word>
void BucketMap<Word>::build_cells(const std::vector<Word>& distinct, std::size_t wanted) {
    const std::size_t size = distinct.size(), tail = size / 2048;
    low_ = distinct[tail];
    high_ = distinct[size - 1 - tail];
    const int cell_bits = std::clamp(static_cast<int>(std::bit_width(wanted)) + 6, 10, 12);
    const int shift = std::max(0, static_cast<int>(std::bit_width(Word(high_ - low_))) - cell_bits);
    up_ = std::max(0, fraction_bits - shift);
    down_ = std::max(0, shift - fraction_bits);
    const auto cell_of = [&](Word key) {
        const Word inside = std::clamp(key, low_, high_) - low_;
        return static_cast<std::size_t>((inside << up_) >> down_) >> fraction_bits;
    };
    const std::size_t cells = cell_of(high_) + 1;
    edges_.resize(cells + 1);
    std::size_t below = 0;
    for (std::size_t cell = 0; cell <= cells; ++cell) {
        while (below < size && cell_of(distinct[below]) < cell) ++below;
        edges_[cell] =
            static_cast<std::uint32_t>((std::uint64_t{below} * wanted << fraction_bits) / size);
    }
    buckets_ = wanted + 1;  // one more for the step at the sign
}

template <class Word>
void BucketMap<Word>::build_tree(const std::vector<Word>& distinct, std::size_t wanted) {
    levels_ = std::max(1, static_cast<int>(std::bit_width(wanted - 1)));
    const std::size_t leaves = std::size_t{1} << levels_;
    std::vector<Word> splitters;
    for (std::size_t i = 1; i + 1 < leaves; ++i)
        splitters.push_back(distinct[i * distinct.size() / (leaves - 1)]);
    splitters.push_back(top_bit<Word>);
    std::sort(splitters.begin(), splitters.end());
    splitters.erase(std::unique(splitters.begin(), splitters.end()), splitters.end());
    splitters.resize(leaves - 1, static_cast<Word>(~Word{0}));
    tree_.resize(leaves);
    for (int level = 0; level < levels_; ++level)
        for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
            tree_[(std::size_t{1} << level) + i] =
                splitters[(2 * i + 1) * (leaves >> (level + 1)) - 1];
    buckets_ = leaves;
}

template <class Word>
std::size_t BucketMap<Word>::fullest(const std::vector<Word>& distinct) const {
    std::vector<std::size_t> rows(buckets_);
    std::uint16_t bucket[block];
    for (std::size_t begin = 0; begin < distinct.size(); begin += block) {
        const std::size_t size = std::min(block, distinct.size() - begin);
        locate(distinct.data() + begin, size, bucket);
        for (std::size_t i = 0; i < size; ++i) ++rows[bucket[i]];
    }
    return *std::max_element(rows.begin(), rows.end());
}

template class BucketMap<std::uint32_t>;
template class BucketMap<std::uint64_t>;

}  // namespace assay::order
