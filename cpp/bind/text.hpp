// Encoded text on its way to Python.
#pragma once

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bind/module.hpp"
#include "kernel/labels/text.hpp"

namespace assay::bind {

// A str of UTF-8 (an ill-formed one raises UnicodeDecodeError) or of UCS4 (lone surrogates pass, as
// they do in Python).
inline nb::object to_str(std::string_view text) {
    return nb::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
}

inline nb::object to_str(std::u32string_view text) {
    int little_endian = -1;
    return nb::steal(PyUnicode_DecodeUTF32(reinterpret_cast<const char*>(text.data()),
                                           static_cast<Py_ssize_t>(text.size() * sizeof(char32_t)),
                                           "surrogatepass", &little_endian));
}

// While the GIL is held, nothing else looks for Ctrl-C.
inline void check_signals() {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}
constexpr std::size_t labels_per_signal_check = 1 << 12;

template <class View>
nb::list to_list(const std::vector<View>& labels) {
    nb::list result;
    for (const View& label : labels) {
        nb::object text = to_str(label);
        if (!text.is_valid()) throw nb::python_error();
        result.append(text);
        if (nb::len(result) % labels_per_signal_check == 0) check_signals();
    }
    return result;
}

inline nb::object to_numpy(Codes&& codes) {
    return std::visit([](auto&& held) { return to_numpy(std::move(held)); }, std::move(codes));
}

// A bool array, or None where no row is missing.
inline nb::object missing_mask(Buffer<bool>&& missing) {
    return missing.size() == 0 ? nb::none() : to_numpy(std::move(missing));
}

}  // namespace assay::bind
