-- A game of moves, of which each can be taken back.
local board = {}
for i = 1, 64 do board[i] = 0 end
local history = {}

local function copy(of)
    local new = {}
    for i = 1, #of do new[i] = of[i] end
    return new
end

local function move(field, piece)
    history[#history + 1] = copy(board)
    board[field] = piece
end

local function score()
    local sum = 0
    for i = 1, #board do sum = sum + board[i] end
    return sum
end

local best = 0
for turn = 1, 2000 do
    move(turn * 7 % 64 + 1, turn % 5)
    best = math.max(best, score())
end
print(best, #history)
