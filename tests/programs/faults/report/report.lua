-- A report of sales, as one text.
local function sale(i)
  return { id = i, shop = i % 20, amount = (i * 31) % 997 }
end

local function totals(sales)
  local sums = {}
  for _, s in ipairs(sales) do
    sums[s.shop] = (sums[s.shop] or 0) + s.amount
  end
  return sums
end

local function render(sales)
  local page = "sales\n"
  for _, s in ipairs(sales) do
    page = page .. s.id .. " shop " .. s.shop .. " amount " .. s.amount .. "\n"
  end
  return page
end

local sales = {}
for i = 1, 1500 do
  sales[i] = sale(i)
end
local sums = totals(sales)
print(#render(sales), sums[3])
