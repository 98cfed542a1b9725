#include "kernel/row_fingerprint.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = 1 << 16;
constexpr std::size_t block = 512;  // rows whose hashes are made together, in vector registers

// One to one, every bit of the result depends on every bit of the word (Stafford's variant 13 of
// MurmurHash3's last step).
ASSAY_INTO_CLONE std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

// Words that depend on a number alone: the bits of the float64 (0.0 for -0.0) that it is, and of
// whole numbers that no float64 is their own.
ASSAY_CLONES void float64_words(const double* values, std::size_t rows, std::uint64_t* words) {
    double numbers[block];
    for (std::size_t row = 0; row < rows; ++row) numbers[row] = values[row] + 0.0;
    std::memcpy(words, numbers, rows * sizeof *words);
}

ASSAY_CLONES void int64_words(const std::int64_t* values, std::size_t rows, std::uint64_t* words) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    double numbers[block];
    for (std::size_t row = 0; row < rows; ++row) numbers[row] = static_cast<double>(values[row]);
    std::memcpy(words, numbers, rows * sizeof *words);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::int64_t value = values[row];
        words[row] =
            value > exact || value < -exact ? static_cast<std::uint64_t>(value) : words[row];
    }
}

// The constants are digits of pi. They are fixed: fingerprints are compared between machines.
struct BlockHashes {
    std::uint64_t low[block], high[block];
};

ASSAY_CLONES void start(BlockHashes& hashes, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) hashes.low[row] = 0x243f6a8885a308d3;
    for (std::size_t row = 0; row < rows; ++row) hashes.high[row] = 0x13198a2e03707344;
}

ASSAY_CLONES void add(BlockHashes& hashes, const std::uint64_t* words, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t word = words[row];
        const std::uint64_t low = mix(hashes.low[row] ^ word) + 0xa4093822299f31d0;
        hashes.high[row] = mix(hashes.high[row] + word * 0x082efa98ec4e6c89) ^ low;
        hashes.low[row] = low;
    }
}

void add_to(Hash128& sum, const Hash128& other) {
    sum[0] += other[0];
    sum[1] += other[1] + (sum[0] < other[0]);
}

// The sum of a block's hashes: halves of the low words do not overflow.
ASSAY_CLONES Hash128 sum_of(const BlockHashes& hashes, std::size_t rows) {
    std::uint64_t lower = 0, upper = 0, high = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        lower += hashes.low[row] & 0xffffffff;
        upper += hashes.low[row] >> 32;
        high += hashes.high[row];
    }
    Hash128 sum{lower, high};
    add_to(sum, {upper << 32, upper >> 32});
    return sum;
}

// The words of a block of rows, in `made` unless the column has them.
const std::uint64_t* words_of(const WordColumn& column, std::size_t begin, std::size_t rows,
                              std::uint64_t* made) {
    switch (column.kind) {
        case WordColumn::Kind::float64:
            float64_words(static_cast<const double*>(column.values) + begin, rows, made);
            return made;
        case WordColumn::Kind::int64:
            int64_words(static_cast<const std::int64_t*>(column.values) + begin, rows, made);
            return made;
        case WordColumn::Kind::word:
            break;
    }
    return static_cast<const std::uint64_t*>(column.values) + begin;
}

// The lowest different hashes so far with their counts, in a table of twice as many as are kept:
// once it is half full, all but the lowest leave it, and higher hashes are no longer taken in.
class LowestHashes {
public:
    explicit LowestHashes(std::size_t lowest) : lowest_(lowest) {
        std::size_t size = 16;
        while (size < 4 * lowest) size *= 2;
        mask_ = size - 1;
    }

    void add(std::uint64_t hash, std::uint64_t count = 1) {
        if (hash > highest_) return;
        if (counts_.empty()) allocate();
        std::size_t place = hash & mask_;
        while (counts_[place] != 0 && hashes_[place] != hash) place = (place + 1) & mask_;
        if (counts_[place] == 0) {
            hashes_[place] = hash;
            ++used_;
        }
        counts_[place] += count;
        if (used_ >= 2 * lowest_) keep_lowest();
    }

    struct Entry {
        std::uint64_t hash, count;
    };

    // Entries in ascending order, at most as many as are kept.
    std::vector<Entry> sorted() const {
        std::vector<Entry> entries;
        entries.reserve(used_);
        for (std::size_t place = 0; place < counts_.size(); ++place)
            if (counts_[place] != 0) entries.push_back({hashes_[place], counts_[place]});
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
        if (entries.size() > lowest_) entries.resize(lowest_);
        return entries;
    }

private:
    void allocate() {
        hashes_.assign(mask_ + 1, 0);
        counts_.assign(mask_ + 1, 0);
    }

    void keep_lowest() {
        const std::vector<Entry> entries = sorted();
        highest_ = entries.back().hash;
        allocate();
        used_ = 0;
        for (const Entry& entry : entries) add(entry.hash, entry.count);
    }

    std::size_t lowest_, mask_ = 0, used_ = 0;
    std::uint64_t highest_ = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> hashes_, counts_;
};

struct Partial {
    explicit Partial(std::size_t lowest) : sketch(lowest) {}
    Hash128 rows{}, predictions{};
    LowestHashes sketch;
};

}  // namespace

RowFingerprint fingerprint_rows(const std::vector<WordColumn>& columns, std::size_t rows,
                                std::size_t identifying, std::size_t lowest) {
    std::vector<Partial> partials(static_cast<std::size_t>(threads()), Partial(lowest));
    parallel_rows(rows, grain, [&](std::size_t first, std::size_t last, int slot) {
        Partial& partial = partials[static_cast<std::size_t>(slot)];
        BlockHashes hashes;
        std::uint64_t made[block];
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t size = std::min(block, last - begin);
            start(hashes, size);
            for (std::size_t column = 0; column < identifying; ++column)
                add(hashes, words_of(columns[column], begin, size, made), size);
            add_to(partial.rows, sum_of(hashes, size));
            for (std::size_t row = 0; row < size; ++row) partial.sketch.add(hashes.low[row]);
            for (std::size_t column = identifying; column < columns.size(); ++column)
                add(hashes, words_of(columns[column], begin, size, made), size);
            add_to(partial.predictions, sum_of(hashes, size));
        }
    });
    RowFingerprint result;
    LowestHashes sketch(lowest);
    for (const Partial& partial : partials) {
        add_to(result.rows, partial.rows);
        add_to(result.predictions, partial.predictions);
        for (const auto& entry : partial.sketch.sorted()) sketch.add(entry.hash, entry.count);
    }
    const auto entries = sketch.sorted();
    result.hashes = Buffer<std::uint64_t>(entries.size());
    result.counts = Buffer<std::uint64_t>(entries.size());
    for (std::size_t index = 0; index < entries.size(); ++index) {
        result.hashes[index] = entries[index].hash;
        result.counts[index] = entries[index].count;
    }
    return result;
}

}  // namespace assay
