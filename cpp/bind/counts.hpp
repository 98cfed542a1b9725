// Columns of counts as the kernels take them.
#pragma once

#include <span>

#include "bind/module.hpp"
#include "kernel/order/order.hpp"

namespace assay::bind {

template <class Count>
std::span<const Count> span_of(const AnyColumn& counts) {
    return {static_cast<const Count*>(counts.data()), counts.size()};
}

template <class T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.size()};
}

inline CountsView view(const AnyColumn& counts) {
    if (counts.dtype() == nb::dtype<std::uint8_t>()) return span_of<std::uint8_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint16_t>()) return span_of<std::uint16_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint32_t>()) return span_of<std::uint32_t>(counts);
    if (counts.dtype() == nb::dtype<std::uint64_t>()) return span_of<std::uint64_t>(counts);
    throw nb::type_error("counts are uint8, uint16, uint32 or uint64");
}

}  // namespace assay::bind
