"""``python -m bench.evidence``: the same as ``python -m bench evidence``."""

from __future__ import annotations

import argparse
import sys

from bench.data import find_data_dir
from bench.evidence.write import add_arguments, run_evidence

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.evidence", description="Write the comparison pages.")
    add_arguments(parser)
    parser.add_argument("--data-dir", help="folder with published.csv (default: environment variable CONSENSA_DATA)")
    options = parser.parse_args()
    run_evidence(find_data_dir(options.data_dir), options.results, options.output)
    sys.exit(0)
