// What the binding files share: the module's parts, arrays in, arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "kernel/buffer.hpp"
#include "kernel/parallel.hpp"

namespace assay::bind {

namespace nb = nanobind;

// A one-dimensional contiguous column in CPU memory, read only, never converted.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A column whose type the binding looks at: trying one overload per type would cost small calls
// more than the work does.
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Holds while a kernel runs: Python may go on meanwhile.
struct Released {
    nb::gil_scoped_release gil;
    KernelCall call;
};

// Hands the memory of a std::vector<T> or Buffer<T> to NumPy without a copy.
template <template <class...> class Array, class T, class... Rest>
nb::object to_numpy(Array<T, Rest...>&& values, std::initializer_list<std::size_t> shape) {
    using Owned = Array<T, Rest...>;
    auto* owned = new Owned(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape, owner));
}

template <template <class...> class Array, class T, class... Rest>
nb::object to_numpy(Array<T, Rest...>&& values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

void bind_fingerprint(nb::module_& m);
void bind_lists(nb::module_& m);
void bind_losses(nb::module_& m);
void bind_order(nb::module_& m);
void bind_parallel(nb::module_& m);
void bind_binned(nb::module_& m);
void bind_random(nb::module_& m);
void bind_resample(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_arrow(nb::module_& m);
void bind_text(nb::module_& m);
void bind_ratings(nb::module_& m);
void bind_sums(nb::module_& m);

}  // namespace assay::bind
