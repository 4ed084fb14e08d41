"""Tests of other kinds than plain functions, of which each block is known.  tests/guest/pytest.sh runs them."""
import asyncio
import multiprocessing
import os
import unittest

import pytest

kept = []


def build(count):
    return [bytearray(1000) for _ in range(count)]


def setUpModule():
    kept.append(build(500))


@pytest.mark.heaptap(limit="100 kB", leaks="0")
class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.blocks = build(300)

    def setUp(self):
        self.more = build(300)

    def test_case_keeps(self):
        build(50)
        self.assertTrue(self.more)

    def test_case_peak(self):
        build(200)

    def test_case_leaks(self):
        kept.append(bytearray(50000))

    def test_case_subtests(self):
        for count in (10, 200):
            with self.subTest(count=count):
                build(count)

    def test_case_fails_by_itself(self):
        build(200)
        self.fail("its own reason")

    @unittest.skip("not today")
    def test_case_skipped(self):
        build(200)

    @unittest.expectedFailure
    def test_case_expected(self):
        build(200)
        self.fail("its own reason")


@pytest.mark.heaptap(limit="100 kB")
class Waiting(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.more = build(300)

    async def test_async_case_keeps(self):
        await asyncio.sleep(0)
        build(50)

    async def test_async_case_peak(self):
        await asyncio.sleep(0)
        build(200)

    def test_async_case_plain_peak(self):
        build(200)


@pytest.mark.heaptap(limit="100 kB")
async def test_nobody_waits():
    build(200)


@pytest.mark.parametrize("count", [50, pytest.param(200, marks=pytest.mark.heaptap(limit="300 kB")), 300])
@pytest.mark.heaptap(limit="100 kB")
def test_by_parameter(count):
    build(count)


@pytest.mark.parametrize("count", [50, 300])
@pytest.mark.heaptap(limit=lambda count: 200_000 if count > 100 else "60 kB")
def test_by_function(count):
    build(count)


@pytest.mark.heaptap(limit="1 kB", leaks="0")
def test_imports():
    import this_is_imported

    assert this_is_imported.table


@pytest.mark.heaptap(limit="1 kB")
def test_imports_and_builds():
    import that_is_imported

    that_is_imported.more()


def letters(count):
    return sum(len(str(n)) for n in range(count))


@pytest.mark.heaptap(limit="1 MB")
def test_forks():
    pid = os.fork()
    if pid == 0:
        os._exit(len(build(10000)) != 10000)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.heaptap(limit="10 MB")
def test_pool():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(letters, [1000] * 20) == [2890] * 20


@pytest.mark.heaptap(limit="much")
def test_bad_limit():
    pass


@pytest.mark.heaptap(limit="1 MB")
def test_after_a_bad_one():
    build(50)
