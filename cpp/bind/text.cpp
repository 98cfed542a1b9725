#include "bind/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>

#include "kernel/labels/text_table.hpp"

namespace assay::bind {
namespace {

using FixedText = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple encode_fixed(FixedText array) {
    const auto* text = reinterpret_cast<const char32_t*>(array.data());
    Encoded<std::u32string_view> encoded;
    {
        const Released released;
        encoded = encode_fixed_text(text, array.shape(0), array.shape(1));
    }
    return nb::make_tuple(to_numpy(std::move(encoded.codes)), to_list(encoded.labels), -1, 0,
                          nb::none());
}

// The rows of a NumPy object array (any stride), a list or a tuple, by number.
class ObjectRows {
public:
    explicit ObjectRows(nb::handle rows) {
        if (PyObject_CheckBuffer(rows.ptr())) {
            view_ = std::make_unique<View>(rows);
            const Py_buffer& buffer = view_->buffer;
            if (buffer.ndim != 1 || std::string_view(buffer.format) != "O") {
                throw nb::type_error(
                    "an array of objects must have one dimension and dtype object");
            }
            first_ = static_cast<const char*>(buffer.buf);
            stride_ = buffer.strides[0];
            size_ = static_cast<std::size_t>(buffer.shape[0]);
            return;
        }
        held_ = nb::steal(PySequence_Fast(rows.ptr(), "expected a sequence"));
        if (!held_.is_valid()) throw nb::python_error();
        is_list_ = PyList_Check(held_.ptr());
        size_ = static_cast<std::size_t>(PySequence_Size(held_.ptr()));
    }

    std::size_t size() const { return size_; }

    // The object of a row, borrowed; null is NumPy's None. It is read when it is needed: a signal
    // handler or a finaliser may have put another in its place since the call began, or have made
    // a list shorter, which throws.
    PyObject* operator[](std::size_t row) const {
        const auto at = static_cast<Py_ssize_t>(row);
        PyObject* item;
        if (first_) {
            std::memcpy(&item, first_ + at * stride_, sizeof item);
            return item;
        }
        item = is_list_ ? PyList_GetItem(held_.ptr(), at) : PyTuple_GetItem(held_.ptr(), at);
        if (!item) throw nb::python_error();
        return item;
    }

private:
    struct View {
        Py_buffer buffer;
        explicit View(nb::handle from) {
            if (PyObject_GetBuffer(from.ptr(), &buffer, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
                throw nb::python_error();
            }
        }
        ~View() { PyBuffer_Release(&buffer); }
        View(const View&) = delete;
        View& operator=(const View&) = delete;
    };

    std::unique_ptr<View> view_;
    const char* first_ = nullptr;
    Py_ssize_t stride_ = 0;
    nb::object held_;
    bool is_list_ = false;
    std::size_t size_ = 0;
};

class ObjectEncoder {
public:
    static constexpr std::uint32_t missing = 0xffffffff, bad = 0xfffffffe;

    // Few rows get a small cache: clearing a large one would cost more than they do.
    explicit ObjectEncoder(std::size_t rows)
        : cache_bits_(std::clamp(static_cast<int>(std::bit_width(rows)) + 1, 4, 12)),
          cache_(std::size_t{1} << cache_bits_) {}

    // The object's code, or one of the two marks above.
    std::uint32_t encode(PyObject* object) {
        if (!cache_in_use_) return look_up(object);
        // Objects made one after the other have addresses in steps; the golden ratio spreads them.
        const std::uint64_t spread =
            reinterpret_cast<std::uintptr_t>(object) * std::uint64_t{0x9e3779b97f4a7c15};
        Cached& cached = cache_[spread >> (64 - cache_bits_)];
        if (cached.object == object) return cached.code;
        ++cache_misses_;
        const std::uint32_t code = look_up(object);
        if (std::exchange(python_ran_, false)) {
            forget_addresses();
        } else {
            cached = {object, code};
        }
        return code;
    }

    // Whether each object's own memory will be read: a cache hit needs its address only.
    bool reads_objects() const { return !cache_in_use_; }

    // After the first rows: a cache that mostly misses only costs time.
    void judge_cache(std::size_t rows) { cache_in_use_ = 2 * cache_misses_ <= rows; }

    // For when Python code may have run: an address may mean another object by now.
    void forget_addresses() {
        std::fill(cache_.begin(), cache_.end(), Cached{});
        na_type_ = nullptr;
    }

    const std::vector<std::string_view>& labels() const { return table_.labels(); }

    // The label with this code as an exact str.
    nb::object label(std::size_t code) const {
        nb::object result = nb::steal(PyUnicode_FromObject(first_seen_[code].ptr()));
        if (!result.is_valid()) throw nb::python_error();
        return result;
    }

private:
    struct Cached {
        PyObject* object = nullptr;
        std::uint32_t code = missing;
    };

    std::uint32_t look_up(PyObject* object) {
        if (!object) return missing;
        if (!PyUnicode_Check(object)) return is_missing(object) ? missing : bad;
        const nb::object held = nb::borrow(object);
        Py_ssize_t size;
        const char* text = PyUnicode_AsUTF8AndSize(object, &size);
        nb::object bytes;
        if (!text) {  // lone surrogates: the same order of bytes, but made for this call only
            PyErr_Clear();
            python_ran_ = true;  // an exception was made, and with it the collector may have run
            na_type_ = nullptr;
            bytes = nb::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
            if (!bytes.is_valid()) throw nb::python_error();
            text = PyBytes_AsString(bytes.ptr());
            size = PyBytes_Size(bytes.ptr());
        }
        const std::size_t labels = table_.labels().size(), length = static_cast<std::size_t>(size);
        const std::uint32_t code = table_.find_or_add(
            ByteKey::of(text, length), [&] { return std::string_view(text, length); });
        if (code == labels) first_seen_.push_back(nb::borrow(object));
        return code;
    }

    // None, a float NaN, or pandas.NA, which is known by its type's name: pandas is not imported.
    bool is_missing(PyObject* object) {
        if (object == Py_None) return true;
        if (PyFloat_Check(object)) return std::isnan(PyFloat_AsDouble(object));
        if (Py_TYPE(object) == na_type_) return true;
        nb::object name = nb::steal(PyType_GetName(Py_TYPE(object)));
        if (!name.is_valid()) throw nb::python_error();
        if (PyUnicode_CompareWithASCIIString(name.ptr(), "NAType") != 0) return false;
        na_type_ = Py_TYPE(object);
        return true;
    }

    int cache_bits_;
    std::vector<Cached> cache_;
    std::size_t cache_misses_ = 0;
    bool cache_in_use_ = true, python_ran_ = false;
    ByteTable table_;
    std::vector<nb::object> first_seen_;  // by code
    PyTypeObject* na_type_ = nullptr;
};

// The text of an ASCII str lies behind its header, so two lines hold a short one.
void prefetch(const PyObject* object) {
    __builtin_prefetch(object);
    __builtin_prefetch(reinterpret_cast<const char*>(object) + 48);
}

nb::tuple encode_objects(nb::object sequence) {
    constexpr std::size_t block = DraftCodes::block, ahead = 16, blocks_per_signal_check = 16;
    const ObjectRows rows(sequence);
    ObjectEncoder encoder(rows.size());
    std::vector<std::uint32_t> codes(std::min(block, rows.size()));
    std::optional<DraftCodes> draft;
    Buffer<bool> missing;
    std::ptrdiff_t missing_row = -1;
    std::size_t missing_count = 0;

    for (std::size_t begin = 0; begin < rows.size(); begin += block) {
        const std::size_t end = std::min(begin + block, rows.size());
        const bool fetch = encoder.reads_objects();
        for (std::size_t row = begin; row < end; ++row) {
            if (fetch && row + ahead < end) prefetch(rows[row + ahead]);
            std::uint32_t code = encoder.encode(rows[row]);
            if (code >= ObjectEncoder::bad) [[unlikely]] {
                if (code == ObjectEncoder::bad) {
                    return nb::make_tuple(nb::none(), nb::list(), -1, 0, nb::none(), row);
                }
                if (missing_count++ == 0) {
                    missing = Buffer<bool>(rows.size());
                    std::fill(missing.begin(), missing.end(), false);
                    missing_row = static_cast<std::ptrdiff_t>(row);
                }
                missing[row] = true;
                code = 0;
            }
            codes[row - begin] = code;
        }
        if (!draft) draft.emplace(rows.size(), encoder.labels().size());
        draft->store(begin / block, codes.data(), encoder.labels().size(), 0);
        if (begin == 0) encoder.judge_cache(end);
        if ((begin / block + 1) % blocks_per_signal_check == 0) {
            encoder.forget_addresses();
            check_signals();
        }
    }

    Ranking<std::string_view> ranking;
    Codes finished;
    {
        const Released released;
        ranking = rank_labels<std::string_view>({&encoder.labels()});
        if (!draft) draft.emplace(0, 0);
        finished = draft->finish(ranking.of_table, ranking.labels.size(),
                                 missing_count ? missing.data() : nullptr);
    }
    std::vector<std::size_t> code_of(ranking.labels.size());
    for (std::size_t code = 0; code < code_of.size(); ++code) {
        code_of[ranking.of_table[0][code]] = code;
    }
    nb::list labels;
    for (const std::size_t code : code_of) {
        labels.append(encoder.label(code));
        if (nb::len(labels) % labels_per_signal_check == 0) check_signals();
    }
    return nb::make_tuple(to_numpy(std::move(finished)), labels, missing_row, missing_count,
                          missing_mask(std::move(missing)), -1);
}

}  // namespace

void bind_text(nb::module_& m) {
    m.def("encode_fixed_text", &encode_fixed, nb::arg("array").noconvert(),
          "Encodes a NumPy U array, given as its contiguous uint32 view of shape (rows, width), as "
          "(codes, labels, missing_row, missing_count, missing); the last three are -1, 0, None.");
    m.def("encode_objects", &encode_objects, nb::arg("rows"),
          "Encodes a sequence of str as (codes, labels, missing_row, missing_count, missing, "
          "bad_row). None, NaN and pandas.NA are missing; the first other object is bad_row, -1 "
          "when there is none, and then codes is None.");
}

}  // namespace assay::bind
