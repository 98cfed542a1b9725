#include "kernel/buffer.hpp"

#include <bit>
#include <mutex>
#include <new>

#include "kernel/platform.hpp"

namespace assay {
namespace {

constexpr std::size_t page = 4096, mapped_from = std::size_t{1} << 16;
constexpr std::size_t most_kept = std::size_t{48} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Four sizes to each power of two, so that a block fits the next call of about the same size.
std::size_t block_bytes(std::size_t bytes) {
    return round_up(bytes, std::max(page, std::bit_floor(bytes) / 4));
}

// Blocks waiting to be used again. Whoever finds it busy does without, so that nobody waits and a
// child forked in between is never stuck.
class Kept {
public:
    void* take(std::size_t bytes) noexcept {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        for (std::size_t i = 0; i < count_; ++i) {
            if (blocks_[i].bytes != bytes) continue;
            void* data = blocks_[i].data;
            blocks_[i] = blocks_[--count_];
            total_ -= bytes;
            return data;
        }
        return nullptr;
    }

    bool keep(Memory block) noexcept {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        (void)block;  // memory that comes back hides its misuse
        return false;
#else
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock || count_ == most_blocks || total_ + block.bytes > most_kept) return false;
        blocks_[count_++] = block;
        total_ += block.bytes;
        return true;
#endif
    }

private:
    static constexpr std::size_t most_blocks = 32;
    std::mutex mutex_;
    Memory blocks_[most_blocks];
    std::size_t count_ = 0, total_ = 0;
};

Kept& kept() {
    static Kept* const blocks = new Kept;  // never destroyed: arrays may outlive the library
    return *blocks;
}

}  // namespace

Memory take_memory(std::size_t bytes) {
    if (bytes == 0) return {};
    if (bytes < mapped_from) {
        const std::size_t rounded = round_up(bytes, 64);
        return {::operator new(rounded, cache_line), rounded};
    }
    const std::size_t rounded = block_bytes(bytes);
    if (void* data = kept().take(rounded)) return {data, rounded};
    void* data = map_memory(rounded);
    if (!data) throw std::bad_alloc();
    return {data, rounded};
}

void give_back(Memory memory) noexcept {
    if (memory.bytes == 0) return;
    if (memory.bytes < mapped_from) {
        ::operator delete(memory.data, cache_line);
    } else if (!kept().keep(memory)) {
        unmap_memory(memory.data, memory.bytes);
    }
}

void give_back_behind(Memory& memory, std::size_t bytes) noexcept {
    if (memory.bytes < mapped_from) return;
    // What is left is again one of the sizes that are kept.
    const std::size_t left = block_bytes(std::max(mapped_from, bytes));
    if (left >= memory.bytes) return;
    unmap_memory_behind(memory.data, memory.bytes, left);
    memory.bytes = left;
}

}  // namespace assay
