#include "bind/module.hpp"
#include "kernel/ratings/krippendorff.hpp"

namespace assay::bind {
namespace {

nb::object alpha(const Column<double>& ratings, std::size_t items, std::size_t raters, bool by_item,
                 int level) {
    if (level < 0 || level > 3) throw std::invalid_argument("a level is from 0 to 3");
    if (raters == 0 || ratings.size() % raters != 0 || ratings.size() / raters != items)
        throw std::invalid_argument("ratings are items times raters");
    std::optional<RatingAlpha> result;
    {
        const Released released;
        result = krippendorff_alpha({ratings.data(), items, raters, by_item},
                                    static_cast<RatingLevel>(level));
    }
    if (!result) return nb::none();
    return nb::make_tuple(result->value, result->items);
}

}  // namespace

void bind_ratings(nb::module_& m) {
    m.def(
        "krippendorff_alpha", &alpha, nb::arg("ratings").noconvert(), nb::arg("items"),
        nb::arg("raters"), nb::arg("by_item"), nb::arg("level"),
        "Krippendorff's alpha of a flat table of float64 ratings, NaN where one is missing, and\n"
        "the number of items rated twice or more; None where the table needs another way. Levels\n"
        "are 0 nominal, 1 ordinal, 2 interval, 3 ratio.");
}

}  // namespace assay::bind
