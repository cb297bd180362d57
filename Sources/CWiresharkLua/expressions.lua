-- Expressions ------------------------------------------------------------------------------------------------

-- A scope has the entries of the fields read so far, by name; an entry has a number, a text, fields or a list.
local function entry(scope, path)
    local found
    -- Fields of the request that a value answers.
    local asked = path:match("^request%.(.+)$")
    if asked then
        local request = scope.reading and scope.reading.context.request
        scope, path = { fields = request and request.fields or {} }, asked
    end
    for name in path:gmatch("[^.]+") do
        if found == nil then
            local around = scope
            while around ~= nil and around.fields[name] == nil do around = around.parent end
            found = around and around.fields[name]
        else
            found = found.fields and found.fields[name]
        end
        if found == nil then return nil end
    end
    return found
end

local function get(scope, path)
    local found = entry(scope, path)
    return found and found.number
end

local function text_of(scope, path)
    local found = entry(scope, path)
    if found == nil then return nil end
    return found.text or (found.number ~= nil and "" or nil)
end

local function count(scope, path)
    local found = entry(scope, path)
    return found and found.list and #found.list
end

local function sum(scope, path)
    local function total(found, names)
        if found == nil then return nil end
        if found.list then
            local all = 0
            for _, element in ipairs(found.list) do
                local part = total(element, names)
                if part == nil then return nil end
                all = all + part
            end
            return all
        end
        if names == "" then return type(found.number) == "number" and found.number or nil end
        local name, rest = names:match("^([^.]+)%.?(.*)$")
        return total(found.fields and found.fields[name], rest)
    end
    local name, rest = path:match("^([^.]+)%.?(.*)$")
    return total(entry(scope, name), rest)
end

local function load(scope, size, at)
    local reading = scope.reading
    if type(at) ~= "number" or at < 0 or at + size > reading.length then return nil end
    local number = 0
    for index = size - 1, 0, -1 do
        number = number * 256 + reading.tvb(reading.first + at + index, 1):uint()
    end
    return number
end

local function written(scope, name, at)
    local bytes = scope.reading.context.written[name]
    return bytes and type(at) == "number" and at >= 0 and bytes:byte(at + 1) or nil
end

local function has(scope, name)
    return scope.reading.context.has(name)
end

local function comparable(one)
    if type(one) == "boolean" then return one and 1 or 0 end
    return type(one) == "number" and one or nil
end

-- Applies a function to two numbers.
local function numbers(compute)
    return function(one, other)
        if type(one) ~= "number" or type(other) ~= "number" then return nil end
        return compute(one, other)
    end
end

local function equal(one, other)
    one, other = comparable(one), comparable(other)
    if one == nil or other == nil then return nil end
    return one == other
end

-- A number without a name has an empty one, which equals no text.
local function same_text(one, other)
    if one == nil or other == nil then return nil end
    return one ~= "" and one == other
end

local function negated(one)
    if type(one) ~= "boolean" then return nil end
    return not one
end

local function both(one, other)
    if one == false or other == false then return false end
    if one == true and other == true then return true end
end

local function either(one, other)
    if one == true or other == true then return true end
    if one == false and other == false then return false end
end

local less = numbers(function(one, other) return one < other end)
local less_or_equal = numbers(function(one, other) return one <= other end)
local greater = numbers(function(one, other) return one > other end)
local greater_or_equal = numbers(function(one, other) return one >= other end)
local add = numbers(function(one, other) return one + other end)
local subtract = numbers(function(one, other) return one - other end)
local multiply = numbers(function(one, other) return one * other end)

local function whole(number)
    return number == math.floor(number) and math.abs(number) < 2 ^ 53
end

local divide = numbers(function(one, other)
    if other == 0 then return nil end
    local quotient = one / other
    if not whole(one) or not whole(other) then return quotient end
    return quotient < 0 and math.ceil(quotient) or math.floor(quotient)
end)
local remainder = numbers(function(one, other)
    if other == 0 then return nil end
    return math.fmod(one, other)
end)

-- The bits of two numbers, one by one: Lua's own operators differ by version.
local function bits(choose)
    return numbers(function(one, other)
        if not whole(one) or not whole(other) then return nil end
        local number, weight = 0, 1
        for _ = 1, 53 do
            if choose(one % 2, other % 2) then number = number + weight end
            one, other, weight = math.floor(one / 2), math.floor(other / 2), weight * 2
        end
        return choose(one % 2, other % 2) and number - weight or number
    end)
end

local bit_and = bits(function(one, other) return one == 1 and other == 1 end)
local bit_or = bits(function(one, other) return one == 1 or other == 1 end)
local bit_xor = bits(function(one, other) return one ~= other end)
local shift_left = numbers(function(one, other)
    return whole(one) and other >= 0 and other < 64 and one * 2 ^ other or nil
end)
local shift_right = numbers(function(one, other)
    return whole(one) and other >= 0 and other < 64 and math.floor(one / 2 ^ other) or nil
end)

local function is_in(one, ranges)
    one = comparable(one)
    if one == nil then return nil end
    for _, range in ipairs(ranges) do
        if one == math.floor(one) and one >= range[1] and one <= range[2] then return true end
    end
    return false
end

local function extreme(is_better)
    return function(how_many, ...)
        local best
        for index = 1, how_many do
            local one = (select(index, ...))
            if type(one) ~= "number" then return nil end
            if best == nil or is_better(one, best) then best = one end
        end
        return best
    end
end

local least = extreme(function(one, other) return one < other end)
local greatest = extreme(function(one, other) return one > other end)

local function absolute(_, one)
    return type(one) == "number" and math.abs(one) or nil
end
