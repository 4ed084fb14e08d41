"""Reads measurements, and finds the hottest."""


class Row:
    __slots__ = ("time", "celsius", "station")

    def __init__(self, time, celsius, station):
        self.time = time
        self.celsius = celsius
        self.station = station


def read(count):
    rows = []
    for number in range(count):
        rows.append(Row(number, number * 37 % 41, number % 7))
    return rows


rows = read(20000)
hottest = max(rows, key=lambda row: row.celsius)
print(hottest.time, hottest.celsius)
