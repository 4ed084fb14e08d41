"""Reads measurements, and finds the hottest."""


def read(count):
    rows = []
    for number in range(count):
        rows.append({"time": number, "celsius": number * 37 % 41, "station": number % 7})
    return rows


rows = read(20000)
hottest = max(rows, key=lambda row: row["celsius"])
print(hottest["time"], hottest["celsius"])
