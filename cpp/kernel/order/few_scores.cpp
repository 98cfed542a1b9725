#include "kernel/order/few_scores.hpp"

#include <algorithm>
#include <atomic>

#include "kernel/hash_salt.hpp"
#include "kernel/order/score_loops.hpp"
#include "kernel/parallel.hpp"

namespace assay::order {
namespace {

// A row of a half full table takes half a step on average, unless some crowded rows come together.
constexpr std::size_t slots = 8192, most = 4096, block = 1024, most_steps = 32;

// Open addressing from key to two counts. The key of the NaN with all bits set marks a free slot;
// NaN never gets here.
template <class Word>
class Table {
public:
    Table() : keys_(slots, free_slot), counts_(2 * slots) {}

    // False when there are too many distinct keys, or too many that meet in one place.
    bool add(const Word* keys, const std::uint16_t* labels, std::size_t rows) {
        std::size_t steps = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const Word key = keys[i];
            std::size_t slot = home(key);
            while (keys_[slot] != key) {
                if (keys_[slot] == free_slot) {
                    if (++used_ > most) return false;
                    keys_[slot] = key;
                    break;
                }
                slot = (slot + 1) % slots;
                ++steps;
            }
            ++counts_[2 * slot + labels[i]];
        }
        return steps <= most_steps * rows;
    }

    void append_to(std::vector<FewEntry<Word>>& entries) const {
        for (std::size_t slot = 0; slot < slots; ++slot)
            if (keys_[slot] != free_slot)
                entries.push_back({keys_[slot], counts_[2 * slot + 1], counts_[2 * slot]});
    }

private:
    static constexpr Word free_slot = static_cast<Word>(~Word{0});
    static std::size_t home(Word key) { return static_cast<std::size_t>(hash_word(key) % slots); }
    std::vector<Word> keys_;
    std::vector<std::uint64_t> counts_;
    std::size_t used_ = 0;
};

}  // namespace

template <class Score, class Label>
std::optional<std::vector<FewEntry<WordOf<Score>>>> count_few(const Score* scores,
                                                              const Label* positive,
                                                              std::size_t rows, bool& bad) {
    using Word = WordOf<Score>;
    std::vector<std::optional<Table<Word>>> tables(static_cast<std::size_t>(threads()));
    std::atomic<bool> too_many = false, found_bad = false;
    parallel_rows(rows, 1 << 18, [&](std::size_t begin, std::size_t end, int slot) {
        auto& table = tables[static_cast<std::size_t>(slot)];
        if (!table) table.emplace();
        Word keys[block];
        std::uint16_t labels[block];
        for (std::size_t at = begin; at < end; at += block) {
            if (too_many.load(std::memory_order_relaxed)) return;
            const std::size_t size = std::min(block, end - at);
            std::fill(labels, labels + size, 0);
            const bool nan = make_keys(scores + at, size, keys);
            if (add_labels(positive + at, size, labels) || nan) {
                found_bad = true;
                return;
            }
            if (!table->add(keys, labels, size)) too_many = true;
        }
    });
    bad = found_bad;
    if (too_many) return std::nullopt;
    std::vector<FewEntry<Word>> all, entries;
    for (const auto& table : tables)
        if (table) table->append_to(all);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    for (const FewEntry<Word>& entry : all) {
        if (entries.empty() || entries.back().key != entry.key) {
            entries.push_back(entry);
        } else {
            entries.back().positives += entry.positives;
            entries.back().negatives += entry.negatives;
        }
    }
    return entries;
}

template std::optional<std::vector<FewEntry<std::uint64_t>>> count_few(const double*,
                                                                       const std::uint8_t*,
                                                                       std::size_t, bool&);
template std::optional<std::vector<FewEntry<std::uint64_t>>> count_few(const double*,
                                                                       const std::int64_t*,
                                                                       std::size_t, bool&);
template std::optional<std::vector<FewEntry<std::uint32_t>>> count_few(const float*,
                                                                       const std::uint8_t*,
                                                                       std::size_t, bool&);
template std::optional<std::vector<FewEntry<std::uint32_t>>> count_few(const float*,
                                                                       const std::int64_t*,
                                                                       std::size_t, bool&);

}  // namespace assay::order
