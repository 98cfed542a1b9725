#include <array>
#include <stdexcept>

#include "kernel/labels/text.hpp"
#include "kernel/labels/text_encoder.hpp"
#include "kernel/labels/text_table.hpp"

namespace assay {
namespace {

std::u32string_view without_padding(const char32_t* text, std::size_t width) {
    while (width > 0 && text[width - 1] == 0) --width;
    return {text, width};
}

constexpr std::size_t ahead = 16;  // rows between a prefetch and its use

// Texts of up to 16 characters: their words, padding included, are the key.
template <std::size_t width>
struct NarrowText {
    using Key = WordKey<(width + 1) / 2>;
    using Table = TextTable<Key>;
    const char32_t* text;

    Key key(std::size_t row) const {
        const char32_t* from = text + row * width;
        Key result;
        for (std::size_t i = 0; i < width / 2; ++i) result.word[i] = load_word(from + 2 * i);
        if constexpr (width % 2 == 1) result.word[width / 2] = from[width - 1];
        return result;
    }

    template <bool large>
    void encode_block(Table& table, std::size_t begin, std::size_t end,
                      std::uint32_t* codes) const {
        for (std::size_t row = begin; row < end; ++row) {
            if (large && row + ahead < end) table.prefetch(key(row + ahead));
            codes[row - begin] = table.find_or_add(
                key(row), [&] { return without_padding(text + row * width, width); });
        }
    }

    void encode(Table& table, std::size_t begin, std::size_t end, std::uint32_t* codes) const {
        if (table.large()) {
            encode_block<true>(table, begin, end, codes);
        } else {
            encode_block<false>(table, begin, end, codes);
        }
    }
};

// Wider texts: what is left without the padding, as bytes.
struct WideKey : ByteKey {
    using View = std::u32string_view;
};

struct WideText {
    using Table = TextTable<WideKey>;
    const char32_t* text;
    std::size_t width;

    void encode(Table& table, std::size_t begin, std::size_t end, std::uint32_t* codes) const {
        for (std::size_t row = begin; row < end; ++row) {
            const std::u32string_view view = without_padding(text + row * width, width);
            const auto* bytes = reinterpret_cast<const char*>(view.data());
            codes[row - begin] = table.find_or_add(
                WideKey{ByteKey::of(bytes, view.size() * sizeof(char32_t))}, [&] { return view; });
        }
    }
};

template <std::size_t width>
Encoded<std::u32string_view> encode_narrow(const char32_t* text, std::size_t rows) {
    const NarrowText<width> source{text};
    return encode_rows<typename NarrowText<width>::Table>(source, rows, nullptr);
}

template <std::size_t... widths>
constexpr auto narrow_encoders(std::index_sequence<widths...>) {
    return std::array{&encode_narrow<widths + 1>...};
}

}  // namespace

Encoded<std::u32string_view> encode_fixed_text(const char32_t* text, std::size_t rows,
                                               std::size_t width) {
    static constexpr auto narrow = narrow_encoders(std::make_index_sequence<16>());
    if (width >= 1 && width <= narrow.size()) return narrow[width - 1](text, rows);
    return encode_rows<WideText::Table>(WideText{text, width}, rows, nullptr);
}

}  // namespace assay
