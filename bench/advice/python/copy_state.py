"""A state that is copied deeply for each trial."""
import copy

state = {"board": [[0] * 8 for _ in range(8)], "turn": 0}


def try_move(state, at):
    trial = copy.deepcopy(state)  # here: deep-copies
    trial["board"][at // 8][at % 8] = 1
    return sum(map(sum, trial["board"]))


print(sum(try_move(state, i % 64) for i in range(300)))
