"""What samples must not get wrong: small blocks beside large ones, code and classes that come and go, ends."""
import gc


def beside(n):
    text = "x" * 20
    for i in range(n):
        large = bytearray(400)
        small = text + "!"                  # small
    return large, small


def chunks(n):
    kept = []
    for i in range(n):
        at = i % 40
        source = "\n" * at + f"kept.append(['{i}' * 9, {i}.5])\nkept.append({{'a': {i}}})\n"
        exec(compile(source, f"chunk{at}", "exec"), {"kept": kept})
        if at == 39:
            kept.clear()


def classes(n):
    for i in range(n):
        name = f"Class{i % 7}"
        made = type(name, (object,), {"__slots__": ("a", "b", "c", "d")})
        kept = [made() for _ in range(20)]  # instances
        assert type(kept[0]).__name__ == name
        del made, kept
        if i % 10 == 0:
            gc.collect()


beside(300_000)
chunks(4000)
classes(400)
