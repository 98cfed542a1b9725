#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "kernel/concurrent_change.hpp"
#include "kernel/interruptible_work.hpp"
#include "kernel/labels/arrow.hpp"
#include "kernel/labels/arrow_memory.hpp"
#include "kernel/labels/text_encoder.hpp"
#include "kernel/labels/text_table.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

struct KeyedText {
    ByteKey key;
    std::string_view text;
};

// utf8 (32-bit offsets) and large_utf8 (64-bit): text i lies between offsets i and i + 1.
template <class Offset>
class OffsetReader {
public:
    explicit OffsetReader(const ArrowArray& array)
        : offsets_(static_cast<const char*>(array.buffers[1]) + array.offset * sizeof(Offset)),
          data_(static_cast<const char*>(array.buffers[2])) {
        if (array.length == 0) return;  // the buffers may be absent then
        const auto end = load_at<Offset>(offsets_, static_cast<std::size_t>(array.length));
        if (end < 0 || (end > 0 && !data_)) refuse_corrupt("offsets");
        end_ = static_cast<std::uint64_t>(end);
        readable_ = end_ >= ByteKey::in_place ? end_ - ByteKey::in_place + 1 : 0;
    }

    KeyedText operator[](std::size_t row) const {
        // A negative offset becomes a huge one, and so does a negative length.
        const auto begin =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(load_at<Offset>(offsets_, row)));
        const std::uint64_t length = static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                         load_at<Offset>(offsets_, row + 1))) -
                                     begin;
        const char* text = data_ + begin;
        if (length <= ByteKey::in_place && begin < readable_) [[likely]] {
            return {ByteKey::of_readable(text, length), {text, length}};
        }
        if (begin > end_ || length > end_ - begin) refuse_corrupt("offsets");
        return {ByteKey::of(text, length), {text, length}};
    }

private:
    const char* offsets_;
    const char* data_;
    std::uint64_t end_ = 0;       // the data is known to reach to here
    std::uint64_t readable_ = 0;  // below this, 16 bytes can be read
};

// utf8_view: 16 bytes per text, the length and then either up to 12 bytes of text or the first 4,
// the number of a data buffer and an offset into it. The last buffer holds the sizes of the others.
class ViewReader {
public:
    explicit ViewReader(const ArrowArray& array)
        : views_(static_cast<const char*>(array.buffers[1]) + array.offset * view_bytes),
          data_(array.buffers + 2),
          sizes_(array.buffers[array.n_buffers - 1]),
          data_buffers_(static_cast<std::uint64_t>(array.n_buffers - 3)) {
        if (array.length > 0 && data_buffers_ > 0 && !sizes_) refuse_corrupt("view buffer sizes");
    }

    KeyedText operator[](std::size_t row) const {
        const char* view = views_ + row * view_bytes;
        const auto length =
            static_cast<std::uint64_t>(static_cast<std::int64_t>(load_at<std::int32_t>(view, 0)));
        if (length <= inline_bytes) {
            const char* text = view + 4;
            const std::uint64_t first = load_word(text), second = load_at<std::uint32_t>(text, 2);
            return {{first & ByteKey::first_masks[length], second & ByteKey::second_masks[length],
                     length},
                    {text, length}};
        }
        const std::uint64_t buffer = load_at<std::uint32_t>(view, 2);
        const std::uint64_t begin = load_at<std::uint32_t>(view, 3);
        if (buffer >= data_buffers_ || !data_[buffer]) refuse_corrupt("view buffer");
        const auto size = static_cast<std::uint64_t>(load_at<std::int64_t>(sizes_, buffer));
        if (begin > size || length > size - begin) refuse_corrupt("view offset");
        const char* text = static_cast<const char*>(data_[buffer]) + begin;
        return {ByteKey::of(text, length), {text, length}};
    }

private:
    static constexpr std::size_t view_bytes = 16, inline_bytes = 12;
    const char* views_;
    const void* const* data_;
    const void* sizes_;
    std::uint64_t data_buffers_;
};

template <class Reader>
class ColumnText {
public:
    ColumnText(const ArrowColumn& column, const bool* missing)
        : starts_(chunk_starts(column)), missing_(missing) {
        for (const auto& chunk : column.chunks) readers_.emplace_back(*chunk);
    }

    void encode(ByteTable& table, std::size_t begin, std::size_t end, std::uint32_t* codes) const {
        for_pieces(starts_, begin, end,
                   [&](std::size_t chunk, std::size_t first, std::size_t last, std::size_t row) {
                       const bool* missing = missing_ ? missing_ + row : nullptr;
                       std::uint32_t* out = codes + (row - begin);
                       if (table.large()) {
                           encode_piece<true>(readers_[chunk], table, first, last, missing, out);
                       } else {
                           encode_piece<false>(readers_[chunk], table, first, last, missing, out);
                       }
                   });
    }

private:
    static constexpr std::size_t ahead = 16;  // rows between a prefetch and its use

    // `reader` by value: its fields then stay in registers although `out` is written.
    template <bool large>
    static void encode_piece(Reader reader, ByteTable& table, std::size_t first, std::size_t last,
                             const bool* missing, std::uint32_t* out) {
        for (std::size_t i = 0; i < last - first; ++i) {
            if (large && first + i + ahead < last && !(missing && missing[i + ahead])) {
                table.prefetch(reader[first + i + ahead].key);
            }
            if (missing && missing[i]) {  // what lies under a null need not be text
                out[i] = 0;
                continue;
            }
            const KeyedText found = reader[first + i];
            out[i] = table.find_or_add(found.key, [&] { return found.text; });
        }
    }

    std::vector<Reader> readers_;
    std::vector<std::size_t> starts_;
    const bool* missing_;
};

// Calls visit(reader) with a reader of the array's text.
template <class Visit>
void visit_reader(const ArrowArray& array, ArrowType type, Visit&& visit) {
    switch (type.layout) {
        case ArrowType::utf8:
            return visit(OffsetReader<std::int32_t>(array));
        case ArrowType::large_utf8:
            return visit(OffsetReader<std::int64_t>(array));
        case ArrowType::utf8_view:
            return visit(ViewReader(array));
        default:
            throw std::invalid_argument("arrow_text needs a column of text");
    }
}

constexpr std::uint32_t no_code = 0xffffffff;

// The code of each value of a dictionary; null values have none.
std::vector<std::uint32_t> encode_values(const ArrowArray& values, ArrowType type,
                                         ByteTable& table) {
    std::vector<std::uint32_t> codes(static_cast<std::size_t>(values.length), no_code);
    if (codes.empty()) return codes;
    Buffer<bool> null(codes.size());
    std::fill(null.begin(), null.end(), false);
    if (values.null_count != 0 && values.buffers[0]) {
        expand_bits(values.buffers[0], static_cast<std::size_t>(values.offset), codes.size(), true,
                    null.data());
    }
    visit_reader(values, type, [&](const auto& reader) {
        in_pieces(codes.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (null[i]) continue;
                const KeyedText found = reader[i];
                codes[i] = table.find_or_add(found.key, [&] { return found.text; });
            }
        });
    });
    return codes;
}

bool same_memory(const ArrowArray& a, const ArrowArray& b) {
    return a.length == b.length && a.offset == b.offset && a.n_buffers == b.n_buffers &&
           a.null_count == b.null_count &&
           std::equal(a.buffers, a.buffers + a.n_buffers, b.buffers);
}

// Drops the labels that no row uses.
void drop_unused(Encoded<std::string_view>& encoded, const std::vector<char>& used,
                 const bool* missing) {
    std::vector<std::uint32_t> rank(encoded.labels.size());
    std::size_t kept = 0;
    for (std::size_t code = 0; code < rank.size(); ++code) {
        rank[code] = static_cast<std::uint32_t>(kept);
        if (used[code]) encoded.labels[kept++] = encoded.labels[code];
    }
    if (kept == rank.size()) return;
    encoded.labels.resize(kept);
    encoded.codes = recode(std::move(encoded.codes), rank, kept, missing);
}

// The codes are there already: only the dictionaries of the chunks have to become one.
Encoded<std::string_view> encode_dictionary(const ArrowColumn& column, const bool* missing,
                                            bool keep_unused) {
    const ArrowType type = column.type();
    ByteTable table;
    std::vector<std::vector<std::uint32_t>> maps;  // of different dictionaries: index -> code
    std::vector<std::size_t> map_of_chunk;
    const ArrowArray* previous = nullptr;
    for (const auto& chunk : column.chunks) {
        if (!previous || !same_memory(*previous, *chunk->dictionary)) {
            maps.push_back(encode_values(*chunk->dictionary, type, table));
            previous = chunk->dictionary;
        }
        map_of_chunk.push_back(maps.size() - 1);
    }
    Encoded<std::string_view> result;
    Ranking<std::string_view> ranking = rank_labels<std::string_view>({&table.labels()});
    for (auto& map : maps) {
        in_pieces(map.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                if (map[i] != no_code) map[i] = ranking.of_table[0][map[i]];
            }
        });
    }
    result.labels = std::move(ranking.labels);
    result.texts.share(table.texts());
    result.codes = make_codes(column.rows, result.labels.size());

    const std::vector<std::size_t> starts = chunk_starts(column);
    std::vector<std::vector<char>> used(static_cast<std::size_t>(threads()));
    const auto fill = [&](auto index_zero, auto& codes) {
        using Index = decltype(index_zero);
        using Code = std::remove_reference_t<decltype(codes[0])>;
        parallel_rows(
            column.rows, DraftCodes::block, [&](std::size_t begin, std::size_t end, int slot) {
                used[slot].resize(result.labels.size());
                char* marks = used[slot].data();
                for_pieces(
                    starts, begin, end,
                    [&](std::size_t chunk, std::size_t first, std::size_t last, std::size_t row) {
                        const std::vector<std::uint32_t>& map = maps[map_of_chunk[chunk]];
                        const ArrowArray& array = *column.chunks[chunk];
                        const std::uint32_t* code_of = map.data();
                        const std::size_t size = map.size();
                        const char* indices =
                            static_cast<const char*>(array.buffers[1]) +
                            static_cast<std::size_t>(array.offset) * sizeof(Index);
                        Code* out = codes.data() + row - first;
                        const bool* null = missing ? missing + row - first : nullptr;
                        for (std::size_t i = first; i < last; ++i) {
                            if (null && null[i]) {
                                out[i] = 0;
                                continue;
                            }
                            const auto index =
                                static_cast<std::uint64_t>(load_at<Index>(indices, i));
                            if (index >= size) refuse_corrupt("dictionary index");
                            const std::uint32_t code = code_of[index];
                            if (code == no_code) throw_changed();  // nulls were marked before
                            out[i] = static_cast<Code>(code);
                            marks[code] = 1;
                        }
                    });
            });
    };
    std::visit(
        [&](auto& codes) {
            visit_index_type(arrow_type(*column.schema), [&](auto zero) { fill(zero, codes); });
        },
        result.codes);

    if (keep_unused) return result;
    std::vector<char> any(result.labels.size());
    for (const auto& marks : used) {
        for (std::size_t code = 0; code < marks.size(); ++code) any[code] |= marks[code];
    }
    drop_unused(result, any, missing);
    return result;
}

}  // namespace

Encoded<std::string_view> arrow_text(const ArrowColumn& column, bool keep_unused) {
    MissingRows missing = missing_rows(column);
    const bool* mask = missing.count > 0 ? missing.mask.data() : nullptr;
    Encoded<std::string_view> result;
    const ArrowType type = column.type();
    const auto encode = [&]<class Reader>(std::type_identity<Reader>) {
        result = encode_rows<ByteTable>(ColumnText<Reader>(column, mask), column.rows, mask);
    };
    if (type.layout == ArrowType::null) {
        result.codes = make_codes(column.rows, 0);
        auto& codes = std::get<0>(result.codes);
        std::fill(codes.begin(), codes.end(), std::uint8_t{0});
    } else if (column.schema->dictionary) {
        result = encode_dictionary(column, mask, keep_unused);
    } else if (type.layout == ArrowType::utf8) {
        encode(std::type_identity<OffsetReader<std::int32_t>>());
    } else if (type.layout == ArrowType::large_utf8) {
        encode(std::type_identity<OffsetReader<std::int64_t>>());
    } else if (type.layout == ArrowType::utf8_view) {
        encode(std::type_identity<ViewReader>());
    } else {
        throw std::invalid_argument("arrow_text needs a column of text");
    }
    result.missing = std::move(missing.mask);
    result.missing_count = missing.count;
    result.missing_row = missing.first;
    return result;
}

}  // namespace assay
