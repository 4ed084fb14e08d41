"""Tests with limits, of which each block is known.  tests/guest/pytest.sh runs them."""
import json
import threading

import pytest

kept = []


def build(count):
    return [bytearray(1000) for _ in range(count)]


@pytest.mark.heaptap(limit="1 MB", leaks="0")
def test_keeps():
    build(100)


@pytest.mark.heaptap(limit="100 kB")
def test_peak():
    build(200)


@pytest.mark.heaptap(leaks="0")
def test_leaks():
    kept.append(bytearray(50000))


@pytest.mark.heaptap(allocated="50 kB", peak="10 kB")
def test_allocates():
    for _ in range(100):
        bytearray(1000)


@pytest.mark.heaptap(limit="100 kB")
def test_library():
    json.loads("[" + ",".join(["[1.5]"] * 10000) + "]")


@pytest.mark.heaptap(limit="10 kB")
def test_thread():
    thread = threading.Thread(target=build, args=(100,))
    thread.start()
    thread.join()


@pytest.mark.heaptap(objects="0", leaks="0", limit="0")
def test_nothing(tmp_path, request):
    pass


@pytest.mark.heaptap(objects="0")
@pytest.mark.parametrize("first, second", [(1, 2), (3, 4)])
class TestMethods:
    def test_method(self, second, tmp_path, first):
        assert first < second


@pytest.mark.heaptap(limit="0")
def test_fails_by_itself():
    build(1)
    assert False, "its own reason"


def test_unmarked():
    build(3000)
