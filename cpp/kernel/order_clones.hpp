// One function, one copy per CPU level, chosen when the library is loaded.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ASSAY_NO_CLONES)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif
// The body shared by the copies must be compiled inside each of them.
#define ASSAY_INTO_CLONE inline __attribute__((always_inline))
