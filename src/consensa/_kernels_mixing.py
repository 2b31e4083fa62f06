"""Kernels that mix bits: the one place for hashes of numbers, rows and pairs.

Samples and the order of ties follow these numbers, so a change of a constant or a shift here changes answers.

Two functions are enough. :func:`mix64` is the finaliser of splitmix64, a bijection: different numbers stay different.
:func:`fold` takes one number after the other into a hash; its constant is the first of the finaliser of MurmurHash3.

References
----------
Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
https://doi.org/10.1145/2660193.2660195
"""

from __future__ import annotations

import numpy as np

from consensa._numba import njit, njit_part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio, odd: its multiples lie evenly in 64 bits


@njit_part
def mix64(h: np.uint64) -> np.uint64:
    """Mix the bits of one number."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@njit
def mix_all(values: np.ndarray) -> None:
    """Mix the bits of every one of ``values`` (uint64, overwritten)."""
    for i in range(values.size):
        values[i] = mix64(values[i])


@njit_part
def fold(h: np.uint64, value: np.uint64) -> np.uint64:
    """Take ``value`` into the hash ``h``; the order of the values counts."""
    h = (h ^ value) * np.uint64(0xFF51AFD7ED558CCD)
    return h ^ (h >> np.uint64(32))
