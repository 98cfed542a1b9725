#include "kernel/labels/arrow.hpp"

#include <memory>
#include <optional>

#include "bind/text.hpp"

namespace assay::bind {
namespace {

template <class Struct>
Struct& from_capsule(nb::handle capsule, const char* name) {
    void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
    if (!pointer) throw nb::python_error();
    return *static_cast<Struct*>(pointer);
}

// The producer's structs are moved out of the capsules, which then have nothing left to release.
// The GIL is let go because a stream may work, or wait for threads that want the GIL, while it
// is read. The stream comes first: an object that offers both may hold several chunks.
ArrowColumn read_column(nb::handle source) {
    if (nb::hasattr(source, "__arrow_c_stream__")) {
        nb::object capsule = source.attr("__arrow_c_stream__")();
        auto& stream = from_capsule<ArrowArrayStream>(capsule, "arrow_array_stream");
        const Released released;
        return read_arrow_stream(stream);
    }
    if (nb::hasattr(source, "__arrow_c_array__")) {
        nb::object pair = source.attr("__arrow_c_array__")();
        if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2) {
            throw nb::type_error("__arrow_c_array__ must return a schema and an array");
        }
        auto& schema = from_capsule<ArrowSchema>(pair[0], "arrow_schema");
        auto& array = from_capsule<ArrowArray>(pair[1], "arrow_array");
        return read_arrow_array(schema, array);
    }
    throw nb::type_error("expected an object with __arrow_c_stream__ or __arrow_c_array__");
}

nb::dlpack::dtype dtype_of(const Numbers& numbers) {
    using Code = nb::dlpack::dtype_code;
    const auto code = numbers.kind == 'i'   ? Code::Int
                      : numbers.kind == 'u' ? Code::UInt
                      : numbers.kind == 'b' ? Code::Bool
                                            : Code::Float;
    return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(numbers.bytes * 8), 1};
}

// The array's memory and what must live as long as it.
struct Lender {
    ArrowColumn column;
    Buffer<unsigned char> copy;
};

nb::object import_arrow(nb::object source, bool keep_unused) {
    auto lender = std::make_unique<Lender>(Lender{read_column(source), {}});
    ArrowColumn& column = lender->column;
    if (column.type().is_text()) {
        Encoded<std::string_view> encoded;
        {
            const Released released;
            encoded = arrow_text(column, keep_unused);
        }
        return nb::make_tuple("text", to_numpy(std::move(encoded.codes)), to_list(encoded.labels),
                              missing_mask(std::move(encoded.missing)));
    }
    std::optional<Numbers> numbers;
    {
        const Released released;
        numbers = arrow_numbers(column);
    }
    const std::size_t rows = column.rows;
    if (numbers->copy.size() > 0) {
        lender->copy = std::move(numbers->copy);
        column = {};  // nothing is borrowed from it
    }
    nb::capsule owner(lender.release(), [](void* p) noexcept { delete static_cast<Lender*>(p); });
    nb::ndarray<nb::numpy, nb::ro> array(numbers->data, 1, &rows, owner, nullptr,
                                         dtype_of(*numbers));
    return nb::make_tuple("numbers", array, missing_mask(std::move(numbers->missing.mask)));
}

}  // namespace

void bind_arrow(nb::module_& m) {
    m.def("import_arrow", &import_arrow, nb::arg("source"), nb::kw_only(),
          nb::arg("keep_unused") = false,
          "Takes a column from any object with the Arrow PyCapsule interface: (\"numbers\", array, "
          "missing) or (\"text\", codes, labels, missing), where missing is a bool array or None. "
          "The array is read-only and borrows the producer's memory where it can. Another type "
          "raises ValueError with Arrow's format string as its message.");
}

}  // namespace assay::bind
