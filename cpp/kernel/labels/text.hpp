// Text labels as small integers: code k is the k-th distinct text in code-point order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/labels/text_store.hpp"

namespace assay {

// One code per row, of the smallest type that holds them all.
using Codes = std::variant<Buffer<std::uint8_t>, Buffer<std::uint16_t>, Buffer<std::uint32_t>>;

// A text column as codes. The labels ascend and point into `texts`: UTF-8 (View = string_view) or
// UCS4 (u32string_view). Missing rows have code 0 and a mark in `missing`,
// which is empty when no row is missing.
template <class View>
struct Encoded {
    Codes codes;
    std::vector<View> labels;
    TextStore texts;
    Buffer<bool> missing;
    std::size_t missing_count = 0;
    std::ptrdiff_t missing_row = -1;  // the first one
};

// The labels of several tables as one ascending list, and where each table's codes went.
template <class View>
struct Ranking {
    std::vector<View> labels;
    std::vector<std::vector<std::uint32_t>> of_table;  // [table][code] -> index into labels
};

// Ranks the labels of the tables (none repeats one); the first `shared` labels are the same in
// every table. Sorts in parallel. View is std::string_view or std::u32string_view.
template <class View>
Ranking<View> rank_labels(const std::vector<const std::vector<View>*>& tables,
                          std::size_t shared = 0);

// Codes while the label set is still growing. Blocks of rows are stored in the width that the
// expected number of labels needs; a block that outgrows it is kept apart, so a wrong guess costs
// memory and no second pass.
class DraftCodes {
public:
    static constexpr std::size_t block = 16384;  // rows

    DraftCodes(std::size_t rows, std::size_t expected_labels);

    // Stores the codes of one whole block (the last may be short), made by a table that has
    // `labels` labels now. Blocks may be stored by several threads at once, each block once.
    void store(std::size_t index, const std::uint32_t* codes, std::size_t labels, int table);

    // Codes by rank, 0 where `missing` (may be null) is set. Parallel; uses the draft up.
    Codes finish(const std::vector<std::vector<std::uint32_t>>& rank_of_table, std::size_t labels,
                 const bool* missing);

private:
    std::size_t rows_;
    Codes narrow_;
    std::vector<Buffer<std::uint32_t>> outgrown_;
    std::vector<int> table_of_block_;
};

// Codes of the type that `labels` labels need, for the rows of this many; not initialised.
Codes make_codes(std::size_t rows, std::size_t labels);

// Replaces each code by rank[code] and moves to the type that `labels` labels need. Rows marked in
// `missing` (may be null) get 0. Parallel.
Codes recode(Codes&& codes, const std::vector<std::uint32_t>& rank, std::size_t labels,
             const bool* missing);

// Encodes `rows` texts of `width` UCS4 characters each, one behind the other; trailing NULs are
// padding. One pass, parallel above 16384 rows.
Encoded<std::u32string_view> encode_fixed_text(const char32_t* text, std::size_t rows,
                                               std::size_t width);

}  // namespace assay
