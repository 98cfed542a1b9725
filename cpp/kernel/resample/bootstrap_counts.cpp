#include "kernel/resample/bootstrap.hpp"
#include "kernel/resample/multinomial.hpp"

namespace assay {

void resample_counts(std::span<const std::uint64_t> sizes, Replicates replicates,
                     std::uint64_t stream, std::int64_t* out) {
    // Another thread may be writing, and the sizes are read more than once.
    const std::vector<std::uint64_t> kept(sizes.begin(), sizes.end());
    const resample::Multinomial draw(kept);
    const std::size_t entries = sizes.size();
    const std::size_t together = std::max<std::size_t>(1, 4096 / (entries + 1));
    parallel_rows(replicates.size(), together, [&](std::size_t from, std::size_t to, int) {
        alignas(64) std::uint8_t scratch[resample::block_rows];
        for (std::size_t i = from; i < to; ++i)
            draw.draw(replicates.seed, replicates.begin + i, stream, scratch, out + i * entries);
    });
}

}  // namespace assay
