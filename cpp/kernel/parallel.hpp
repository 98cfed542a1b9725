// Work on all cores: a pool of threads that outlives the call, whose exceptions reach the caller
// and which a caller can interrupt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "kernel/platform.hpp"

namespace assay {

// How many threads parallel work may use, the caller's included. Never less than 1; the same all
// through a KernelCall, so scratch may be sized by it.
int threads();

// Sets that number for calls to come; 0 means every core this process may run on, 1,024 the most.
void set_threads(int count);

// Limits the calling thread's own calls to so many threads, whatever set_threads says to others; 0
// lifts the limit. Returns the limit before.
int limit_threads(int count);

// The calling thread's limit, 0 without one.
int thread_limit();

// Holds while a kernel runs: the number of threads stays what it was, and floats are computed in
// the default mode (some libraries switch subnormals off for the thread that loads them, and
// results would depend on which thread took a row). Calls may nest, as when a signal handler calls
// a kernel.
class KernelCall {
public:
    KernelCall();
    ~KernelCall();
    KernelCall(const KernelCall&) = delete;
    KernelCall& operator=(const KernelCall&) = delete;

private:
    int threads_before_;
    FloatMode mode_before_;
};

// Called now and then by the thread that asked for parallel work, at least every 50 ms while it
// runs. It may throw: the remaining tasks are then dropped and the exception reaches the caller.
// The binding installs one that lets Python look for Ctrl-C.
void set_poll(void (*poll)());

// For long work inside one task or outside of all: calls the poll hook if 50 ms have passed since
// the last time (on the calling thread), or throws if the job has failed meanwhile (on a worker).
// Cheap enough for every few thousand rows.
void check_interrupt();

// Calls body(task, slot) once for each task in [0, tasks), in any order, on up to threads()
// threads. Calls that share a slot (0 <= slot < threads()) never overlap, so a slot can own scratch
// memory. The first exception thrown by a body stops the rest and is rethrown here. A call made
// from inside a body, or while another Python thread has the pool, runs on the calling thread
// alone. Keep one task under 50 ms of work, or call check_interrupt, so that Ctrl-C is answered.
void parallel_tasks(std::size_t tasks, const std::function<void(std::size_t task, int slot)>& body);

// The same over rows: body(begin, end, slot) for consecutive ranges of at most `grain` rows.
template <class Body>
void parallel_rows(std::size_t rows, std::size_t grain, Body&& body) {
    parallel_tasks((rows + grain - 1) / grain, [&](std::size_t task, int slot) {
        const std::size_t begin = task * grain;
        body(begin, std::min(rows, begin + grain), slot);
    });
}

}  // namespace assay
