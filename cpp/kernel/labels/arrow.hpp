// The Arrow door: columns from any library that speaks the Arrow C data interface, without that
// library. https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/labels/text.hpp"

namespace assay {

// The three structs of the interface; names, order and types of the fields are its specification.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

// Owns one of these structs and releases it exactly once.
template <class Struct>
class Owned {
public:
    Owned() = default;
    // Moves out of the producer's struct, which is left marked as released.
    explicit Owned(Struct& source) : value_(std::exchange(source, Struct{})) {}
    Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, Struct{})) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Owned() {
        if (value_.release) value_.release(&value_);
    }

    explicit operator bool() const { return value_.release != nullptr; }
    Struct* get() { return &value_; }
    const Struct& operator*() const { return value_; }
    const Struct* operator->() const { return &value_; }

private:
    Struct value_{};
};

// How a column's values lie in memory.
struct ArrowType {
    enum Layout { number, boolean, utf8, large_utf8, utf8_view, null } layout;
    char kind = 0;  // of a number: 'i', 'u' or 'f', as NumPy writes it
    int bytes = 0;  // of a number
    bool is_text() const { return layout >= utf8; }
};

// The type of a schema's values (of the indices, for a dictionary). Any other format throws
// std::invalid_argument whose message is the format string and nothing else; dates and times too,
// as without their unit they would be bare numbers.
ArrowType arrow_type(const ArrowSchema& schema);

// A column as it came: chunks in order, each checked to have the buffers its type needs.
struct ArrowColumn {
    Owned<ArrowSchema> schema;
    std::vector<Owned<ArrowArray>> chunks;  // none is empty
    std::size_t rows = 0;

    // Throws std::invalid_argument on a chunk that cannot be what the schema says.
    void add(Owned<ArrowArray> chunk);
    // Of the values; of the dictionary's values where there is a dictionary.
    ArrowType type() const;
};

ArrowColumn read_arrow_array(ArrowSchema& schema, ArrowArray& array);

// Reads the stream to its end. A failure of the producer throws std::runtime_error with its words.
ArrowColumn read_arrow_stream(ArrowArrayStream& stream);

struct MissingRows {
    Buffer<bool> mask;  // empty when no row is missing
    std::size_t count = 0;
    std::ptrdiff_t first = -1;
};

// The rows that the validity bitmaps call null. Parallel.
MissingRows missing_rows(const ArrowColumn& column);

struct Numbers {
    char kind;  // 'i', 'u', 'f', or 'b' for a boolean, one byte each
    int bytes;
    const void* data;            // in `copy` or in the column's only chunk
    Buffer<unsigned char> copy;  // empty when the data is borrowed
    MissingRows missing;
};

// The numbers or booleans of a column whose type().is_text() is false. Borrowed from a single plain
// chunk, else copied once, in parallel; a dictionary's numbers are looked up. What stands in a
// missing row is unspecified.
Numbers arrow_numbers(const ArrowColumn& column);

// Encodes a column whose type().is_text() is true. Values of a dictionary that no row uses are no
// labels, unless keep_unused. Parallel.
Encoded<std::string_view> arrow_text(const ArrowColumn& column, bool keep_unused);

}  // namespace assay
