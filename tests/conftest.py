"""What the tests share: parts that cannot run under a sanitizer are hidden from them."""

import os
import sys

# Polars brings an allocator and a thread pool of its own, which crash under TSan before we are reached.
if os.environ.get("ASSAY_SANITIZER") == "thread":
    sys.modules["polars"] = None
