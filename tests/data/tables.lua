-- Tables, strings, patterns, closures, coroutines, weak tables, finalisers, both of Lua's collectors.
local state = 12345
local function draw(below)
  state = (state * 1103515245 + 12345) % 2147483648
  return (state >> 16) % below
end
local function word()
  local letters = {}
  for i = 1, 1 + draw(40) do letters[i] = string.char(97 + draw(10)) end
  return table.concat(letters)
end
local function sum(text)
  local a, b = 1, 0
  for i = 1, #text do
    a = (a + text:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b * 65536 + a
end

for _, mode in ipairs { 'incremental', 'generational' } do
  collectgarbage(mode)
  local words, count = {}, {}
  for i = 1, 20000 do
    words[i] = word()
    local head = words[i]:sub(1, 2)
    count[head] = (count[head] or 0) + 1
  end
  table.sort(words)
  local text = table.concat(words, ' ')
  print(mode, #text, sum(text))
  local heads = {}
  for head, n in pairs(count) do heads[#heads + 1] = head .. n end
  table.sort(heads)
  print('heads', #heads, sum(table.concat(heads)))
  local swapped, n = text:gsub('(%a)(%a)b', '%2%1')
  print('gsub', n, sum(swapped))
  local found = 0
  for _ in text:gmatch('a%w-a') do found = found + 1 end
  print('gmatch', found)
  local grown = ''
  for i = 1, 3000 do grown = grown .. i end
  print('grown', #grown)

  local weak, strong = setmetatable({}, { __mode = 'k' }), {}
  for i = 1, 5000 do
    local key = { i }
    weak[key] = word()
    if i % 10 == 0 then strong[#strong + 1] = key end
  end
  collectgarbage()
  collectgarbage()
  local left = 0
  for _ in pairs(weak) do left = left + 1 end
  print('weak', left, #strong)
  local closed = 0
  for _ = 1, 3000 do setmetatable({}, { __gc = function() closed = closed + 1 end }) end
  collectgarbage()
  collectgarbage()
  print('finalised', closed)

  local coroutines = {}
  for i = 1, 500 do
    coroutines[i] = coroutine.wrap(function(x)
      while true do x = coroutine.yield(string.rep(tostring(x), i % 30)) end
    end)
  end
  local length = 0
  for round = 1, 5 do
    for _, resume in ipairs(coroutines) do length = length + #resume(round * 1000) end
  end
  print('coroutines', length)
  local tree = {}
  for i = 1, 30000 do
    local node = tree
    for digit in tostring(i * 7919 % 100000):gmatch('%d') do
      node[digit] = node[digit] or {}
      node = node[digit]
    end
    if i % 1000 == 0 then tree[tostring(i % 10)] = nil end
  end
  local function size(node)
    local all = 1
    for _, child in pairs(node) do all = all + size(child) end
    return all
  end
  print('tree', size(tree))
  print('moved', #table.move(words, 1, #words, 5000, {}), select('#', table.unpack(words, 1, 200)))
  print('error', pcall(function() return nil + 1 end))
end
print('done')
