// The one loop behind every text encoder: a sample, a table per thread, ranks.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "kernel/labels/text.hpp"
#include "kernel/parallel.hpp"

namespace assay {

// Encodes rows through `source`, which has
//     void encode(Table&, std::size_t begin, std::size_t end, std::uint32_t* codes) const
// and may be called by several threads with a table each. `missing` may be null; rows it marks
// must get code 0 from the source.
//
// A sample of the rows fills a table first, whose codes are then put in order of the labels. Every
// thread starts from a copy: when no later row brings a new label, the codes are final as written.
template <class Table, class Source>
Encoded<typename Table::View> encode_rows(const Source& source, std::size_t rows,
                                          const bool* missing) {
    using View = typename Table::View;
    constexpr std::size_t block = DraftCodes::block;
    Encoded<View> result;
    Table seed;
    std::vector<std::uint32_t> scratch(std::min(rows, block));
    if (rows <= block) {
        source.encode(seed, 0, rows, scratch.data());
        Ranking<View> ranking = rank_labels<View>({&seed.labels()});
        DraftCodes draft(rows, seed.labels().size());
        if (rows > 0) draft.store(0, scratch.data(), seed.labels().size(), 0);
        result.codes = draft.finish(ranking.of_table, ranking.labels.size(), missing);
        result.labels = std::move(ranking.labels);
        result.texts.share(seed.texts());
        return result;
    }

    constexpr std::size_t runs = 128, run = block / runs;
    for (std::size_t i = 0; i < runs; ++i) {
        const std::size_t begin = (rows - run) / (runs - 1) * i;
        source.encode(seed, begin, begin + run, scratch.data());
    }
    Ranking<View> sampled = rank_labels<View>({&seed.labels()});
    seed.renumber(sampled.of_table[0], std::move(sampled.labels));
    const std::size_t shared = seed.labels().size();

    DraftCodes draft(rows, shared);
    const auto slots = static_cast<std::size_t>(threads());
    std::vector<std::unique_ptr<Table>> tables(slots);
    std::vector<std::vector<std::uint32_t>> scratches(slots);
    parallel_rows(rows, block, [&](std::size_t begin, std::size_t end, int slot) {
        std::unique_ptr<Table>& table = tables[slot];
        if (!table) {
            table = std::make_unique<Table>(seed);
            scratches[slot].resize(block);
        }
        std::uint32_t* codes = scratches[slot].data();
        source.encode(*table, begin, end, codes);
        draft.store(begin / block, codes, table->labels().size(), slot);
    });

    std::vector<const std::vector<View>*> labels;
    for (const auto& table : tables) {
        labels.push_back(table ? &table->labels() : &seed.labels());
        result.texts.share(table ? table->texts() : seed.texts());
    }
    Ranking<View> ranking = rank_labels<View>(labels, shared);
    tables.clear();
    result.codes = draft.finish(ranking.of_table, ranking.labels.size(), missing);
    result.labels = std::move(ranking.labels);
    return result;
}

}  // namespace assay
