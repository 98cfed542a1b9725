#include "kernel/labels/arrow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernel/labels/arrow_memory.hpp"
#include "kernel/parallel.hpp"

namespace assay {
namespace {

constexpr std::size_t grain = std::size_t{1} << 16;  // rows

std::optional<ArrowType> simple_type(char format) {
    switch (format) {
        case 'n':
            return ArrowType{ArrowType::null};
        case 'b':
            return ArrowType{ArrowType::boolean};
        case 'c':
            return ArrowType{ArrowType::number, 'i', 1};
        case 'C':
            return ArrowType{ArrowType::number, 'u', 1};
        case 's':
            return ArrowType{ArrowType::number, 'i', 2};
        case 'S':
            return ArrowType{ArrowType::number, 'u', 2};
        case 'i':
            return ArrowType{ArrowType::number, 'i', 4};
        case 'I':
            return ArrowType{ArrowType::number, 'u', 4};
        case 'l':
            return ArrowType{ArrowType::number, 'i', 8};
        case 'L':
            return ArrowType{ArrowType::number, 'u', 8};
        case 'e':
            return ArrowType{ArrowType::number, 'f', 2};
        case 'f':
            return ArrowType{ArrowType::number, 'f', 4};
        case 'g':
            return ArrowType{ArrowType::number, 'f', 8};
        case 'u':
            return ArrowType{ArrowType::utf8};
        case 'U':
            return ArrowType{ArrowType::large_utf8};
        default:
            return std::nullopt;
    }
}

// Throws unless the array can be of that type.
void check(const ArrowArray& array, ArrowType type) {
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 64;
    if (array.length < 0 || array.length > limit) refuse_corrupt("length");
    if (array.offset < 0 || array.offset > limit) refuse_corrupt("offset");
    if (type.layout == ArrowType::null) return;  // producers differ in the buffers they add
    const bool is_view = type.layout == ArrowType::utf8_view;
    const bool has_offsets = type.layout == ArrowType::utf8 || type.layout == ArrowType::large_utf8;
    const std::int64_t buffers = is_view || has_offsets ? 3 : 2;
    if (is_view ? array.n_buffers < buffers : array.n_buffers != buffers) {
        refuse_corrupt("number of buffers");
    }
    if (!array.buffers || (array.length > 0 && !array.buffers[1])) refuse_corrupt("no values");
}

bool in_dictionary(const ArrowColumn& column) {
    return column.schema->dictionary != nullptr;
}

bool may_have_null(const ArrowArray& array) {
    return array.length > 0 && array.null_count != 0 && array.buffers[0];
}

// Calls body(index, chunk, row) for the rows of a dictionary column that `missing` (may be null)
// does not mark, with the row's index, which is checked to be one of the chunk's dictionary.
// Parallel.
template <class Body>
void for_indices(const ArrowColumn& column, const bool* missing, const Body& body) {
    const std::vector<std::size_t> starts = chunk_starts(column);
    visit_index_type(arrow_type(*column.schema), [&](auto zero) {
        using Index = decltype(zero);
        parallel_rows(column.rows, grain, [&](std::size_t begin, std::size_t end, int) {
            for_pieces(
                starts, begin, end,
                [&](std::size_t chunk, std::size_t first, std::size_t last, std::size_t row) {
                    const ArrowArray& array = *column.chunks[chunk];
                    const auto offset = static_cast<std::size_t>(array.offset);
                    const auto size = static_cast<std::size_t>(array.dictionary->length);
                    for (std::size_t i = first; i < last; ++i, ++row) {
                        if (missing && missing[row]) continue;
                        const auto index =
                            static_cast<std::size_t>(load_at<Index>(array.buffers[1], offset + i));
                        if (index >= size) refuse_corrupt("dictionary index");
                        body(index, chunk, row);
                    }
                });
        });
    });
}

// Looks up numbers of one width; the bits need no meaning for that. Booleans are bytes by now.
template <class Bits>
void gather(const ArrowColumn& column, const bool* missing,
            const std::vector<const unsigned char*>& values, unsigned char* out) {
    std::memset(out, 0, column.rows * sizeof(Bits));
    for_indices(column, missing, [&](std::size_t index, std::size_t chunk, std::size_t row) {
        std::memcpy(out + row * sizeof(Bits), values[chunk] + index * sizeof(Bits), sizeof(Bits));
    });
}

void count_missing(MissingRows& missing) {
    missing.count =
        static_cast<std::size_t>(std::count(missing.mask.begin(), missing.mask.end(), true));
    missing.first = -1;
    if (missing.count == 0) {
        missing.mask = {};
    } else {
        missing.first =
            std::find(missing.mask.begin(), missing.mask.end(), true) - missing.mask.begin();
    }
}

// Marks the rows of a dictionary column whose index is that of a null value.
void mark_null_values(const ArrowColumn& column, MissingRows& missing) {
    const auto values_may_have_null = [](const auto& chunk) {
        return may_have_null(*chunk->dictionary);
    };
    if (std::none_of(column.chunks.begin(), column.chunks.end(), values_may_have_null)) return;
    if (missing.mask.size() == 0) {
        missing.mask = Buffer<bool>(column.rows);
        std::fill(missing.mask.begin(), missing.mask.end(), false);
    }
    bool* mask = missing.mask.data();
    for_indices(column, mask, [&](std::size_t index, std::size_t chunk, std::size_t row) {
        // Bits are read in place: dictionaries can be large, and repeat by chunk.
        const ArrowArray& values = *column.chunks[chunk]->dictionary;
        if (!may_have_null(values)) return;
        const std::size_t bit = static_cast<std::size_t>(values.offset) + index;
        const auto* valid = static_cast<const unsigned char*>(values.buffers[0]);
        mask[row] = !(valid[bit / 8] >> (bit % 8) & 1);
    });
    count_missing(missing);
}

const unsigned char* values_of(const ArrowArray& array, std::size_t width) {
    return static_cast<const unsigned char*>(array.buffers[1]) +
           static_cast<std::size_t>(array.offset) * width;
}

Buffer<unsigned char> look_up_numbers(const ArrowColumn& column, bool is_boolean, std::size_t width,
                                      const bool* missing) {
    std::vector<const unsigned char*> values;
    std::vector<Buffer<bool>> expanded;
    for (const auto& chunk : column.chunks) {
        const ArrowArray& dictionary = *chunk->dictionary;
        if (is_boolean) {
            Buffer<bool>& bytes =
                expanded.emplace_back(static_cast<std::size_t>(dictionary.length));
            expand_bits(dictionary.buffers[1], static_cast<std::size_t>(dictionary.offset),
                        bytes.size(), false, bytes.data());
            values.push_back(reinterpret_cast<const unsigned char*>(bytes.data()));
        } else {
            values.push_back(values_of(dictionary, width));
        }
    }
    Buffer<unsigned char> result(column.rows * width);
    switch (width) {
        case 1:
            gather<std::uint8_t>(column, missing, values, result.data());
            break;
        case 2:
            gather<std::uint16_t>(column, missing, values, result.data());
            break;
        case 4:
            gather<std::uint32_t>(column, missing, values, result.data());
            break;
        default:
            gather<std::uint64_t>(column, missing, values, result.data());
    }
    return result;
}

}  // namespace

std::size_t expand_bits(const void* bitmap, std::size_t begin, std::size_t count, bool flip,
                        bool* out) {
    const auto* bytes = static_cast<const unsigned char*>(bitmap);
    const unsigned char flipped = flip ? 0xff : 0;
    std::size_t ones = 0, i = 0;
    const auto single = [&] {
        const std::size_t bit = begin + i;
        out[i] = ((bytes[bit / 8] ^ flipped) >> (bit % 8)) & 1;
        ones += out[i++];
    };
    while (i < count && (begin + i) % 8 != 0) single();
    for (; i + 8 <= count; i += 8) {
        const std::uint64_t byte = bytes[(begin + i) / 8] ^ flipped;
        ones += static_cast<std::size_t>(std::popcount(byte));
        // Copy k of the byte keeps bit k, which then becomes the byte 0 or 1: adding 127 carries
        // into the top bit if there was one.
        const std::uint64_t kept = byte * 0x0101010101010101 & 0x8040201008040201;
        const std::uint64_t spread = (kept + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
        std::memcpy(out + i, &spread, sizeof spread);
    }
    while (i < count) single();
    return ones;
}

ArrowType arrow_type(const ArrowSchema& schema) {
    const std::string_view format = schema.format ? schema.format : "";
    std::optional<ArrowType> type;
    if (format.size() == 1) type = simple_type(format[0]);
    if (format == "vu") type = ArrowType{ArrowType::utf8_view};
    if (!type) throw std::invalid_argument(std::string(format));
    return *type;
}

ArrowType ArrowColumn::type() const {
    if (!in_dictionary(*this)) return arrow_type(*schema);
    const ArrowType indices = arrow_type(*schema);
    if (indices.layout != ArrowType::number || indices.kind == 'f') {
        refuse_corrupt("dictionary indices are no integers");
    }
    const ArrowType values = arrow_type(*schema->dictionary);
    if (schema->dictionary->dictionary) throw std::invalid_argument(schema->dictionary->format);
    return values;
}

void ArrowColumn::add(Owned<ArrowArray> chunk) {
    if (in_dictionary(*this) != (chunk->dictionary != nullptr)) refuse_corrupt("dictionary");
    check(*chunk, arrow_type(*schema));
    if (chunk->dictionary) check(*chunk->dictionary, type());
    // A chunk without rows may still declare labels: its dictionary counts.
    if (chunk->length == 0 && !chunk->dictionary) return;
    rows += static_cast<std::size_t>(chunk->length);
    chunks.push_back(std::move(chunk));
}

ArrowColumn read_arrow_array(ArrowSchema& schema, ArrowArray& array) {
    ArrowColumn column;
    column.schema = Owned(schema);
    Owned<ArrowArray> owned(array);
    column.type();  // refuses what is not supported before anything is read
    if (!owned) refuse_corrupt("released array");
    column.add(std::move(owned));
    return column;
}

ArrowColumn read_arrow_stream(ArrowArrayStream& source) {
    Owned<ArrowArrayStream> stream(source);
    if (!stream) refuse_corrupt("released stream");
    const auto demand = [&](int status) {
        if (status == 0) return;
        const char* words = stream->get_last_error(stream.get());
        throw std::runtime_error(words ? words : "the Arrow stream failed without a reason");
    };
    ArrowColumn column;
    demand(stream->get_schema(stream.get(), column.schema.get()));
    column.type();
    while (true) {
        Owned<ArrowArray> chunk;
        demand(stream->get_next(stream.get(), chunk.get()));
        if (!chunk) return column;
        column.add(std::move(chunk));
    }
}

MissingRows missing_rows(const ArrowColumn& column) {
    MissingRows result;
    const bool all_null = column.type().layout == ArrowType::null;
    if (all_null) {
        result.mask = Buffer<bool>(column.rows);
        std::fill(result.mask.begin(), result.mask.end(), true);
        result.count = column.rows;
        result.first = column.rows > 0 ? 0 : -1;
        return result;
    }
    const auto chunk_may_have_null = [](const auto& chunk) { return may_have_null(*chunk); };
    if (std::any_of(column.chunks.begin(), column.chunks.end(), chunk_may_have_null)) {
        result.mask = Buffer<bool>(column.rows);
        const std::vector<std::size_t> starts = chunk_starts(column);
        parallel_rows(column.rows, grain, [&](std::size_t begin, std::size_t end, int) {
            for_pieces(
                starts, begin, end,
                [&](std::size_t chunk, std::size_t first, std::size_t last, std::size_t row) {
                    const ArrowArray& array = *column.chunks[chunk];
                    bool* out = result.mask.data() + row;
                    if (may_have_null(array)) {
                        expand_bits(array.buffers[0],
                                    static_cast<std::size_t>(array.offset) + first, last - first,
                                    true, out);
                    } else {
                        std::fill(out, out + (last - first), false);
                    }
                });
        });
        count_missing(result);
    }
    if (in_dictionary(column)) mark_null_values(column, result);
    return result;
}

Numbers arrow_numbers(const ArrowColumn& column) {
    const ArrowType type = column.type();
    if (type.is_text()) throw std::invalid_argument("arrow_numbers needs a column of numbers");
    const bool is_boolean = type.layout == ArrowType::boolean;
    Numbers result{is_boolean ? 'b' : type.kind,
                   is_boolean ? 1 : type.bytes,
                   nullptr,
                   {},
                   missing_rows(column)};
    const auto width = static_cast<std::size_t>(result.bytes);

    if (in_dictionary(column)) {
        const bool* missing = result.missing.count > 0 ? result.missing.mask.data() : nullptr;
        result.copy = look_up_numbers(column, is_boolean, width, missing);
        result.data = result.copy.data();
        return result;
    }
    if (!is_boolean && column.chunks.size() == 1) {
        const unsigned char* data = values_of(*column.chunks[0], width);
        if (reinterpret_cast<std::uintptr_t>(data) % width == 0) {
            result.data = data;
            return result;
        }
    }
    result.copy = Buffer<unsigned char>(column.rows * width);
    result.data = result.copy.data();
    const std::vector<std::size_t> starts = chunk_starts(column);
    parallel_rows(column.rows, grain, [&](std::size_t begin, std::size_t end, int) {
        for_pieces(starts, begin, end,
                   [&](std::size_t chunk, std::size_t first, std::size_t last, std::size_t row) {
                       const ArrowArray& array = *column.chunks[chunk];
                       unsigned char* out = result.copy.data() + row * width;
                       if (is_boolean) {
                           expand_bits(array.buffers[1],
                                       static_cast<std::size_t>(array.offset) + first, last - first,
                                       false, reinterpret_cast<bool*>(out));
                       } else {
                           std::memcpy(out, values_of(array, width) + first * width,
                                       (last - first) * width);
                       }
                   });
    });
    return result;
}

}  // namespace assay
