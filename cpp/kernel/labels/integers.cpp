#include "kernel/labels/integers.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernel/concurrent_change.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/labels/integer_order.hpp"
#include "kernel/labels/integer_table.hpp"
#include "kernel/labels/radix_sort.hpp"
#include "kernel/parallel.hpp"
#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t block = 512, grain = 1 << 16, samples = 8192;
constexpr std::uint64_t most_guessed = 1 << 16, most_direct = 1 << 22;

// Columns are read in blocks of words. Integers are words as they are.
template <class T>
struct Integers {
    using Word = std::make_unsigned_t<T>;
    static constexpr Word bias = order_bias<T>();
    const T* values;
    std::size_t rows;

    const Word* read(std::size_t begin, std::size_t, Word*) const {
        return reinterpret_cast<const Word*>(values) + begin;
    }
    Word at(std::size_t row) const { return static_cast<Word>(values[row]); }
};

#define ASSAY_CONVERT(Float)                                                                  \
    ASSAY_CLONES void convert(const Float* values, std::size_t count, std::uint64_t* words) { \
        for (std::size_t i = 0; i < count; ++i)                                               \
            words[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(values[i]));      \
    }
ASSAY_CONVERT(float)
ASSAY_CONVERT(double)
#undef ASSAY_CONVERT

// Floats already known to be whole numbers within +-2^53, as words of 64-bit integers.
template <class Float>
struct WholeNumbers {
    using Word = std::uint64_t;
    static constexpr Word bias = order_bias<std::int64_t>();
    const Float* values;
    std::size_t rows;

    const Word* read(std::size_t begin, std::size_t count, Word* space) const {
        convert(values + begin, count, space);
        return space;
    }
    Word at(std::size_t row) const {
        return static_cast<Word>(static_cast<std::int64_t>(values[row]));
    }
};

// Codes and the ordered words they stand for.
template <class Word>
struct Encoded {
    EncodedCodes codes;
    std::vector<Word> words;
};

EncodedCodes codes_for(std::size_t labels, std::size_t rows) {
    if (labels <= std::size_t{1} << 8) return Buffer<std::uint8_t>(rows);
    if (labels <= std::size_t{1} << 16) return Buffer<std::uint16_t>(rows);
    return Buffer<std::uint32_t>(rows);
}

// Calls use(words, row, count, slot) for blocks of rows, in parallel.
template <class Source, class Use>
void for_each_block(const Source& source, Use&& use) {
    parallel_rows(source.rows, grain, [&](std::size_t begin, std::size_t end, int slot) {
        typename Source::Word space[block];
        for (std::size_t row = begin; row < end; row += block) {
            const std::size_t count = std::min(block, end - row);
            use(source.read(row, count, space), row, count, slot);
        }
    });
}

template <class Source>
auto whole_range(const Source& source) {
    using Word = typename Source::Word;
    WordRange<Word> range;
    std::mutex mutex;
    parallel_rows(source.rows, grain, [&](std::size_t begin, std::size_t end, int) {
        Word space[block];
        WordRange<Word> part;
        for (std::size_t row = begin; row < end; row += block) {
            const std::size_t count = std::min(block, end - row);
            part.include(range_of(source.read(row, count, space), count, Source::bias));
        }
        const std::lock_guard lock(mutex);
        range.include(part);
    });
    return range;
}

// From (word - base) to the rank of the word, for the words of a frame that were marked.
template <class Word>
struct RankTable {
    // In place of a rank: the word was not marked.
    static constexpr std::uint32_t unknown = std::uint32_t{1} << 31;
    Frame<Word> frame;
    std::vector<std::uint32_t> ranks;
    std::vector<Word> words;

    RankTable(const Frame<Word>& where, const std::vector<std::uint8_t>& marks)
        : frame(where), ranks(marks.size()) {
        for (std::size_t i = 0; i < marks.size(); ++i) {
            ranks[i] = marks[i] ? static_cast<std::uint32_t>(words.size()) : unknown;
            if (marks[i]) words.push_back(static_cast<Word>(frame.base + i));
        }
    }

    // codes[i] = rank of values[i] + bias; false when one is not known. What the loop needs is
    // copied first: a store of a byte might change anything else, which would be loaded again.
    template <class Code>
    bool look_up(const Word* values, std::size_t count, Word bias, Code* codes) const {
        const Word origin = static_cast<Word>(frame.base - bias), mask = frame.mask();
        const std::uint32_t* table = ranks.data();
        Word all_indices = 0;
        std::uint32_t all_ranks = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Word index = static_cast<Word>(values[i] - origin);
            const std::uint32_t rank = table[index & mask];
            all_indices |= index;
            all_ranks |= rank;
            codes[i] = static_cast<Code>(rank);
        }
        return !(all_indices & static_cast<Word>(~mask)) && !(all_ranks & unknown);
    }
};

// The same for words far apart. Entered in ascending order, the words have their ranks for codes.
template <class Word>
struct RankHash {
    IntegerTable table;
    std::vector<Word> words;

    explicit RankHash(std::vector<Word>&& ascending) : words(std::move(ascending)) {
        for (const Word word : words) table.code_of(word);
    }

    template <class Code>
    bool look_up(const Word* values, std::size_t count, Word bias, Code* codes) const {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t code = table.known(static_cast<Word>(values[i] + bias));
            all |= code;
            codes[i] = static_cast<Code>(code);
        }
        return all != IntegerTable::unknown;
    }
};

// Codes by the table, or nothing when a row holds a word the table does not know.
template <class Source, class Table, class Word = typename Source::Word>
std::optional<Encoded<Word>> encode_by(const Source& source, Table&& table) {
    EncodedCodes codes = codes_for(table.words.size(), source.rows);
    std::atomic<bool> missed{false};
    std::visit(
        [&](auto& buffer) {
            for_each_block(source, [&](const Word* words, std::size_t row, std::size_t count, int) {
                if (missed.load(std::memory_order_relaxed)) return;
                if (!table.look_up(words, count, Source::bias, buffer.data() + row))
                    missed.store(true, std::memory_order_relaxed);
            });
        },
        codes);
    if (missed) return std::nullopt;
    return Encoded<Word>{std::move(codes), std::move(table.words)};
}

template <class Word>
void mark_words(const Word* words, std::size_t count, Word origin, Word mask, std::uint8_t* marks) {
    for (std::size_t i = 0; i < count; ++i) marks[static_cast<Word>(words[i] - origin) & mask] = 1;
}

// One pass with the labels of a sample; nothing when there are others, which most columns with few
// labels do not have.
template <class Source, class Word = typename Source::Word>
std::optional<Encoded<Word>> encode_by_sample(const Source& source, std::vector<Word>&& sample) {
    std::sort(sample.begin(), sample.end());
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
    if (sample.size() > samples / 8) return std::nullopt;  // too many to have seen them all
    const WordRange<Word> range{sample.front(), sample.back()};
    if (range.span() >= most_guessed) return encode_by(source, RankHash<Word>(std::move(sample)));
    const Frame<Word> frame = frame_of(range, Source::bias);
    std::vector<std::uint8_t> marks(frame.labels());
    for (const Word word : sample) marks[static_cast<Word>(word - frame.base)] = 1;
    return encode_by(source, RankTable<Word>(frame, marks));
}

// Marks the words that occur, then encodes. The range must hold every row.
template <class Source, class Word = typename Source::Word>
Encoded<Word> encode_by_range(const Source& source, const WordRange<Word>& range) {
    const Frame<Word> frame = frame_of(range, Source::bias);
    const Word origin = static_cast<Word>(frame.base - Source::bias);
    std::vector<std::vector<std::uint8_t>> marks(static_cast<std::size_t>(threads()));
    for_each_block(source, [&](const Word* words, std::size_t, std::size_t count, int slot) {
        auto& mark = marks[static_cast<std::size_t>(slot)];
        if (mark.empty()) mark.resize(frame.labels());
        mark_words(words, count, origin, frame.mask(), mark.data());
    });
    std::vector<std::uint8_t> all(frame.labels());
    for (const auto& mark : marks)
        for (std::size_t i = 0; i < mark.size(); ++i) all[i] |= mark[i];
    auto encoded = encode_by(source, RankTable<Word>(frame, all));
    if (!encoded) throw_changed();
    return std::move(*encoded);
}

template <class Code>
void replace(const std::uint32_t* first, std::size_t count, const std::uint32_t* places,
             Code* codes) {
    for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<Code>(places[first[i]]);
}

// Each thread gives codes in order of first sight; afterwards its labels are sorted, merged with
// the others', and its codes replaced by places in the merged order.
template <class Source, class Word = typename Source::Word>
Encoded<Word> encode_by_hash(const Source& source) {
    struct Label {
        Word word;
        std::uint32_t code;
    };
    const auto slots = static_cast<std::size_t>(threads());
    std::vector<IntegerTable> tables(slots);
    std::vector<int> owner((source.rows + grain - 1) / grain);
    Buffer<std::uint32_t> first(source.rows);
    for_each_block(source, [&](const Word* words, std::size_t row, std::size_t count, int slot) {
        std::uint64_t wide[block];
        for (std::size_t i = 0; i < count; ++i)
            wide[i] = static_cast<Word>(words[i] + Source::bias);
        tables[static_cast<std::size_t>(slot)].codes_of(wide, count, first.data() + row);
        owner[row / grain] = slot;
    });

    std::vector<Buffer<Label>> sorted(slots);
    const auto sort_slot = [&](std::size_t slot) {
        const auto& words = tables[slot].words();
        auto& labels = sorted[slot];
        labels = Buffer<Label>(words.size());
        in_pieces(words.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t code = begin; code < end; ++code)
                labels[code] = {static_cast<Word>(words[code]), static_cast<std::uint32_t>(code)};
        });
        if (labels.size() < 1024) {
            std::sort(labels.begin(), labels.end(),
                      [](const Label& a, const Label& b) { return a.word < b.word; });
        } else {
            Buffer<Label> spare(labels.size());
            radix_sort(labels.data(), spare.data(), labels.size(), sizeof(Word) * CHAR_BIT,
                       [](const Label& label) { return label.word; });
        }
    };
    const bool alone = source.rows <= grain;  // small work must not wake threads
    if (alone) {
        for (std::size_t slot = 0; slot < slots; ++slot) sort_slot(slot);
    } else {
        parallel_tasks(slots, [&](std::size_t slot, int) { sort_slot(slot); });
    }
    std::vector<Word> merged, other;
    for (const auto& labels : sorted) {
        other.clear();
        other.reserve(merged.size() + labels.size());
        auto next = merged.cbegin();
        in_pieces(labels.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Word word = labels[i].word;
                while (next != merged.cend() && *next < word) other.push_back(*next++);
                if (next != merged.cend() && *next == word) ++next;
                other.push_back(word);
            }
        });
        other.insert(other.end(), next, merged.cend());
        std::swap(merged, other);
    }
    if (merged.size() > std::uint64_t{1} << 32) throw std::range_error("more than 2^32 labels");

    std::vector<std::vector<std::uint32_t>> places(slots);
    const auto place_slot = [&](std::size_t slot) {
        places[slot].resize(sorted[slot].size());
        std::size_t place = 0;
        in_pieces(sorted[slot].size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const Label& label = sorted[slot][i];
                while (merged[place] != label.word) ++place;
                places[slot][label.code] = static_cast<std::uint32_t>(place);
            }
        });
    };
    if (alone) {
        for (std::size_t slot = 0; slot < slots; ++slot) place_slot(slot);
    } else {
        parallel_tasks(slots, [&](std::size_t slot, int) { place_slot(slot); });
    }
    EncodedCodes codes = codes_for(merged.size(), source.rows);
    std::visit(
        [&](auto& buffer) {
            parallel_rows(source.rows, grain, [&](std::size_t begin, std::size_t end, int) {
                replace(first.data() + begin, end - begin,
                        places[static_cast<std::size_t>(owner[begin / grain])].data(),
                        buffer.data() + begin);
            });
        },
        codes);
    return {std::move(codes), std::move(merged)};
}

template <class Source, class Word = typename Source::Word>
Encoded<Word> encode(const Source& source) {
    const std::size_t rows = source.rows;
    if (rows == 0) return {};
    // Clearing and walking a table far larger than the column would cost more than hashing.
    const std::uint64_t direct =
        std::min<std::uint64_t>(most_direct, std::max<std::uint64_t>(1024, rows / 2));
    if (rows > 2 * samples) {
        std::vector<Word> sample;
        sample.reserve(samples);
        WordRange<Word> range;
        sample_rows(rows, samples, [&](std::size_t row) {
            sample.push_back(static_cast<Word>(source.at(row) + Source::bias));
            range.include(sample.back());
        });
        if (auto encoded = encode_by_sample(source, std::move(sample))) return std::move(*encoded);
        if (range.span() >= direct) return encode_by_hash(source);
    }
    const WordRange<Word> range = whole_range(source);
    if (range.span() < direct) return encode_by_range(source, range);
    return encode_by_hash(source);
}

template <class T, class Source>
EncodedIntegers<T> encode_labels(const Source& source) {
    using Word = typename Source::Word;
    Encoded<Word> encoded = encode(source);
    EncodedIntegers<T> result{std::move(encoded.codes), {}};
    result.labels.reserve(encoded.words.size());
    for (const Word word : encoded.words)
        result.labels.push_back(static_cast<T>(static_cast<Word>(word - Source::bias)));
    return result;
}

// How many of the values are not whole numbers within +-2^53. Those outside are replaced before
// the cast, which is undefined for them; NaN fails every comparison.
template <class Float>
ASSAY_INTO_CLONE std::uint64_t bad_loop(const Float* values, std::size_t count) {
    std::uint64_t bad = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = values[i];
        const double inside = std::fabs(value) <= 9007199254740992.0 ? value : 0.5;
        bad += static_cast<double>(static_cast<std::int64_t>(inside)) != inside;
    }
    return bad;
}

#define ASSAY_COUNT_BAD(Float)                                                     \
    ASSAY_CLONES std::uint64_t count_bad(const Float* values, std::size_t count) { \
        return bad_loop(values, count);                                            \
    }
ASSAY_COUNT_BAD(float)
ASSAY_COUNT_BAD(double)
#undef ASSAY_COUNT_BAD

template <class Float>
std::int64_t first_bad(const Float* values, std::size_t rows) {
    std::atomic<std::size_t> first{rows};
    parallel_rows(rows, grain, [&](std::size_t begin, std::size_t end, int) {
        if (begin >= first.load(std::memory_order_relaxed)) return;
        for (std::size_t start = begin; start < end; start += block) {
            const std::size_t stop = std::min(end, start + block);
            if (count_bad(values + start, stop - start) == 0) continue;
            std::size_t row = start;
            while (count_bad(values + row, 1) == 0) ++row;
            std::size_t known = first.load();
            while (row < known && !first.compare_exchange_weak(known, row)) {
            }
            return;
        }
    });
    return first == rows ? -1 : static_cast<std::int64_t>(first.load());
}

}  // namespace

template <class T>
EncodedIntegers<T> encode_integers(const T* values, std::size_t rows) {
    return encode_labels<T>(Integers<T>{values, rows});
}

template <class Float>
EncodedDoubles encode_doubles(const Float* values, std::size_t rows) {
    EncodedDoubles result;
    result.bad_row = first_bad(values, rows);
    if (result.bad_row < 0)
        result.integers = encode_labels<std::int64_t>(WholeNumbers<Float>{values, rows});
    return result;
}

template EncodedIntegers<std::int8_t> encode_integers(const std::int8_t*, std::size_t);
template EncodedIntegers<std::int16_t> encode_integers(const std::int16_t*, std::size_t);
template EncodedIntegers<std::int32_t> encode_integers(const std::int32_t*, std::size_t);
template EncodedIntegers<std::int64_t> encode_integers(const std::int64_t*, std::size_t);
template EncodedIntegers<std::uint8_t> encode_integers(const std::uint8_t*, std::size_t);
template EncodedIntegers<std::uint16_t> encode_integers(const std::uint16_t*, std::size_t);
template EncodedIntegers<std::uint32_t> encode_integers(const std::uint32_t*, std::size_t);
template EncodedIntegers<std::uint64_t> encode_integers(const std::uint64_t*, std::size_t);
template EncodedDoubles encode_doubles(const float*, std::size_t);
template EncodedDoubles encode_doubles(const double*, std::size_t);

}  // namespace assay
