// Memory for texts that outlive what they were read from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace assay {

// Copies of texts. They stay where they are as long as the store or a copy of it lives.
class TextStore {
public:
    TextStore() = default;
    TextStore(const TextStore& other) : blocks_(other.blocks_) {}
    TextStore(TextStore&&) noexcept = default;
    TextStore& operator=(TextStore&&) noexcept = default;

    template <class Char>
    std::basic_string_view<Char> keep(std::basic_string_view<Char> text) {
        const std::size_t bytes = text.size() * sizeof(Char);
        if (bytes > free_) take_block(bytes);
        auto* copy = reinterpret_cast<Char*>(next_);
        if (bytes > 0) std::memcpy(copy, text.data(), bytes);
        next_ += bytes;
        free_ -= bytes;
        return {copy, text.size()};
    }

    // Keeps what the other store keeps, too.
    void share(const TextStore& other) {
        blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
    }

private:
    void take_block(std::size_t bytes) {
        constexpr std::size_t least = 1 << 12, most = 1 << 20;
        free_ = std::max(bytes, std::clamp(2 * size_, least, most));
        size_ = free_;
        blocks_.push_back(std::make_shared_for_overwrite<char[]>(free_));
        next_ = blocks_.back().get();
    }

    std::vector<std::shared_ptr<char[]>> blocks_;
    char* next_ = nullptr;
    std::size_t free_ = 0, size_ = 0;
};

}  // namespace assay
