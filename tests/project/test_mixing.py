"""The bits that samples and ties follow."""

from __future__ import annotations

import numpy as np

from consensa._kernels_mixing import GOLDEN, mix_all
from consensa.ensemble._kernels import hash_rows

WHOLE = 2**64


def folded(row):
    """The hash of a label row in Python's whole numbers."""
    h = int(GOLDEN)
    for code in row:
        h = (h ^ (code + 2)) * 0xFF51AFD7ED558CCD % WHOLE
        h ^= h >> 32
    return h


def test_the_first_numbers_of_splitmix64():
    values = np.arange(1, 4, dtype=np.uint64) * GOLDEN
    mix_all(values)
    assert [hex(value) for value in values] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4", "0x6c45d188009454f"]


def test_rows_are_hashed_as_ever():
    codes = np.array([[0, 1, 2], [2, 1, 0], [-1, -1, 2**31 - 3]], np.int32)
    hashes = np.empty(3, np.uint64)
    hash_rows(codes, hashes)
    assert hashes.tolist() == [folded(row) for row in codes.tolist()]
