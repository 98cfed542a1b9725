// Compiles a function once per CPU level; the loader picks the best one the machine has.
#pragma once

#include <cstddef>  // defines __GLIBC__ where there is one

// For free functions whose loops the compiler can vectorise. A lambda inside one is not cloned.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(ASSAY_NO_CLONES)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif

// For a body that several cloned functions share: it must be compiled inside each copy.
#define ASSAY_INTO_CLONE inline __attribute__((always_inline))
