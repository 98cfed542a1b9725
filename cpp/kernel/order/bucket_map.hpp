// Which bucket a key goes to: a monotone map learned from a sample of the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::order {

// A bad map costs time, never exactness: it is monotone, equal keys share a bucket, and no bucket
// holds keys of both signs. Bucket numbers stay below 2^15.
template <class Word>
class BucketMap {
public:
    // `sample` is sorted and not empty. `wanted` buckets at most 8192.
    BucketMap(const std::vector<Word>& sample, std::size_t wanted);

    std::size_t buckets() const { return buckets_; }
    // Buckets from here on hold keys of scores >= 0, those before of scores < 0.
    std::size_t first_nonnegative() const { return first_nonnegative_; }
    // Writes the bucket of each key. rows <= block. Serial.
    void locate(const Word* keys, std::size_t rows, std::uint16_t* bucket) const;

    static constexpr std::size_t block = 512;

private:
    void build_cells(const std::vector<Word>& distinct, std::size_t wanted);
    void build_tree(const std::vector<Word>& distinct, std::size_t wanted);
    std::size_t fullest(const std::vector<Word>& distinct) const;

    std::size_t buckets_ = 0, first_nonnegative_ = 0;
    // Cells: equal steps of the key range [low_, high_], each a straight piece of the map. edges_
    // holds its value at the cells' edges in 1/65536 of a bucket.
    Word low_ = 0, high_ = 0;
    int up_ = 0, down_ = 0;
    std::vector<std::uint32_t> edges_;
    // Tree: splitters in level order, used when the keys are too crowded for cells. levels_ is 0
    // when the map is made of cells.
    int levels_ = 0;
    std::vector<Word> tree_;
};

}  // namespace assay::order
