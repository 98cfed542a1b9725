#include "kernel/labels/text.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "kernel/interruptible_work.hpp"
#include "kernel/labels/text_table.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

// How many characters all labels begin with, as numbered names ("user-0001") do.
template <class View>
std::size_t common_start(const std::vector<const std::vector<View>*>& tables) {
    constexpr std::size_t labels_per_check = 1 << 16;
    const View* first = nullptr;
    std::size_t length = 0, seen = 0;
    for (const std::vector<View>* labels : tables) {
        for (const View& label : *labels) {
            if (!first) {
                first = &label;
                length = label.size();
            }
            if (++seen % labels_per_check == 0) check_interrupt();
            length = std::min(length, label.size());
            length = static_cast<std::size_t>(
                std::mismatch(label.begin(), label.begin() + length, first->begin()).first -
                label.begin());
            if (length == 0) return 0;
        }
    }
    return length;
}

// The start of a text as one number in the order of the texts: most comparisons end here.
std::uint64_t prefix(std::string_view text) {
    std::uint64_t word = 0;
    if (text.size() >= 8) {
        word = load_word(text.data());
    } else if (!text.empty()) {
        std::memcpy(&word, text.data(), text.size());
    }
    return __builtin_bswap64(word);
}

std::uint64_t prefix(std::u32string_view text) {
    const std::uint64_t first = text.empty() ? 0 : text[0], second = text.size() > 1 ? text[1] : 0;
    return first << 32 | second;
}

template <class View>
struct Candidate {
    std::uint64_t start;
    View text;
    std::uint32_t table, code;

    bool operator<(const Candidate& other) const {
        if (start != other.start) return start < other.start;
        return text < other.text;
    }
};

// How many of the first `count` items of two merged runs come from the left one.
template <class Item>
std::size_t count_left(std::span<const Item> left, std::span<const Item> right, std::size_t count) {
    std::size_t low = count - std::min(count, right.size()), high = std::min(count, left.size());
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (right[count - middle - 1] < left[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Sorts pieces and then merges runs pairwise, each merge cut into pieces of what it writes.
template <class Item>
void sort_parallel(Buffer<Item>& items) {
    constexpr std::size_t piece = 1 << 16;
    const std::size_t size = items.size();
    parallel_rows(size, piece, [&](std::size_t begin, std::size_t end, int) {
        std::sort(items.begin() + begin, items.begin() + end);
    });
    if (size <= piece) return;
    Buffer<Item> merged(size);
    for (std::size_t run = piece; run < size; run *= 2) {
        parallel_rows(size, piece, [&](std::size_t begin, std::size_t end, int) {
            const std::size_t first = begin / (2 * run) * (2 * run);
            const std::size_t middle = std::min(size, first + run);
            const std::span left(std::as_const(items).begin() + first, middle - first);
            const std::span right(std::as_const(items).begin() + middle,
                                  std::min(size, first + 2 * run) - middle);
            const std::size_t from = count_left<Item>(left, right, begin - first);
            const std::size_t to = count_left<Item>(left, right, end - first);
            std::merge(left.begin() + from, left.begin() + to,
                       right.begin() + (begin - first - from), right.begin() + (end - first - to),
                       merged.begin() + begin);
        });
        std::swap(items, merged);
    }
}

template <class From, class To>
void translate(const From* from, To* to, std::size_t count, const std::uint32_t* rank) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(rank[from[i]]);
}

template <class Code>
void clear_missing(Code* codes, const bool* missing, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) codes[i] = missing[i] ? Code{0} : codes[i];
}

bool is_identity(const std::vector<std::uint32_t>& rank) {
    for (std::size_t i = 0; i < rank.size(); ++i) {
        if (rank[i] != i) return false;
    }
    return true;
}

std::size_t code_type(std::size_t labels) {
    return labels <= std::size_t{1} << 8 ? 0 : labels <= std::size_t{1} << 16 ? 1 : 2;
}

// A column without labels (every row missing) still reads rank[0].
const std::vector<std::uint32_t>& at_least_one(const std::vector<std::uint32_t>& rank) {
    static const std::vector<std::uint32_t> zero = {0};
    return rank.empty() ? zero : rank;
}

}  // namespace

std::uint64_t hash_bytes(const char* text, std::size_t length) {
    std::uint64_t even = length, odd = ~length;
    std::size_t i = 0;
    for (; i + 32 <= length; i += 32) {
        even = fold_product(load_word(text + i) ^ hash_salts[2],
                            load_word(text + i + 8) ^ even ^ hash_salts[3]);
        odd = fold_product(load_word(text + i + 16) ^ hash_salts[4],
                           load_word(text + i + 24) ^ odd ^ hash_salts[5]);
    }
    if (length - i > 16) {
        even = fold_product(load_word(text + i) ^ hash_salts[2],
                            load_word(text + i + 8) ^ even ^ hash_salts[3]);
    }
    // The last 16 bytes, overlapping what came before: length > 16, so they exist.
    odd = fold_product(load_word(text + length - 16) ^ hash_salts[4],
                       load_word(text + length - 8) ^ odd ^ hash_salts[5]);
    return fold_product(even ^ hash_salts[6], odd ^ hash_salts[7]);
}

template <class View>
Ranking<View> rank_labels(const std::vector<const std::vector<View>*>& tables, std::size_t shared) {
    Ranking<View> result;
    const std::size_t common = common_start(tables);
    const auto first_own = [&](std::size_t table) { return table == 0 ? 0 : shared; };
    std::size_t size = 0;
    for (std::size_t table = 0; table < tables.size(); ++table)
        size += tables[table]->size() - first_own(table);
    Buffer<Candidate<View>> candidates(size);
    Candidate<View>* next = candidates.data();
    for (std::size_t table = 0; table < tables.size(); ++table) {
        const std::vector<View>& labels = *tables[table];
        result.of_table.emplace_back(labels.size());
        const std::size_t first = first_own(table);
        in_pieces(labels.size() - first, [&](std::size_t begin, std::size_t end) {
            for (std::size_t code = first + begin; code < first + end; ++code) {
                *next++ = {prefix(labels[code].substr(common)), labels[code],
                           static_cast<std::uint32_t>(table), static_cast<std::uint32_t>(code)};
            }
        });
    }
    sort_parallel(candidates);
    in_pieces(size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Candidate<View>& candidate = candidates[i];
            if (result.labels.empty() || result.labels.back() != candidate.text) {
                result.labels.push_back(candidate.text);
            }
            result.of_table[candidate.table][candidate.code] =
                static_cast<std::uint32_t>(result.labels.size() - 1);
        }
    });
    for (std::size_t table = 1; table < tables.size(); ++table) {
        std::copy_n(result.of_table[0].begin(), shared, result.of_table[table].begin());
    }
    return result;
}

template Ranking<std::string_view> rank_labels(
    const std::vector<const std::vector<std::string_view>*>&, std::size_t);
template Ranking<std::u32string_view> rank_labels(
    const std::vector<const std::vector<std::u32string_view>*>&, std::size_t);

Codes make_codes(std::size_t rows, std::size_t labels) {
    switch (code_type(labels)) {
        case 0:
            return Buffer<std::uint8_t>(rows);
        case 1:
            return Buffer<std::uint16_t>(rows);
        default:
            return Buffer<std::uint32_t>(rows);
    }
}

Codes recode(Codes&& codes, const std::vector<std::uint32_t>& rank, std::size_t labels,
             const bool* missing) {
    const std::size_t rows = std::visit([](const auto& held) { return held.size(); }, codes);
    const bool in_place = codes.index() == code_type(labels);
    Codes moved;
    if (!in_place) moved = make_codes(rows, labels);
    const std::uint32_t* ranks = at_least_one(rank).data();
    std::visit(
        [&](auto& from, auto& to) {
            parallel_rows(rows, DraftCodes::block, [&](std::size_t begin, std::size_t end, int) {
                translate(from.data() + begin, to.data() + begin, end - begin, ranks);
                if (missing) clear_missing(to.data() + begin, missing + begin, end - begin);
            });
        },
        codes, in_place ? codes : moved);
    return in_place ? std::move(codes) : std::move(moved);
}

DraftCodes::DraftCodes(std::size_t rows, std::size_t expected_labels)
    : rows_(rows),
      narrow_(make_codes(rows, expected_labels)),
      outgrown_((rows + block - 1) / block),
      table_of_block_(outgrown_.size()) {}

void DraftCodes::store(std::size_t index, const std::uint32_t* codes, std::size_t labels,
                       int table) {
    const std::size_t begin = index * block, count = std::min(block, rows_ - begin);
    table_of_block_[index] = table;
    if (code_type(labels) > narrow_.index()) {
        outgrown_[index] = Buffer<std::uint32_t>(count);
        std::copy_n(codes, count, outgrown_[index].data());
        return;
    }
    std::visit(
        [&](auto& narrow) {
            auto* to = narrow.data() + begin;
            using Code = std::remove_reference_t<decltype(*to)>;
            for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Code>(codes[i]);
        },
        narrow_);
}

Codes DraftCodes::finish(const std::vector<std::vector<std::uint32_t>>& rank_of_table,
                         std::size_t labels, const bool* missing) {
    const bool in_place = narrow_.index() == code_type(labels);
    Codes wide;
    if (!in_place) wide = make_codes(rows_, labels);
    std::vector<char> identity;
    for (const auto& rank : rank_of_table) identity.push_back(is_identity(rank));

    std::visit(
        [&](auto& from, auto& to) {
            parallel_rows(rows_, block, [&](std::size_t begin, std::size_t end, int) {
                const std::size_t index = begin / block, count = end - begin;
                const int table = table_of_block_[index];
                const Buffer<std::uint32_t>& outgrown = outgrown_[index];
                if (in_place && identity[table] && outgrown.size() == 0) return;
                const std::uint32_t* rank = at_least_one(rank_of_table[table]).data();
                if (outgrown.size() > 0) {
                    translate(outgrown.data(), to.data() + begin, count, rank);
                } else {
                    translate(from.data() + begin, to.data() + begin, count, rank);
                }
                if (missing) clear_missing(to.data() + begin, missing + begin, count);
            });
        },
        narrow_, in_place ? narrow_ : wide);
    return in_place ? std::move(narrow_) : std::move(wide);
}

}  // namespace assay
