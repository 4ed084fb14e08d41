def load(n):
    return [{"x": i, "y": i * i} for i in range(n)]


def scale(points, by):
    return [{"x": p["x"] * by, "y": p["y"] * by} for p in points]


kept = scale(load(20000), 3)
print(len(kept), "points")
