#include "kernel/sums/sums.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "bind/module.hpp"
#include "bind/numbers.hpp"
#include "kernel/extremes.hpp"

namespace assay::bind {
namespace {

constexpr std::pair<const char*, SumPath> path_names[] = {{"best", SumPath::best},
                                                          {"avx512", SumPath::avx512},
                                                          {"avx2", SumPath::avx2},
                                                          {"portable", SumPath::portable},
                                                          {"scalar", SumPath::scalar}};

SumPath path_called(const std::string& name) {
    for (const auto& [known, path] : path_names)
        if (name == known) return path;
    throw std::invalid_argument("path must be best, avx512, avx2, portable or scalar");
}

nb::object sum(const AnyColumn& x, const std::string& path) {
    const SumPath chosen = path_called(path);
    const NumberColumn column = numbers_of(x);
    const Sum result = [&] {
        const Released released;
        return exact_sum(column, x.shape(0), chosen);
    }();
    return nb::make_tuple(to_int(result.sum), result.bad_row);
}

nb::object square_sum(const AnyColumn& x, const std::string& path) {
    const SumPath chosen = path_called(path);
    const NumberColumn column = numbers_of(x);
    const SquareSum result = [&] {
        const Released released;
        return exact_square_sum(column, x.shape(0), chosen);
    }();
    return nb::make_tuple(to_int(result.sum), to_int(result.squared), result.bad_row);
}

nb::object moments(const AnyColumn& actual, const AnyColumn& predicted, const std::string& path) {
    const SumPath chosen = path_called(path);
    const std::size_t rows = common_rows(actual, predicted);
    const NumberColumn a = numbers_of(actual), p = numbers_of(predicted);
    const Moments m = [&] {
        const Released released;
        return exact_moments(a, p, rows, chosen);
    }();
    nb::dict result;
    result["n"] = rows;
    result["sum_actual"] = to_int(m.actual);
    result["sum_predicted"] = to_int(m.predicted);
    result["sum_absolute_error"] = to_int(m.absolute_error);
    result["sum_squared_actual"] = to_int(m.squared_actual);
    result["sum_squared_predicted"] = to_int(m.squared_predicted);
    result["sum_squared_error"] = to_int(m.squared_error);
    result["max_absolute_error"] = m.max_absolute_error;
    result["bad_row_actual"] = m.bad_row_actual;
    result["bad_row_predicted"] = m.bad_row_predicted;
    return result;
}

nb::object weighted_sum(const AnyColumn& x, const AnyColumn& weight, const std::string& path) {
    const SumPath chosen = path_called(path);
    const std::size_t rows = common_rows(x, weight);
    const NumberColumn column = numbers_of(x), w = numbers_of(weight);
    const WeightedSum result = [&] {
        const Released released;
        return exact_weighted_sum(column, w, rows, chosen);
    }();
    return nb::make_tuple(to_int(result.weighted), to_int(result.weighted_square), result.bad_row,
                          result.bad_row_weight);
}

nb::object weighted_moments(const AnyColumn& actual, const AnyColumn& predicted,
                            const AnyColumn& weight, const std::string& path) {
    const SumPath chosen = path_called(path);
    const std::size_t rows = common_rows(actual, predicted, weight);
    const NumberColumn a = numbers_of(actual), p = numbers_of(predicted), w = numbers_of(weight);
    const WeightedMoments m = [&] {
        const Released released;
        return exact_weighted_moments(a, p, w, rows, chosen);
    }();
    nb::dict result;
    result["n"] = rows;
    result["sum_weight"] = to_int(m.weight);
    result["sum_squared_weight"] = to_int(m.squared_weight);
    result["sum_w_actual"] = to_int(m.actual);
    result["sum_w_predicted"] = to_int(m.predicted);
    result["sum_w_absolute_error"] = to_int(m.absolute_error);
    result["sum_w_squared_actual"] = to_int(m.squared_actual);
    result["sum_w_squared_predicted"] = to_int(m.squared_predicted);
    result["sum_w_squared_error"] = to_int(m.squared_error);
    result["bad_row_actual"] = m.bad_row_actual;
    result["bad_row_predicted"] = m.bad_row_predicted;
    result["bad_row_weight"] = m.bad_row_weight;
    return result;
}

nb::object cell_sums(Column<std::uint32_t> cells, std::size_t number_of_cells,
                     Column<double> weight) {
    const std::size_t rows = common_rows(cells, weight);
    CellSums sums = [&] {
        const Released released;
        return exact_cell_sums(cells.data(), number_of_cells, weight.data(), rows);
    }();
    nb::dict result;
    result["rows"] = to_numpy(std::move(sums.rows));
    const char* const names[] = {"weight", "squared_weight", "cubed_weight"};
    for (int k = 0; k < 3; ++k) {
        CellPower& power = sums.powers[k];
        const std::size_t width = power.width;
        result[names[k]] = nb::make_tuple(
            power.exponent, to_numpy(std::move(power.limbs), {number_of_cells, width}));
    }
    result["bad_row_cell"] = sums.bad_row_cell;
    result["bad_row_weight"] = sums.bad_row_weight;
    return result;
}

nb::object least_and_largest(const AnyColumn& values) {
    const std::size_t rows = values.shape(0);
    return std::visit(
        [rows](const auto* first) -> nb::object {
            const auto found = [&] {
                const Released released;
                return extremes(first, rows);
            }();
            return nb::make_tuple(found.least, found.largest, found.bad_row);
        },
        numbers_of(values));
}

std::vector<std::string> available_paths() {
    std::vector<std::string> names;
    for (const auto& [name, path] : path_names)
        if (path != SumPath::best && has_path(path)) names.emplace_back(name);
    return names;
}

}  // namespace

void bind_sums(nb::module_& m) {
    const auto column = [](const char* name) { return nb::arg(name).noconvert(); };
    const auto path = [] { return nb::arg("path") = "best"; };
    m.def("exact_sum", &sum, column("x"), path(),
          "The sum in units of 2**-1074 and the first row it leaves out, or -1: not finite, or an\n"
          "integer beyond 2**53. Columns are of floats or integers, each of its own type.");
    m.def("exact_square_sum", &square_sum, column("x"), path(),
          "The sum (2**-1074), the sum of squares (2**-2148) and the first row left out, or -1.");
    m.def("exact_moments", &moments, column("actual"), column("predicted"), path(),
          "Exact sums of values (2**-1074) and squares (2**-2148) of both columns and of\n"
          "actual - predicted, as a dict.");
    m.def("exact_weighted_sum", &weighted_sum, column("x"), column("weight"), path(),
          "Sums of weight * x (2**-2148) and weight * x * x (2**-3222), and the first bad rows.");
    m.def("exact_weighted_moments", &weighted_moments, column("actual"), column("predicted"),
          column("weight"), path(),
          "Exact weighted sums as a dict: values in units of 2**-2148, squares of 2**-3222.");
    m.def("exact_cell_sums", &cell_sums, nb::arg("cells").noconvert(), nb::arg("number_of_cells"),
          nb::arg("weight").noconvert(),
          "Rows per cell and the exact sums of weight, weight**2 and weight**3, each as\n"
          "(exponent, limbs): unsigned little-endian limbs times 2**exponent.");
    m.def("extremes", &least_and_largest, column("values"),
          "The least and the largest value, and the first NaN, -1 where there is none.");
    m.def("exact_sum_paths", &available_paths,
          "The code paths of this CPU that the exact sums can take; all give the same integers.");
}

}  // namespace assay::bind
