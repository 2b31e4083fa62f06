"""``python -m consensa``: the same as the command ``consensa``."""

import sys

from consensa.cli import program

if __name__ == "__main__":
    sys.exit(program())
