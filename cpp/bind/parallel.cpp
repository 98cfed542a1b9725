#include "kernel/parallel.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "bind/module.hpp"

namespace assay::bind {
namespace {

unsigned long main_thread = 0;

// Python handles signals on its main thread only; elsewhere there is nothing to look for, and a
// thread that asks for the GIL while the interpreter shuts down never comes back.
void let_python_look_for_signals() {
    if (PyThread_get_thread_ident() != main_thread) return;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Sleeps in `tasks` tasks, one of which may fail: what the tests of the pool need.
std::size_t sleep_in_tasks(std::size_t tasks, int milliseconds, std::ptrdiff_t fail_at) {
    const Released released;
    std::atomic<std::size_t> done{0};
    parallel_tasks(tasks, [&](std::size_t task, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        if (static_cast<std::ptrdiff_t>(task) == fail_at) throw std::runtime_error("as asked");
        ++done;
    });
    return done;
}

// Adds up all words on all threads: as fast as memory can be read, which benchmarks measure
// against.
std::uint64_t sum_words(Column<std::uint64_t> words) {
    const Released released;
    std::atomic<std::uint64_t> total{0};
    const std::uint64_t* data = words.data();
    parallel_rows(words.size(), std::size_t{1} << 17, [&](std::size_t begin, std::size_t end, int) {
        std::uint64_t lanes[8] = {};
        std::size_t i = begin;
        for (; i + 8 <= end; i += 8)
            for (int lane = 0; lane < 8; ++lane) lanes[lane] += data[i + lane];
        for (; i < end; ++i) lanes[0] += data[i];
        std::uint64_t sum = 0;
        for (std::uint64_t lane : lanes) sum += lane;
        total += sum;
    });
    return total;
}

}  // namespace

void bind_parallel(nb::module_& m) {
    const nb::object main = nb::module_::import_("threading").attr("main_thread")();
    main_thread = nb::cast<unsigned long>(main.attr("ident"));
    set_poll(let_python_look_for_signals);
    m.def("threads", &threads, R"(Return how many threads a kernel may use.

Returns
-------
int
    A number of threads: that of the cores, unless another was set.

Examples
--------
>>> import assay
>>> assay.threads() >= 1
True
)");
    m.def("set_threads", &set_threads, nb::arg("count"), R"(Set how many threads a kernel may use.

Parameters
----------
count
    A number of threads; 0 or less for every core.

Returns
-------
None
    The setting holds for the whole process.

Raises
------
TypeError
    `count` is no whole number.

Examples
--------
>>> import assay
>>> assay.set_threads(1)
>>> assay.threads()
1
>>> assay.set_threads(0)
)");
    m.def("limit_threads", &limit_threads, nb::arg("count"),
          "Limits the threads of the calling thread's kernels alone; 0 lifts the limit. Returns "
          "the limit "
          "before.");
    m.def("thread_limit", &thread_limit, "The limit of the calling thread, 0 without one.");
    m.def("sleep_in_tasks", &sleep_in_tasks, nb::arg("tasks"), nb::arg("milliseconds"),
          nb::arg("fail_at") = -1, "Sleeps in tasks on the pool, for its tests.");
    m.def("sum_words", &sum_words, nb::arg("words").noconvert(),
          "Adds up 64-bit words at the speed of memory, for benchmarks.");
}

}  // namespace assay::bind
