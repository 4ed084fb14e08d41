"""Large blocks that end before anything else is allocated.  tests/guest/pytest.sh runs them."""


def test_ends():
    for _ in range(50):
        bytearray(200_000)


def test_grows():
    for _ in range(50):
        b = bytearray(200_000)
        b += bytes(1000)
