#include "kernel/pairs/pairs.hpp"

#include <nanobind/stl/optional.h>

#include <type_traits>

#include "bind/module.hpp"
#include "kernel/labels/integers.hpp"

namespace assay::bind {
namespace {

// Calls use(typed pointer) for a column of integers; booleans are read as bytes.
template <class Use>
nb::object with_integers(const AnyColumn& column, Use&& use) {
    const auto typed = [&]<class T>(T) { return use(static_cast<const T*>(column.data())); };
    const nb::dlpack::dtype type = column.dtype();
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (type.lanes == 1 && code == nb::dlpack::dtype_code::Int) {
        if (type.bits == 8) return typed(std::int8_t{});
        if (type.bits == 16) return typed(std::int16_t{});
        if (type.bits == 32) return typed(std::int32_t{});
        if (type.bits == 64) return typed(std::int64_t{});
    }
    if (type.lanes == 1 && code == nb::dlpack::dtype_code::UInt) {
        if (type.bits == 8) return typed(std::uint8_t{});
        if (type.bits == 16) return typed(std::uint16_t{});
        if (type.bits == 32) return typed(std::uint32_t{});
        if (type.bits == 64) return typed(std::uint64_t{});
    }
    if (type.lanes == 1 && code == nb::dlpack::dtype_code::Bool && type.bits == 8)
        return typed(std::uint8_t{});
    throw nb::type_error("a column of integers or booleans is needed");
}

Codes codes_of(const AnyColumn& column) {
    const nb::dlpack::dtype type = column.dtype();
    const bool is_unsigned = type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt);
    if (!is_unsigned || type.lanes != 1 || type.bits > 32)
        throw nb::type_error("codes must be uint8, uint16 or uint32");
    return {column.data(), column.shape(0), type.bits / 8};
}

PairColumns pair_columns(const AnyColumn& actual, const AnyColumn& predicted, std::uint64_t rows_k,
                         std::uint64_t columns_k, const std::optional<AnyColumn>& group,
                         std::uint64_t groups_k) {
    PairColumns columns{codes_of(actual), codes_of(predicted), rows_k, columns_k};
    if (group.has_value() != (groups_k > 0))
        throw std::invalid_argument("group_codes and groups_k go together");
    if (group) {
        columns.group = codes_of(*group);
        columns.groups_k = groups_k;
    }
    return columns;
}

nb::object count(const AnyColumn& actual, const AnyColumn& predicted, std::uint64_t rows_k,
                 std::uint64_t columns_k, const std::optional<AnyColumn>& group,
                 std::uint64_t groups_k) {
    const PairColumns columns = pair_columns(actual, predicted, rows_k, columns_k, group, groups_k);
    std::vector<std::int64_t> counts;
    {
        const Released released;
        counts = count_pairs(columns);
    }
    if (group) return to_numpy(std::move(counts), {groups_k, rows_k, columns_k});
    return to_numpy(std::move(counts), {rows_k, columns_k});
}

nb::object count_sparse(const AnyColumn& actual, const AnyColumn& predicted, std::uint64_t rows_k,
                        std::uint64_t columns_k, const std::optional<AnyColumn>& group,
                        std::uint64_t groups_k) {
    const PairColumns columns = pair_columns(actual, predicted, rows_k, columns_k, group, groups_k);
    SparseCounts result;
    {
        const Released released;
        result = count_pairs_sparse(columns);
    }
    return nb::make_tuple(to_numpy(std::move(result.cells)), to_numpy(std::move(result.counts)));
}

nb::object count_integers(const AnyColumn& actual, const AnyColumn& predicted) {
    if (actual.dtype() != predicted.dtype())
        throw nb::type_error("both columns must have the same type");
    if (actual.shape(0) != predicted.shape(0))
        throw std::invalid_argument("the columns differ in length");
    return with_integers(actual, [&]<class T>(const T* values) -> nb::object {
        std::optional<IntegerPairs<T>> pairs;
        {
            const Released released;
            pairs = count_integer_pairs(values, static_cast<const T*>(predicted.data()),
                                        actual.shape(0));
        }
        if (!pairs) return nb::none();
        const std::size_t k = pairs->labels.size();
        return nb::make_tuple(to_numpy(std::move(pairs->labels)),
                              to_numpy(std::move(pairs->counts), {k, k}));
    });
}

nb::object codes_to_numpy(EncodedCodes&& codes) {
    return std::visit([](auto&& values) { return to_numpy(std::move(values)); }, std::move(codes));
}

nb::object encode(const AnyColumn& column) {
    return with_integers(column, [&]<class T>(const T* values) -> nb::object {
        EncodedIntegers<T> encoded;
        {
            const Released released;
            encoded = encode_integers(values, column.shape(0));
        }
        return nb::make_tuple(codes_to_numpy(std::move(encoded.codes)),
                              to_numpy(std::move(encoded.labels)));
    });
}

template <class T>
nb::object encode_floats(const Column<T>& column) {
    EncodedDoubles encoded;
    {
        const Released released;
        encoded = encode_doubles(column.data(), column.shape(0));
    }
    return nb::make_tuple(codes_to_numpy(std::move(encoded.integers.codes)),
                          to_numpy(std::move(encoded.integers.labels)), encoded.bad_row);
}

nb::object order(const AnyColumn& column, std::uint64_t k) {
    const Codes codes = codes_of(column);
    GroupOrder result;
    {
        const Released released;
        result = order_groups(codes, k);
    }
    nb::object rows = result.wide_rows.size() > 0 ? to_numpy(std::move(result.wide_rows))
                                                  : to_numpy(std::move(result.rows));
    return nb::make_tuple(to_numpy(std::move(result.offsets)), rows);
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def("encode_integers", &encode, nb::arg("values").noconvert(),
          "(codes, labels): the distinct integers, ascending, and each row's place among them.");
    m.def("encode_doubles", &encode_floats<double>, nb::arg("values").noconvert(),
          "(codes, labels, bad_row): encode_integers for floats that are whole numbers within "
          "+-2**53; bad_row is the first that is not, else -1.");
    m.def("encode_doubles", &encode_floats<float>, nb::arg("values").noconvert());
    m.def("count_pairs", &count, nb::arg("actual_codes").noconvert(),
          nb::arg("predicted_codes").noconvert(), nb::arg("rows_k"), nb::arg("columns_k"),
          nb::arg("group_codes").noconvert() = nb::none(), nb::arg("groups_k") = 0,
          "Counts per ([group,] actual, predicted), for up to 2**22 cells.");
    m.def("count_pairs_sparse", &count_sparse, nb::arg("actual_codes").noconvert(),
          nb::arg("predicted_codes").noconvert(), nb::arg("rows_k"), nb::arg("columns_k"),
          nb::arg("group_codes").noconvert() = nb::none(), nb::arg("groups_k") = 0,
          "(cells, counts) of the cells that occur, ascending; "
          "cell = (group * rows_k + actual) * columns_k + predicted.");
    m.def("count_integer_pairs", &count_integers, nb::arg("actual").noconvert(),
          nb::arg("predicted").noconvert(),
          "(labels, counts) of two integer columns of one type, or None when the labels are too "
          "far apart for a table.");
    m.def("order_groups", &order, nb::arg("codes").noconvert(), nb::arg("k"),
          "(offsets, rows): row numbers by group code, stable; group g is "
          "rows[offsets[g]:offsets[g + 1]].");
}

}  // namespace assay::bind
