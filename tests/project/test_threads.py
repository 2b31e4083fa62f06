"""The limit on the threads of BLAS and OpenMP."""

import sys
from concurrent.futures import ThreadPoolExecutor
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


def test_limits_of_several_threads_end_with_the_last():
    """Each would bring back what it found: the second one to come the limit of the first."""
    before = numbers_of_threads("blas")
    first, second = library_threads(1), library_threads(1)
    with ThreadPoolExecutor(1) as pool:
        first.__enter__()
        pool.submit(second.__enter__).result()
        first.__exit__(None, None, None)
        assert set(numbers_of_threads("blas")) == {1}
        pool.submit(second.__exit__, None, None, None).result()
    assert numbers_of_threads("blas") == before


def test_every_thread_has_its_own_limit_of_openmp():
    with library_threads(1), ThreadPoolExecutor(1) as pool:

        def inside():
            with library_threads(1):
                return set(numbers_of_threads())

        assert pool.submit(inside).result() == {1}
