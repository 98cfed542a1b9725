#include "bind/module.hpp"

NB_MODULE(_kernels, m) {
    m.doc() = "The C++ kernels of assay. Import assay.kernels instead: it is the one door.";
    assay::bind::bind_fingerprint(m);
    assay::bind::bind_lists(m);
    assay::bind::bind_losses(m);
    assay::bind::bind_order(m);
    assay::bind::bind_parallel(m);
    assay::bind::bind_binned(m);
    assay::bind::bind_random(m);
    assay::bind::bind_ratings(m);
    assay::bind::bind_resample(m);
    assay::bind::bind_pairs(m);
    assay::bind::bind_arrow(m);
    assay::bind::bind_text(m);
    assay::bind::bind_sums(m);
}
