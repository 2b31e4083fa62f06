"""Examples in the help of the commands."""

from __future__ import annotations

__all__ = [
    "COMBINE_EXAMPLES",
    "COMPARE_EXAMPLES",
    "GENERATE_EXAMPLES",
    "MAIN_EXAMPLES",
    "PREDICT_EXAMPLES",
    "REPORT_EXAMPLES",
    "RUN_EXAMPLES",
    "SHOW_EXAMPLES",
    "TEST_EXAMPLES",
]

MAIN_EXAMPLES = """\
examples:
  consensa demo --output labels.csv
  consensa run data.csv -k 10 -o labels.csv --report report.html
  consensa generate data.csv -m 50 -o partitions.csv
  consensa combine partitions.csv -k 3,4,5 --method lwea -o labels.csv
  consensa compare labels.csv truth.csv

exit codes: 0 all went well, 1 unexpected failure or interrupted, 2 bad input or usage
"""
RUN_EXAMPLES = """\
examples:
  consensa run data.csv -k 10 -o labels.csv
  consensa run cells.tsv -k 2:8 --id-column barcode --jobs 2 -o labels.parquet
  cut -f 1-5 big.tsv | consensa run - -k 4 > labels.csv
"""
COMBINE_EXAMPLES = """\
examples:
  consensa combine partitions.csv -k 10 -o labels.csv
  consensa combine partitions.npz --array labels -k 3,5 --method lwea --param theta=0.2 -o labels.csv
  consensa combine partitions.csv -k 10 --method all --jobs 2 -o labels.csv
"""
COMPARE_EXAMPLES = """\
examples:
  consensa compare labels.csv truth.csv
  consensa compare labels.csv table.csv --columns-b class --id-column sample --json
"""
GENERATE_EXAMPLES = """\
examples:
  consensa generate data.csv -m 50 -o partitions.csv
  consensa generate data.csv --generator subsample -k 4 --param fraction=0.7 --directory members -o partitions.parquet
  consensa generate data.csv --quiet | consensa combine - -k 5 > labels.csv
"""
SHOW_EXAMPLES = """\
examples:
  consensa show model.npz
  consensa show model.npz -k 2:6 -o labels.csv
  consensa show model.npz --names "0=students,1=teams" --save named.npz
"""
TEST_EXAMPLES = """\
examples:
  consensa test data.csv
  consensa test data.csv --alpha 0.01 -o labels.csv
  consensa run data.csv -k tested -o labels.csv
"""
PREDICT_EXAMPLES = """\
examples:
  consensa run customers.csv -k 5 -o labels.csv --save model.npz
  consensa predict model.npz new_customers.csv -o new_labels.csv
"""
REPORT_EXAMPLES = """\
examples:
  consensa report model.npz report.html
  consensa report model.npz report.html --data data.csv
  consensa report model.npz report.html --compare other.npz
"""
