"""The limit on the threads of BLAS and OpenMP."""

import sys
from types import ModuleType

import pytest
from threadpoolctl import threadpool_info

from consensa import _threads
from consensa._threads import library_threads


@pytest.fixture
def looks(monkeypatch):
    """Count the searches for loaded libraries."""
    found = []
    searching = _threads.ThreadpoolController

    def counted():
        found.append(searching())
        return found[-1]

    monkeypatch.setattr(_threads, "ThreadpoolController", counted)
    _threads._loaded_libraries.cache_clear()
    yield found
    _threads._loaded_libraries.cache_clear()


def numbers_of_threads(user_api=None):
    return [each["num_threads"] for each in threadpool_info() if user_api in (None, each["user_api"])]


def test_the_limit_holds_inside_and_ends_after():
    before = numbers_of_threads()
    with library_threads(1):
        assert set(numbers_of_threads()) == {1}
    assert numbers_of_threads() == before


def test_no_limit():
    before = numbers_of_threads()
    with library_threads(None):
        assert numbers_of_threads() == before


def test_one_kind_of_library():
    openmp = numbers_of_threads("openmp")
    with library_threads(1, user_api="blas"):
        assert set(numbers_of_threads("blas")) == {1}
        assert numbers_of_threads("openmp") == openmp


def test_libraries_are_searched_again_only_after_an_import(looks, monkeypatch):
    for _ in range(3):
        with library_threads(1):
            pass
    assert len(looks) == 1
    monkeypatch.setitem(sys.modules, "a_module_that_brings_a_library", ModuleType("new"))
    with library_threads(1):
        pass
    assert len(looks) == 2
