"""``python -m consensa``: the same as the command ``consensa``."""

import sys

from consensa.cli import main

if __name__ == "__main__":
    sys.exit(main())
