"""Means of sensors' readings, as they come."""
import random


class Hub:
    def __init__(self):
        self.seen = {}
        self.means = [0.0] * 50

    def take(self, sensor, value, at):
        key = f"{sensor}/{at}"
        if key not in self.seen:
            self.seen[key] = {"sensor": sensor, "value": value, "at": at}
        self.means[sensor] += (value - self.means[sensor]) * 0.1


def readings(count):
    dice = random.Random(1)
    for at in range(count):
        yield at % 50, dice.gauss(20, 3), at


def table(hub):
    rows = [f"sensor {i:3}: {mean:6.2f}" for i, mean in enumerate(hub.means)]
    return "\n".join(rows)


hub = Hub()
for reading in readings(40000):
    hub.take(*reading)
print(table(hub))
