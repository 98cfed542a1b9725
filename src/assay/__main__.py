"""``python -m assay`` is the command line."""

from assay.cli import main

raise SystemExit(main())
