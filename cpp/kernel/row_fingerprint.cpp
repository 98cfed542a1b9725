#include "kernel/row_fingerprint.hpp"

#include <algorithm>
#include <limits>

#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = 1 << 16;

// One to one, every bit of the result depends on every bit of the word (Stafford's variant 13 of
// MurmurHash3's last step).
std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

// The constants are digits of pi. They are fixed: fingerprints are compared between machines.
struct RowHash {
    std::uint64_t low = 0x243f6a8885a308d3, high = 0x13198a2e03707344;

    void add(std::uint64_t word) {
        low = mix(low ^ word) + 0xa4093822299f31d0;
        high = mix(high + word * 0x082efa98ec4e6c89) ^ low;
    }
};

void add_to(Hash128& sum, const RowHash& hash) {
    sum[0] += hash.low;
    sum[1] += hash.high + (sum[0] < hash.low);
}

void add_to(Hash128& sum, const Hash128& other) {
    add_to(sum, RowHash{other[0], other[1]});
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

RowFingerprint fingerprint_rows(const std::vector<const std::uint64_t*>& columns, std::size_t rows,
                                std::size_t identifying, std::size_t lowest) {
    std::vector<Partial> partials(static_cast<std::size_t>(threads()), Partial(lowest));
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        Partial& partial = partials[static_cast<std::size_t>(slot)];
        Hash128 all_rows = partial.rows, all_predictions = partial.predictions;
        for (std::size_t row = begin; row < end; ++row) {
            RowHash hash;
            for (std::size_t column = 0; column < identifying; ++column)
                hash.add(columns[column][row]);
            add_to(all_rows, hash);
            partial.sketch.add(hash.low);
            for (std::size_t column = identifying; column < columns.size(); ++column)
                hash.add(columns[column][row]);
            add_to(all_predictions, hash);
        }
        partial.rows = all_rows;
        partial.predictions = all_predictions;
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
