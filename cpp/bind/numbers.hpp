// What the bindings of sums share: columns of numbers in, whole numbers of any size out.
#pragma once

#include <stdexcept>

#include "bind/module.hpp"
#include "kernel/sums/number_columns.hpp"
#include "kernel/sums/wide_integers.hpp"

namespace assay::bind {

// A Python int. Only its significant bytes are handed over: most of a Wide is sign.
template <int N>
nb::object to_int(const Wide<N>& value) {
    int limbs = N;
    const std::uint64_t sign = value.negative() ? ~std::uint64_t{0} : 0;
    while (limbs > 1 && value.limb[limbs - 1] == sign && (value.limb[limbs - 2] ^ sign) >> 63 == 0)
        --limbs;
    unsigned char bytes[8 * N];
    for (int i = 0; i < limbs; ++i)
        for (int j = 0; j < 8; ++j)
            bytes[8 * i + j] = static_cast<unsigned char>(value.limb[i] >> 8 * j);
    const nb::handle int_type(reinterpret_cast<PyObject*>(&PyLong_Type));
    return int_type.attr("from_bytes")(nb::bytes(bytes, 8 * static_cast<std::size_t>(limbs)),
                                       "little", nb::arg("signed") = true);
}

// A column of numbers of any plain type; booleans are read as bytes.
template <class T, class... Rest>
NumberColumn numbers_as(const AnyColumn& column) {
    if (column.dtype() == nb::dtype<T>()) return static_cast<const T*>(column.data());
    if constexpr (sizeof...(Rest) > 0) return numbers_as<Rest...>(column);
    throw nb::type_error("a column of numbers is of floats or integers of 8 to 64 bits");
}

inline NumberColumn numbers_of(const AnyColumn& column) {
    if (column.dtype() == nb::dtype<bool>()) return static_cast<const std::uint8_t*>(column.data());
    return numbers_as<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                      std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>(column);
}

// The number of rows that columns have in common.
template <class First, class... Rest>
std::size_t common_rows(const First& first, const Rest&... rest) {
    if (((rest.shape(0) != first.shape(0)) || ...))
        throw std::invalid_argument("columns differ in length");
    return first.shape(0);
}

}  // namespace assay::bind
