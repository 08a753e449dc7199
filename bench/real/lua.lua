-- Reads lines into records, groups, sorts and prints them, matches patterns, calls closures and coroutines: `lua.lua N`.
-- Deterministic: numbers come from a fixed sequence, and nothing depends on the order of `pairs`. Every total is computed
-- twice, on two ways; a difference ends it with an error.

local n = math.tointeger(arg[1]) or error("usage: lua.lua N")
local state = 12345
local function number(below)
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % below
end
local function same(what, a, b)
    if a ~= b then error(("%s: %s and not %s"):format(what, a, b), 0) end
end

-- A log, as a server writes it.
local function written(lines)
    local out, bytes = {}, 0
    for i = 1, lines do
        local size = number(100000)
        bytes = bytes + size
        out[i] = ("host%d - user%d [%02d:%02d] \"GET /page/%d?q=%x HTTP/1.1\" %d %d"):format(
            number(500), number(3000), number(24), number(60), number(900), state, 200 + number(5) * 100, size)
    end
    return table.concat(out, "\n") .. "\n", bytes
end

local function read(text)
    local records = {}
    for host, user, hour, minute, page, query, code, size in
        text:gmatch('(%w+) %- (%w+) %[(%d+):(%d+)%] "GET /page/(%d+)%?q=(%x+) [^"]*" (%d+) (%d+)\n') do
        records[#records + 1] = {
            host = host, user = user, time = tonumber(hour) * 60 + tonumber(minute), page = tonumber(page),
            query = { text = query, length = #query }, code = tonumber(code), size = tonumber(size),
        }
    end
    return records
end

-- Objects with a metatable, and closures that keep what they have seen.
local Group = {}
Group.__index = Group
Group.__lt = function(a, b) return a.size > b.size or (a.size == b.size and a.name < b.name) end
local function group(name)
    local seen = setmetatable({ name = name, size = 0, pages = {}, members = {} }, Group)
    seen.add = function(record)
        seen.size = seen.size + record.size
        seen.pages[record.page] = (seen.pages[record.page] or 0) + 1
        seen.members[#seen.members + 1] = record
    end
    return seen
end

local kept = {}
for round = 1, 3 do
    local text, bytes = written(n)
    local records = read(text)
    same("lines", #records, n)

    local by_user, users = {}, {}
    for _, record in ipairs(records) do
        local of = by_user[record.user]
        if not of then
            of = group(record.user)
            by_user[record.user], users[#users + 1] = of, of
        end
        of.add(record)
    end
    table.sort(users)
    local sum, pages, last = 0, 0, nil
    for _, user in ipairs(users) do
        if last then same("order", last < user, true) end
        last, sum = user, sum + user.size
        for _, times in pairs(user.pages) do pages = pages + times end
        table.sort(user.members, function(a, b) return a.time < b.time or (a.time == b.time and a.size < b.size) end)
    end
    same("bytes", sum, bytes)
    same("pages", pages, n)

    -- A page of text for each group, by a coroutine; put together, taken apart and changed back.
    local lines = coroutine.wrap(function()
        for _, user in ipairs(users) do
            for _, record in ipairs(user.members) do
                coroutine.yield(user.name .. "\t" .. record.host .. "\t" .. record.query.text .. "\t" .. record.size)
            end
        end
    end)
    local report = {}
    for line in lines do report[#report + 1] = line:upper():gsub("HOST(%d+)", "<%1>") end
    local again = 0
    for name, host, query, size in table.concat(report, "\n"):gmatch("([^\t\n]+)\t<(%d+)>\t(%x+)\t(%d+)") do
        again = again + tonumber(size)
        if #name < 5 or #host > 3 or #query > 8 then error("a line is broken", 0) end
    end
    same("bytes of the report", again, bytes)

    -- A part outlives its round, so that memory is never all free again.
    for i, record in ipairs(records) do
        if i % 16 == round then kept[#kept + 1] = record end
    end
end
print(#kept, state)
