// Columns belong to the caller, and another of its threads may write to them while a kernel reads.
// Results are then of no use, but an index must still stay inside its table: what one pass has
// checked, the next pass checks again or reads from a copy.
#pragma once

#include <stdexcept>

namespace assay {

[[noreturn]] inline void throw_changed() {
    throw std::runtime_error("a column changed while it was read");
}

}  // namespace assay
