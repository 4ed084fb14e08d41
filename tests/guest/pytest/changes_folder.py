import os

import pytest


@pytest.mark.heaptap(limit="10 MB")
def test_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(bytearray(1000)) == 1000 and os.getcwd() == str(tmp_path)
