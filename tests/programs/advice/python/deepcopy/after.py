board = [[0] * 8 for _ in range(8)]


def tried(i):
    row, column = i % 8, i // 8 % 8
    before = board[row][column]
    board[row][column] = 1
    result = sum(map(sum, board))
    board[row][column] = before
    return result


print(sum(tried(i) for i in range(1000)))
