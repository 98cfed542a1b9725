#include "kernel/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "kernel/platform.hpp"

namespace assay {
namespace {

using Body = std::function<void(std::size_t, int)>;
using Clock = std::chrono::steady_clock;
constexpr auto poll_interval = std::chrono::milliseconds(50);
constexpr int most_threads = 1024;

std::atomic<int> thread_setting{0};
std::atomic<void (*)()> poll_hook{nullptr};
// Raised in a forked child, which has none of its parent's threads.
std::atomic<unsigned> forks{0};

// What this thread is doing: the thread count fixed by a KernelCall, whether it is inside a task,
// and the flag that says the task's job has failed (on a worker).
thread_local int fixed_threads = 0;
thread_local int own_limit = 0;  // what limit_threads said to this thread
thread_local bool inside_task = false;
thread_local const std::atomic<bool>* job_failed = nullptr;
thread_local Clock::time_point polled;

int available_cores() {
    const int allowed = allowed_cores();
    return std::max(1,
                    allowed > 0 ? allowed : static_cast<int>(std::thread::hardware_concurrency()));
}

// A child forked inside a kernel: no std::exception, so that nothing in between holds it up.
struct Forked {};

// Lets the caller of the kernels look around.
void poll() {
    polled = Clock::now();
    auto* hook = poll_hook.load();
    if (!hook) return;
    const unsigned before = forks.load();
    hook();
    set_default_float_mode();  // a signal handler may have changed it
    if (forks.load() != before) throw Forked();
}

class Pool {
public:
    // Runs the job on the caller (slot 0) and up to `helpers` workers (slots 1...).
    void run(std::size_t tasks, const Body& body, int helpers) {
        {
            std::lock_guard lock(mutex_);
            const auto useful = static_cast<int>(std::min<std::size_t>(tasks - 1, most_threads));
            const int wanted = std::min(helpers, useful);
            try {
                for (; workers_ < wanted; ++workers_) std::thread([this] { work(); }).detach();
            } catch (const std::system_error&) {
                // The system has no more threads to give: the ones there are will do.
            }
            body_ = &body;
            tasks_ = tasks;
            next_.store(0, std::memory_order_relaxed);
            failed_.store(false, std::memory_order_relaxed);
            error_ = nullptr;
            wanted_ = std::min(wanted, workers_);
            started_ = 0;
            ++job_;
        }
        wake_.notify_all();
        for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
            attempt([&] { body(task, 0); });
            if (Clock::now() - polled >= poll_interval) attempt(poll);
        }
        std::unique_lock lock(mutex_);
        wanted_ = 0;  // a worker that has not woken yet need not start
        while (!idle_.wait_for(lock, poll_interval, [this] { return running_ == 0; })) {
            lock.unlock();
            attempt(poll);
            lock.lock();
        }
        body_ = nullptr;
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    template <class Step>
    void attempt(Step&& step) {
        try {
            step();
        } catch (const std::exception&) {
            fail(std::current_exception());
        }
    }

    // Keeps the first error and drops the tasks that are left.
    void fail(std::exception_ptr error) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        failed_.store(true, std::memory_order_relaxed);
        next_.store(tasks_, std::memory_order_relaxed);
    }

    void work() {
        set_default_float_mode();
        inside_task = true;
        job_failed = &failed_;
        std::unique_lock lock(mutex_);
        for (std::size_t seen = 0;;) {
            wake_.wait(lock, [&] { return job_ != seen && (seen = job_, started_ < wanted_); });
            const Body& body = *body_;
            const std::size_t tasks = tasks_;
            const int slot = ++started_;
            ++running_;
            lock.unlock();
            for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks;)
                attempt([&] { body(task, slot); });
            lock.lock();
            if (--running_ == 0) idle_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    const Body* body_ = nullptr;
    std::size_t tasks_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::size_t job_ = 0;
    int workers_ = 0, wanted_ = 0, started_ = 0, running_ = 0;
    std::exception_ptr error_;
};

// One pool per process. A forked child starts with a pool of its own; the parent's is left alone,
// never destroyed.
Pool* pool = nullptr;
std::mutex pool_mutex;

void forget_pool_in_child() {
    new (&pool_mutex) std::mutex;
    pool = nullptr;
    ++forks;
}

// Marks this thread as inside a task, so that what it calls runs on it alone.
class InsideTask {
public:
    InsideTask() : before_(std::exchange(inside_task, true)) {}
    ~InsideTask() { inside_task = before_; }

private:
    bool before_;
};

}  // namespace

int threads() {
    if (fixed_threads > 0) return fixed_threads;
    if (own_limit > 0) return own_limit;
    const int setting = thread_setting.load(std::memory_order_relaxed);
    static const int cores = available_cores();
    return setting > 0 ? setting : cores;
}

void set_threads(int count) {
    thread_setting.store(std::clamp(count, 0, most_threads));
}

int limit_threads(int count) {
    return std::exchange(own_limit, std::clamp(count, 0, most_threads));
}

int thread_limit() {
    return own_limit;
}

KernelCall::KernelCall() : threads_before_(fixed_threads), mode_before_(float_mode()) {
    fixed_threads = threads();
    set_default_float_mode();
    if (!inside_task) polled = Clock::now();
}

KernelCall::~KernelCall() {
    fixed_threads = threads_before_;
    set_float_mode(mode_before_);
}

void set_poll(void (*poll)()) {
    poll_hook.store(poll);
}

void check_interrupt() {
    if (job_failed) {
        if (job_failed->load(std::memory_order_relaxed)) throw std::runtime_error("interrupted");
    } else if (Clock::now() - polled >= poll_interval) {
        poll();
    }
}

void parallel_tasks(std::size_t tasks, const Body& body) {
    if (tasks == 0) return;
    const int helpers = threads() - 1;
    std::unique_lock<std::mutex> owner;
    if (!inside_task && helpers > 0 && tasks > 1)
        owner = std::unique_lock(pool_mutex, std::try_to_lock);
    InsideTask inside;
    if (!owner) {
        for (std::size_t task = 0; task < tasks; ++task) {
            body(task, 0);
            check_interrupt();
        }
        return;
    }
    if (!pool) {
        static const bool registered = (on_fork(forget_pool_in_child), true);
        (void)registered;
        pool = new Pool;
    }
    try {
        pool->run(tasks, body, helpers);
    } catch (const Forked&) {
        // The parent's threads, its pool and the lock on it do not exist in the child.
        owner.release();
        throw std::runtime_error("the process was forked inside a kernel");
    }
}

}  // namespace assay
