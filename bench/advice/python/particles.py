"""Particles with attributes, each of which has a dict."""


class Particle:
    def __init__(self, x, y, speed):
        self.x = x  # here: attribute-dicts
        self.y = y  # here: attribute-dicts
        self.speed = speed  # here: attribute-dicts
        self.alive = True  # here: attribute-dicts


particles = [Particle(i, i + 1, i % 7) for i in range(20000)]  # here: attribute-dicts
print(sum(p.speed for p in particles))
