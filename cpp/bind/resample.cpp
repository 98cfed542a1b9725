#include "kernel/resample/bootstrap.hpp"

#include <stdexcept>

#include "bind/counts.hpp"
#include "bind/module.hpp"

namespace assay::bind {
namespace {

Replicates range(std::uint64_t seed, std::uint64_t begin, std::uint64_t end) {
    if (begin > end) throw std::invalid_argument("the range of replicates ends before it begins");
    return {seed, begin, end};
}

nb::object counts(const Column<std::uint64_t>& sizes, std::uint64_t seed, std::uint64_t begin,
                  std::uint64_t end, std::uint64_t stream) {
    const Replicates replicates = range(seed, begin, end);
    if (stream >> 40 != 0) throw std::invalid_argument("a stream is below 2**40");
    const std::size_t entries = sizes.size();
    if (entries > 0 && replicates.size() > most_bytes / sizeof(std::int64_t) / entries)
        throw std::bad_alloc();
    Buffer<std::int64_t> out(replicates.size() * entries);
    {
        const Released released;
        resample_counts(span_of(sizes), replicates, stream, out.data());
    }
    return to_numpy(std::move(out), {replicates.size(), entries});
}

template <class Resample>
nb::object each(Replicates replicates, Resample&& resample) {
    Buffer<double> out(replicates.size());
    {
        const Released released;
        resample(out.data());
    }
    return to_numpy(std::move(out));
}

nb::object areas(const AnyColumn& positives, const AnyColumn& negatives, std::uint64_t seed,
                 std::uint64_t begin, std::uint64_t end, bool stratified) {
    const CountsView p = view(positives), q = view(negatives);
    const Replicates replicates = range(seed, begin, end);
    return each(replicates,
                [&](double* out) { resample_areas(p, q, replicates, stratified, out); });
}

nb::object precisions(const AnyColumn& positives, const AnyColumn& negatives, std::uint64_t seed,
                      std::uint64_t begin, std::uint64_t end, bool stratified) {
    const CountsView p = view(positives), q = view(negatives);
    const Replicates replicates = range(seed, begin, end);
    return each(replicates,
                [&](double* out) { resample_precisions(p, q, replicates, stratified, out); });
}

nb::tuple paired_areas(const AnyColumn& positives, const AnyColumn& negatives,
                       const Column<std::uint32_t>& first_ranks,
                       const Column<std::uint32_t>& second_ranks, std::uint64_t seed,
                       std::uint64_t begin, std::uint64_t end, bool stratified) {
    const CountsView p = view(positives), q = view(negatives);
    const Replicates replicates = range(seed, begin, end);
    Buffer<double> first(replicates.size()), second(replicates.size());
    {
        const Released released;
        double* const out[2] = {first.data(), second.data()};
        resample_paired_areas(p, q, span_of(first_ranks), span_of(second_ranks), replicates,
                              stratified, out);
    }
    return nb::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(second)));
}

}  // namespace

void bind_resample(nb::module_& m) {
    const auto positives = nb::arg("positives").noconvert(),
               negatives = nb::arg("negatives").noconvert();
    const auto seed = nb::arg("seed"), begin = nb::arg("begin"), end = nb::arg("end");
    const auto stratified = nb::arg("stratified") = false;
    m.def("resample_counts", &counts, nb::arg("sizes").noconvert(), seed, begin, end,
          nb::arg("stream") = 0,
          "Multinomial counts of sum(sizes) draws for each of the replicates [begin, end).");
    m.def("resample_areas", &areas, positives, negatives, seed, begin, end, stratified,
          "The area under the ROC curve of each replicate of a score tally; NaN without both "
          "classes.");
    m.def("resample_precisions", &precisions, positives, negatives, seed, begin, end, stratified,
          "The average precision of each replicate of a score tally; NaN without positives.");
    m.def("resample_paired_areas", &paired_areas, positives, negatives,
          nb::arg("first_ranks").noconvert(), nb::arg("second_ranks").noconvert(), seed, begin, end,
          stratified,
          "The areas of two models on the same rows, for each replicate; ranks are ascending from "
          "0.");
}

}  // namespace assay::bind
