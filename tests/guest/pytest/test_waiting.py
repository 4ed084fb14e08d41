"""Coroutines that a plugin runs: pytest-asyncio or anyio.  tests/guest/pytest.sh runs them."""
import asyncio

import pytest

pytestmark = [pytest.mark.asyncio, pytest.mark.anyio]


@pytest.fixture
def anyio_backend():
    return "asyncio"


def build(count):
    return [bytearray(1000) for _ in range(count)]


@pytest.mark.heaptap(limit="100 kB")
async def test_waiting_keeps(tmp_path):
    await asyncio.sleep(0)
    build(50)


@pytest.mark.heaptap(limit="100 kB")
async def test_waiting_peak(tmp_path):
    await asyncio.sleep(0)
    build(200)
