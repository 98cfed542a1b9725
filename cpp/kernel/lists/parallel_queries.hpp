// Parallel work over lists of very different lengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>

#include "kernel/parallel.hpp"

namespace assay {

// Calls body(query, slot) once for each query, queries of one task together. `work(query)` is what
// the queries before it cost, in values: it never falls and starts at 0. Small work wakes no
// thread.
template <class Work, class Body>
void parallel_queries(std::size_t queries, Work&& work, Body&& body) {
    constexpr std::size_t grain = 1 << 14, per_query = 4;  // an empty list is not free
    const auto cost = [&](std::size_t query) { return work(query) + per_query * query; };
    const auto first = [&](std::size_t task) {
        const auto all = std::views::iota(std::size_t{0}, queries);
        return static_cast<std::size_t>(
            std::ranges::partition_point(
                all, [&](std::size_t query) { return cost(query) < task * grain; }) -
            all.begin());
    };
    const std::size_t tasks = (cost(queries) + grain - 1) / grain;
    parallel_tasks(tasks, [&](std::size_t task, int slot) {
        const std::size_t end = first(task + 1);
        for (std::size_t query = first(task); query < end; ++query) body(query, slot);
    });
}

}  // namespace assay
