#include "kernel/parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace assay {
namespace {

using Body = std::function<void(std::size_t, int)>;
constexpr auto poll_interval = std::chrono::milliseconds(50);

std::atomic<int> thread_setting{0};
std::atomic<void (*)()> poll_hook{nullptr};
thread_local bool inside_pool = false;
// What threads() last told this thread: a kernel sizes its scratch by that, so the next job keeps
// to it even if another thread changes the setting in between.
thread_local int promised = 0;

int available_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

class Pool {
public:
    // Runs the job on the caller (slot 0) and up to `helpers` workers (slots 1...).
    void run(std::size_t tasks, const Body& body, int helpers) {
        {
            std::lock_guard lock(mutex_);
            body_ = &body;
            tasks_ = tasks;
            next_.store(0, std::memory_order_relaxed);
            error_ = nullptr;
            wanted_ = std::min<int>(helpers, static_cast<int>(tasks) - 1);
            started_ = 0;
            ++job_;
            for (; workers_ < wanted_; ++workers_) std::thread([this] { work(); }).detach();
        }
        wake_.notify_all();
        inside_pool = true;
        auto polled = std::chrono::steady_clock::now();
        for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
            attempt(body, task, 0);
            const auto now = std::chrono::steady_clock::now();
            if (now - polled >= poll_interval) {
                poll();
                polled = now;
            }
        }
        inside_pool = false;
        std::unique_lock lock(mutex_);
        wanted_ = 0;  // a worker that has not woken yet need not start
        while (!idle_.wait_for(lock, poll_interval, [this] { return running_ == 0; })) {
            lock.unlock();
            poll();
            lock.lock();
        }
        body_ = nullptr;
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void attempt(const Body& body, std::size_t task, int slot) noexcept {
        try {
            body(task, slot);
        } catch (...) {
            fail();
        }
    }

    void poll() noexcept {
        try {
            if (auto* hook = poll_hook.load()) hook();
        } catch (...) {
            fail();
        }
    }

    void fail() noexcept {  // inside a catch block: keep the first error, drop the tasks left
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_.store(tasks_, std::memory_order_relaxed);
    }

    void work() {
        inside_pool = true;
        std::unique_lock lock(mutex_);
        for (std::size_t seen = 0;;) {
            wake_.wait(lock, [&] { return job_ != seen && (seen = job_, started_ < wanted_); });
            const Body& body = *body_;
            const std::size_t tasks = tasks_;
            const int slot = ++started_;
            ++running_;
            lock.unlock();
            for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks;)
                attempt(body, task, slot);
            lock.lock();
            if (--running_ == 0) idle_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, idle_;
    const Body* body_ = nullptr;
    std::size_t tasks_ = 0;
    std::atomic<std::size_t> next_{0};
    std::size_t job_ = 0;
    int workers_ = 0, wanted_ = 0, started_ = 0, running_ = 0;
    std::exception_ptr error_;
};

// One pool per process. A forked child inherits the memory but none of the threads, so it starts
// with a pool of its own; the parent's is left alone, never destroyed.
Pool* pool = nullptr;
std::mutex pool_mutex;

void forget_pool_in_child() {
    new (&pool_mutex) std::mutex;
    pool = nullptr;
    inside_pool = false;
}

}  // namespace

int threads() {
    const int setting = thread_setting.load(std::memory_order_relaxed);
    static const int cores = available_cores();
    return promised = setting > 0 ? setting : cores;
}

void set_threads(int count) {
    thread_setting.store(std::max(0, count));
    promised = 0;
}

void set_poll(void (*poll)()) {
    poll_hook.store(poll);
}

void parallel_tasks(std::size_t tasks, const Body& body) {
    const int helpers = (promised > 0 ? promised : threads()) - 1;
    std::unique_lock<std::mutex> owner;
    if (!inside_pool) owner = std::unique_lock(pool_mutex, std::try_to_lock);
    if (!owner || helpers == 0 || tasks < 2) {
        auto polled = std::chrono::steady_clock::now();
        for (std::size_t task = 0; task < tasks; ++task) {
            body(task, 0);
            if (inside_pool || tasks < 2) continue;
            const auto now = std::chrono::steady_clock::now();
            if (now - polled < poll_interval) continue;
            if (auto* hook = poll_hook.load()) hook();
            polled = now;
        }
        return;
    }
    if (!pool) {
        static const int registered = pthread_atfork(nullptr, nullptr, forget_pool_in_child);
        (void)registered;
        pool = new Pool;
    }
    pool->run(tasks, body, helpers);
}

}  // namespace assay
