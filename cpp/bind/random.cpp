#include "kernel/random.hpp"

#include "bind/module.hpp"

namespace assay::bind {
namespace {

template <class T, class Fill>
nb::object filled(std::uint64_t begin, std::uint64_t end, Fill&& fill) {
    Buffer<T> out(begin < end ? end - begin : 0);
    {
        const Released released;
        fill(out.data());
    }
    return to_numpy(std::move(out));
}

nb::object words(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                 std::uint64_t end) {
    return filled<std::uint64_t>(
        begin, end, [&](std::uint64_t* out) { random_words(seed, replicate, begin, end, out); });
}

nb::object poisson(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                   std::uint64_t end) {
    return filled<std::uint8_t>(
        begin, end, [&](std::uint8_t* out) { random_poisson(seed, replicate, begin, end, out); });
}

nb::object below(std::uint64_t seed, std::uint64_t replicate, std::uint64_t begin,
                 std::uint64_t end, std::uint64_t bound) {
    return filled<std::int64_t>(begin, end, [&](std::int64_t* out) {
        random_below(seed, replicate, begin, end, bound, out);
    });
}

}  // namespace

void bind_random(nb::module_& m) {
    m.def("random_words", &words, nb::arg("seed"), nb::arg("replicate"), nb::arg("begin"),
          nb::arg("end"), "The 64 random bits of each row in [begin, end).");
    m.def("random_poisson", &poisson, nb::arg("seed"), nb::arg("replicate"), nb::arg("begin"),
          nb::arg("end"), "A Poisson(1) count for each row in [begin, end).");
    m.def("random_below", &below, nb::arg("seed"), nb::arg("replicate"), nb::arg("begin"),
          nb::arg("end"), nb::arg("bound"),
          "An integer below bound, all equally likely, for each row in [begin, end).");
}

}  // namespace assay::bind
