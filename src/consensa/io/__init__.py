"""Files in and out: the only room that opens them. Files are data, never code: nothing is ever unpickled."""

from consensa.io.features import read_features
from consensa.io.labels import read_labels
from consensa.io.table import Table
from consensa.io.write import check_output, write_labels

__all__ = ["Table", "check_output", "read_features", "read_labels", "write_labels"]
