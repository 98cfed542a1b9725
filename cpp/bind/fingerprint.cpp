#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bind/module.hpp"
#include "kernel/row_fingerprint.hpp"

namespace assay::bind {
namespace {

nb::object as_bytes(const Hash128& sum) {
    unsigned char bytes[16];
    for (int i = 0; i < 16; ++i)
        bytes[i] = static_cast<unsigned char>(sum[static_cast<std::size_t>(i / 8)] >> 8 * (i % 8));
    return nb::bytes(bytes, sizeof bytes);
}

WordColumn word_column(const AnyColumn& column) {
    if (column.dtype() == nb::dtype<double>()) return {WordColumn::Kind::float64, column.data()};
    if (column.dtype() == nb::dtype<std::int64_t>())
        return {WordColumn::Kind::int64, column.data()};
    if (column.dtype() == nb::dtype<std::uint64_t>())
        return {WordColumn::Kind::word, column.data()};
    throw nb::type_error("a column holds float64, int64 or words of 64 bits");
}

nb::tuple fingerprint(const std::vector<AnyColumn>& columns, std::size_t identifying,
                      std::size_t lowest) {
    if (identifying < 1 || identifying > columns.size() || lowest < 1)
        throw std::invalid_argument("a row is identified by one column at least");
    std::vector<WordColumn> words;
    for (const auto& column : columns) {
        if (column.shape(0) != columns[0].shape(0))
            throw std::invalid_argument("columns differ in length");
        words.push_back(word_column(column));
    }
    RowFingerprint found;
    {
        const Released released;
        found = fingerprint_rows(words, columns[0].shape(0), identifying, lowest);
    }
    return nb::make_tuple(as_bytes(found.rows), as_bytes(found.predictions),
                          to_numpy(std::move(found.hashes)), to_numpy(std::move(found.counts)));
}

}  // namespace

void bind_fingerprint(nb::module_& m) {
    m.def("fingerprint_rows", &fingerprint, nb::arg("columns"), nb::arg("identifying"),
          nb::arg("lowest"),
          "Sums of the hashes of rows as 16 bytes each, and the lowest different hashes with their "
          "counts.");
}

}  // namespace assay::bind
