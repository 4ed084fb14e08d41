"""Where two answers in JSON differ."""
import math


def alike(a, b, but=(), path=""):
    """Where two answers differ, "" for nowhere: numbers are equal to nine digits, keys of `but` left out."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys, others = ({key for key in answer if key not in but} for answer in (a, b))
        if keys != others:
            return f"{path}: {sorted(keys ^ others)}"
        return next(filter(None, (alike(a[key], b[key], but, f"{path}.{key}") for key in a if key in keys)), "")
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} and {len(b)}"
        return next(filter(None, (alike(x, y, but, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b)))), "")
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return "" if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) else f"{path}: {a} and {b}"
    return "" if a == b else f"{path}: {a} and {b}"
