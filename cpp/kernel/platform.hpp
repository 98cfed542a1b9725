// What differs between systems and CPUs, and the only file that asks which one this is. Every
// result is the same bits on both sides of each choice; -DASSAY_PORTABLE=ON takes the fallback of
// all of them, so that the tests can run it. The compiler must be GCC or Clang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#if !defined(__GNUC__) && !defined(__clang__)
#error "assay is compiled by GCC or Clang; on Windows by a MinGW compiler"
#endif
#if defined(__linux__) && !defined(ASSAY_PORTABLE)
#define ASSAY_LINUX
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__x86_64__) && !defined(ASSAY_PORTABLE)
#define ASSAY_SSE
#include <emmintrin.h>
#else
#include <cfenv>
#endif

// Kernels written for AVX2 and AVX-512, chosen when the program runs. The compilers of Windows lack
// the library that tells what a CPU has.
#if defined(__x86_64__) && !defined(_WIN32) && !defined(ASSAY_NO_CLONES) && !defined(ASSAY_PORTABLE)
#define ASSAY_AVX
#endif

// Compiles a free function whose loops the compiler can vectorise once per CPU level; the loader
// picks the best one the machine has, which only glibc's does. A lambda inside is not cloned, and
// Clang takes no templates: they are written as macros.
#if defined(ASSAY_AVX) && defined(__GLIBC__)
#define ASSAY_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ASSAY_CLONES
#endif

// For a body that several cloned functions share: it must be compiled inside each copy.
#define ASSAY_INTO_CLONE inline __attribute__((always_inline))

// Integers of 128 bits: the compiler's own, or ours where it has none.
#if defined(__SIZEOF_INT128__) && !defined(ASSAY_PORTABLE)
namespace assay {
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
}  // namespace assay
#else
#include "kernel/integer128.hpp"
namespace assay {
using uint128 = Integer128<false>;
using int128 = Integer128<true>;
}  // namespace assay
#endif

namespace assay {

// The cores this process may run on, 0 where the system does not say.
inline int allowed_cores() {
#if defined(ASSAY_LINUX)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    return 0;
}

// Calls `in_child` in every child that is forked from now on, where there is such a thing.
inline void on_fork(void (*in_child)()) {
#if defined(_WIN32)
    (void)in_child;
#else
    pthread_atfork(nullptr, nullptr, in_child);
#endif
}

// How the calling thread rounds, and whether it keeps subnormals.
#if defined(ASSAY_SSE)
using FloatMode = unsigned;
inline FloatMode float_mode() {
    return _mm_getcsr();
}
inline void set_float_mode(FloatMode mode) {
    _mm_setcsr(mode);
}
inline void set_default_float_mode() {
    _mm_setcsr(0x1f80);
}
#else
using FloatMode = std::fenv_t;
inline FloatMode float_mode() {
    FloatMode mode;
    std::fegetenv(&mode);
    return mode;
}
inline void set_float_mode(const FloatMode& mode) {
    std::fesetenv(&mode);
}
inline void set_default_float_mode() {
    std::fesetenv(FE_DFL_ENV);
}
#endif

// Large blocks of memory, straight from the system where it hands out pages: with huge pages from
// 4 MiB on, and such that the end can be given back alone. Aligned to a cache line; nullptr where
// there is no more.
inline constexpr std::align_val_t cache_line{64};

inline void* map_memory(std::size_t bytes) noexcept {
#if defined(ASSAY_LINUX)
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    if (bytes >= std::size_t{4} << 20) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
#else
    return ::operator new(bytes, cache_line, std::nothrow);
#endif
}

inline void unmap_memory(void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASSAY_LINUX)
    munmap(data, bytes);
#else
    ::operator delete(data, cache_line);
#endif
}

// Gives back what lies behind the first `left` bytes, or leaves it for unmap_memory.
inline void unmap_memory_behind([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes,
                                [[maybe_unused]] std::size_t left) noexcept {
#if defined(ASSAY_LINUX)
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));  // up to 64 KiB
    const std::size_t whole = (left + page - 1) / page * page;
    if (whole < bytes) munmap(static_cast<char*>(data) + whole, bytes - whole);
#endif
}

// Writes a cache line past the cache, for memory that is not read again soon. Whoever hands the
// lines to another thread calls finish_lines before.
inline void write_line(void* to, const void* from) {
#if defined(ASSAY_SSE)
    for (int i = 0; i < 4; ++i)
        _mm_stream_si128(static_cast<__m128i*>(to) + i,
                         _mm_load_si128(static_cast<const __m128i*>(from) + i));
#else
    std::memcpy(to, from, 64);
#endif
}

inline void finish_lines() {
#if defined(ASSAY_SSE)
    _mm_sfence();
#endif
}

// Whether this CPU has the instructions of a kernel written for AVX2, for AVX-512 (F, DQ and VL)
// or for AVX-512 with integer multiplications besides.
inline bool cpu_has_avx2() {
#if defined(ASSAY_AVX)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

inline bool cpu_has_avx512() {
#if defined(ASSAY_AVX)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

inline bool cpu_has_avx512_ifma() {
#if defined(ASSAY_AVX)
    return cpu_has_avx512() && __builtin_cpu_supports("avx512ifma");
#else
    return false;
#endif
}

}  // namespace assay
