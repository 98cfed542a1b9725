// Uninitialised memory for columns, with huge pages where the system has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace assay {

// Memory aligned to a cache line. Fresh pages are what large columns pay for: 80 MB cost 49 ms to
// touch first, 8 ms with huge pages, so those are advised from 4 MiB on; and blocks of medium size
// are kept for the next call, up to 48 MiB in all, because the C library would give them back each
// time.
struct Memory {
    void* data = nullptr;
    std::size_t bytes = 0;  // as given; 0 where there is none
};
inline constexpr std::size_t most_bytes = std::size_t{1} << 47;  // more has no address
Memory take_memory(std::size_t bytes);                           // throws std::bad_alloc
void give_back(Memory memory) noexcept;
void give_back_behind(Memory& memory, std::size_t bytes) noexcept;  // keeps the first `bytes`

// A movable array of plain values, uninitialised.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : memory_(take_memory(bytes_of(size))), size_(size) {}
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { give_back(memory_); }

    // Keeps the first `size` values and gives pages behind them back to the system.
    void shrink(std::size_t size) {
        size_ = size;
        give_back_behind(memory_, size * sizeof(T));
    }

    T* data() { return static_cast<T*>(memory_.data); }
    const T* data() const { return static_cast<const T*>(memory_.data); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }

private:
    static std::size_t bytes_of(std::size_t size) {
        if (size > most_bytes / sizeof(T)) throw std::bad_alloc();
        return size * sizeof(T);
    }
    void swap(Buffer& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(size_, other.size_);
    }

    Memory memory_;
    std::size_t size_ = 0;
};

}  // namespace assay
