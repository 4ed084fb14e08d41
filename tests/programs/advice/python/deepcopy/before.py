"""A deep copy for each turn."""
import copy

board = [[0] * 8 for _ in range(8)]


def tried(i):
    trial = copy.deepcopy(board)  # here: deep-copies
    trial[i % 8][i // 8 % 8] = 1
    return sum(map(sum, trial))


print(sum(tried(i) for i in range(1000)))
