"""Particles with attributes, each of which has a dict."""


class Particle:
    def __init__(self, x, y, speed):
        self.x = x  # here: attribute-dicts
        self.y = y  # here: attribute-dicts
        self.speed = speed  # here: attribute-dicts
        self.alive = True  # here: attribute-dicts


particles = [Particle(i, i + 1, i % 7) for i in range(20000)]  # here: attribute-dicts
for speed in range(60):  # longer than making them took, or that would seem to go on
    print(speed, sum(p.alive for p in particles if p.speed == speed))
