#include "kernel/parallel.hpp"

#include "bind/module.hpp"

namespace assay::bind {
namespace {

void let_python_look_for_signals() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void bind_parallel(nb::module_& m) {
    set_poll(let_python_look_for_signals);
    m.def("threads", &threads, "How many threads a kernel may use.");
    m.def("set_threads", &set_threads, nb::arg("count"),
          "Sets how many threads a kernel may use; 0 means every core.");
}

}  // namespace assay::bind
