-- Values -----------------------------------------------------------------------------------------------------

-- A reading is one value: the bytes of tvb from first on, and the context that its conditions ask for.

-- The range of bytes of a value; nil where it ends before.
local function range_of(reading, at, size)
    if size < 0 or at + size > reading.length then return nil end
    return reading.tvb(reading.first + at, size)
end

local function too_short(reading, tree, node, at, size)
    tree:add_proto_expert_info(
        expert.too_short,
        node.title .. ": needs " .. size .. (size == 1 and " byte" or " bytes") .. " at offset " .. at .. ", "
            .. math.max(0, reading.length - at) .. " are left")
    return nil
end

local function raw_number(reading, at, node)
    local range = range_of(reading, at, node.size)
    if node.size <= 4 then
        local number = node.big and range:uint() or range:le_uint()
        if node.signed and number >= 2 ^ (8 * node.size - 1) then number = number - 2 ^ (8 * node.size) end
        return number
    end
    -- Inexact above 2^53; what is shown comes from the bytes.
    local number = 0.0
    for index = 0, node.size - 1 do
        local place = node.big and index or node.size - 1 - index
        number = number * 256 + reading.tvb(reading.first + at + place, 1):uint()
    end
    if node.signed and number >= 2 ^ (8 * node.size - 1) then number = number - 2 ^ (8 * node.size) end
    return number
end

local function half_float(raw)
    local sign, exponent, fraction = raw >= 0x8000 and -1 or 1, math.floor(raw / 1024) % 32, raw % 1024
    if exponent == 0 then return sign * fraction * 2 ^ -24 end
    if exponent == 31 then return fraction == 0 and sign / 0 or 0 / 0 end
    return sign * (1024 + fraction) * 2 ^ (exponent - 25)
end

-- The number with the fewest digits that is taken for the same by a float of so many bytes: 0.1, not 0.10000000149.
local function shortest(number, size)
    if size == 8 or number ~= number or math.abs(number) == 1 / 0 or number == 0 then return number end
    local lowest, bits = size == 2 and -14 or -126, size == 2 and 10 or 23
    local magnitude = math.abs(number)
    local exponent = math.floor(math.log(magnitude) / math.log(2))
    -- The logarithm is not exact, and below a power of two the numbers are closer to each other.
    if 2 ^ exponent >= magnitude then exponent = exponent - 1 end
    local half_a_step = 2 ^ (math.max(lowest, exponent) - bits - 1)
    for digits = 1, 9 do
        local candidate = tonumber(string.format("%." .. digits .. "g", number))
        if math.abs(candidate - number) < half_a_step then return candidate end
    end
    return number
end

-- IEEE 11073-20601: an exponent of base ten above a mantissa, both in two's complement.
local function medical_float(raw, size)
    local mantissa_size = size == 2 and 4096 or 16777216
    local exponent_size = size == 2 and 16 or 256
    local mantissa, exponent = raw % mantissa_size, math.floor(raw / mantissa_size)
    if exponent == 0 then
        local half = mantissa_size / 2
        if mantissa == half - 2 then return 1 / 0 end
        if mantissa == half + 2 then return -1 / 0 end
        if mantissa >= half - 1 and mantissa <= half + 1 then return 0 / 0 end
    end
    if mantissa >= mantissa_size / 2 then mantissa = mantissa - mantissa_size end
    if exponent >= exponent_size / 2 then exponent = exponent - exponent_size end
    if exponent < 0 then return mantissa / 10 ^ -exponent end
    return mantissa * 10 ^ exponent
end

-- value = raw · m · 10^d · 2^b + offset
local function scaled(raw, scale)
    local number = raw * scale[1]
    number = scale[2] < 0 and number / 10 ^ -scale[2] or number * 10 ^ scale[2]
    return number * 2 ^ scale[3] + scale[4]
end

-- Remarks on a number that is not as the profile says.
local function check(item, node, number, physical)
    if node.constant and number ~= node.constant then
        item:add_proto_expert_info(expert.unexpected, string.format("expected %.14g", node.constant))
    elseif node.low and (physical < node.low or physical > node.high) then
        if not (node.names and node.names[number]) then
            item:add_proto_expert_info(
                expert.unexpected, string.format("expected %.14g to %.14g", node.low, node.high))
        end
    end
end

local function names_and_units(item, node, number)
    local name = node.names and node.names[number]
    if name and not node.shows_names then item:append_text(" (" .. name .. ")") end
    if node.unit and not name then item:append_text(" " .. node.unit) end
end

local readers = {}

function readers.integer(reading, node, tree, at)
    local number, range = raw_number(reading, at, node), range_of(reading, at, node.size)
    local physical, item = number, nil
    if node.scale then
        item = tree:add(node.field, range, scaled(number, node.scale))
        if not (node.names and node.names[number]) then physical = scaled(number, node.scale) end
    else
        item = node.big and tree:add(node.field, range) or tree:add_le(node.field, range)
    end
    names_and_units(item, node, number)
    check(item, node, number, physical)
    return { number = physical, text = node.identifiers and (node.identifiers[number] or "") }
end

function readers.boolean(reading, node, tree, at)
    local number = raw_number(reading, at, node)
    local item = tree:add(node.field, range_of(reading, at, node.size), number ~= 0)
    if number > 1 then item:add_proto_expert_info(expert.unexpected, "expected 0 or 1") end
    if number <= 1 then return { number = number == 1 } end
    return { number = number }
end

function readers.float(reading, node, tree, at)
    local range = range_of(reading, at, node.size)
    local number
    if node.size == 2 then
        number = half_float(node.big and range:uint() or range:le_uint())
    else
        number = node.big and range:float() or range:le_float()
    end
    local item = tree:add(node.field, range, shortest(number, node.size))
    names_and_units(item, node, number)
    check(item, node, number, number)
    return { number = number }
end

function readers.medical(reading, node, tree, at)
    local number = medical_float(raw_number(reading, at, node), node.size)
    local item = tree:add(node.field, range_of(reading, at, node.size), number)
    names_and_units(item, node, number)
    check(item, node, number, number)
    return { number = number }
end

function readers.time(reading, node, tree, at)
    local number = raw_number(reading, at, node)
    local seconds = number * node.resolution
    local whole = math.floor(seconds)
    local time = NSTime.new(node.epoch + whole, math.floor((seconds - whole) * 1e9 + 0.5))
    local item = tree:add(node.field, range_of(reading, at, node.size), time)
    names_and_units(item, node, number)
    return { number = number }
end

function readers.dotted(reading, node, tree, at)
    local parts = {}
    for index = 0, node.size - 1 do
        local place = node.big and index or node.size - 1 - index
        parts[index + 1] = tostring(reading.tvb(reading.first + at + place, 1):uint())
    end
    tree:add(node.field, range_of(reading, at, node.size), table.concat(parts, "."))
    return { number = raw_number(reading, at, node) }
end

-- So many bits from a lowest one on; of the bytes, so that all 64 bits are told.
local function bits_of(reading, at, node, shift, width)
    local value = 0
    for index = 0, node.size - 1 do
        local low, high = math.max(8 * index, shift), math.min(8 * index + 8, shift + width)
        if low < high then
            local place = node.big and node.size - 1 - index or index
            local byte = reading.tvb(reading.first + at + place, 1):uint()
            value = value + math.floor(byte / 2 ^ (low - 8 * index)) % 2 ^ (high - low) * 2 ^ (low - shift)
        end
    end
    return value
end

function readers.bits(reading, node, tree, at)
    local range = range_of(reading, at, node.size)
    local item = node.big and tree:add(node.field, range) or tree:add_le(node.field, range)
    local parts = {}
    for _, part in ipairs(node.parts) do
        local raw = bits_of(reading, at, node, part.shift, part.width)
        local value = raw
        if part.signed and raw >= 2 ^ (part.width - 1) then value = raw - 2 ^ part.width end
        local child
        if part.masked then
            child = node.big and item:add(part.field, range) or item:add_le(part.field, range)
        elseif part.flag then
            child = item:add(part.field, range, value == 1)
        elseif part.scale then
            child = item:add(part.field, range, scaled(value, part.scale))
        else
            child = item:add(
                part.field, range, part.signed and not part.constant and Int64(value) or UInt64(raw))
        end
        names_and_units(child, part, value)
        local result = value
        if part.scale and not (part.names and part.names[value]) then result = scaled(value, part.scale) end
        check(child, part, value, result)
        if part.flag then result = value == 1 end
        parts[part.name] = { number = result, text = part.identifiers and (part.identifiers[value] or "") }
    end
    for _, gap in ipairs(node.reserved) do
        if bits_of(reading, at, node, gap[1], gap[2]) ~= 0 then
            item:add_proto_expert_info(expert.unexpected, "reserved bits are set")
            break
        end
    end
    return { number = raw_number(reading, at, node), fields = parts }
end

function readers.checksum(reading, node, tree, at, scope)
    local first = node.checksum.from and place_in(scope, "starts", node.checksum.from) or scope.first
    local last = node.checksum.to and place_in(scope, "ends", node.checksum.to) or at
    local wanted = checksum_of(
        node.checksum, last > first and reading.tvb(reading.first + first, last - first):raw() or "")
    local seen = {}
    for index = 0, node.size - 1 do
        local place = node.big and index or node.size - 1 - index
        seen[index + 1] = string.format("%02x", reading.tvb(reading.first + at + place, 1):uint())
    end
    local range = range_of(reading, at, node.size)
    local item = node.big and tree:add(node.field, range) or tree:add_le(node.field, range)
    local is_good = table.concat(seen) == wanted
    tree:add(node.status, range, is_good and 1 or 0):set_generated()
    if not is_good then item:add_proto_expert_info(expert.unexpected, "the bytes have 0x" .. wanted) end
    return { number = raw_number(reading, at, node) }
end

function readers.address(reading, node, tree, at)
    local parts = {}
    for index = 1, 6 do
        local place = node.big and index - 1 or 6 - index
        parts[index] = string.format("%02x", reading.tvb(reading.first + at + place, 1):uint())
    end
    tree:add(node.field, range_of(reading, at, 6), Address.ether(table.concat(parts, ":")))
    return {}
end

function readers.uuid128(reading, node, tree, at)
    local parts = {}
    for index = 1, 16 do
        local place = node.big and index - 1 or 16 - index
        parts[index] = string.format("%02x", reading.tvb(reading.first + at + place, 1):uint())
    end
    tree:add(node.field, range_of(reading, at, 16), table.concat(parts))
    return {}
end

-- How many bytes or elements there are; nil where that cannot be computed.
local function amount(wanted, scope, rest)
    if wanted == nil then return rest end
    if type(wanted) == "function" then wanted = wanted(scope) end
    if type(wanted) ~= "number" or wanted < 0 or wanted ~= math.floor(wanted) then return nil end
    return wanted
end

local function read_span(reading, node, tree, at, scope)
    local size = amount(node.length, scope, reading.length - at)
    if size == nil or at + size > reading.length then
        return too_short(reading, tree, node, at, size or "an unknown number of")
    end
    local range = range_of(reading, at, size)
    local entry = {}
    if node.kind == "bytes" then
        if size > 0 then tree:add(node.field, range) end
    else
        local text = size > 0 and range:raw() or ""
        local shown = text:match("^[^%z]*")
        local length = node.padding and #shown or size
        tree:add(node.field, range_of(reading, at, length), shown)
        if length < size then tree:add(node.padding, range_of(reading, at + length, size - length)) end
        entry.text = shown
    end
    return at + size, entry
end

-- A number in ASCII.
local function read_digits(reading, node, tree, at, scope)
    local size = amount(node.length, scope, reading.length - at)
    if size == nil or at + size > reading.length then
        return too_short(reading, tree, node, at, size or "an unknown number of")
    end
    local range = range_of(reading, at, size)
    local text = size > 0 and range:raw():match("^ *(.-) *$") or ""
    local form = node.base == 16 and "^%x+$" or node.decimals and "^[+-]?%d*%.?%d*$" or "^[+-]?%d+$"
    local number = text:match(form) and tonumber(text, node.base == 16 and 16 or nil)
    if node.decimals and #(text:match("%.(%d*)$") or "") > node.decimals then number = nil end
    if number == nil then
        tree:add_proto_expert_info(expert.too_short, node.title .. ": is no number")
        return nil
    end
    local physical, raw, item = number, number, nil
    if node.decimals then
        raw = math.floor(number * 10 ^ node.decimals + 0.5)
        item = tree:add(node.field, range, number)
    elseif node.scale then
        physical = scaled(number, node.scale)
        item = tree:add(node.field, range, physical)
    else
        item = tree:add(node.field, range, Int64(number))
    end
    names_and_units(item, node, raw)
    check(item, node, raw, physical)
    return at + size, { number = physical, text = node.identifiers and (node.identifiers[raw] or "") }
end

-- Where fields are found by their names, and where each begins and ends.
local function new_scope(reading, parent)
    return { fields = {}, starts = {}, ends = {}, parent = parent, reading = reading }
end

local read_fields, read_choice

-- One value of a field: gives the offset after it and its entry, or nil where the bytes end before.
local function read_one(reading, node, tree, at, scope)
    if node.kind == "text" or node.kind == "bytes" then return read_span(reading, node, tree, at, scope) end
    if node.kind == "digits" then return read_digits(reading, node, tree, at, scope) end
    if node.kind == "structure" or node.kind == "choice" then
        local group = tree:add(node.field, range_of(reading, at, reading.length - at))
        local inner = new_scope(reading, scope)
        local after
        if node.kind == "structure" then
            after = read_fields(reading, node.fields, group, at, inner)
        else
            after = read_choice(reading, node, group, at, inner)
        end
        if after ~= nil then group:set_len(after - at) end
        return after, { fields = inner.fields }
    end
    if at + node.size > reading.length then return too_short(reading, tree, node, at, node.size) end
    return at + node.size, readers[node.kind](reading, node, tree, at, scope)
end

local function read_list(reading, node, tree, at, scope)
    local how_many
    if node.count ~= "rest" then
        how_many = amount(node.count, scope, 0)
        if how_many == nil then return too_short(reading, tree, node, at, "an unknown number of") end
    end
    local list = {}
    while how_many == nil and at < reading.length or how_many ~= nil and #list < how_many do
        local after, element = read_one(reading, node, tree, at, scope)
        -- An element takes a byte at least, so the bytes bound the work.
        if after == nil or after == at then return nil, { list = list } end
        list[#list + 1] = element
        at = after
    end
    return at, { list = list }
end

function read_fields(reading, nodes, tree, at, scope)
    scope.first = at
    for _, node in ipairs(nodes) do
        scope.starts[node.name], scope.ends[node.name] = at, at
        if node.when == nil or node.when(scope) == true then
            local read = node.count and read_list or read_one
            local after, entry = read(reading, node, tree, at, scope)
            scope.fields[node.name] = entry
            if after == nil then return nil end
            -- The places of a value's own fields, for messages.
            if scope.parent and scope.parent.parent == nil then reading.spans[node.name] = { at, after } end
            at = after
            scope.ends[node.name] = at
        end
    end
    return at
end

function read_choice(reading, node, tree, at, scope)
    local start = at
    local after, entry = read_one(reading, node.discriminant, tree, at, scope)
    if after == nil then return nil end
    scope.fields[node.discriminant.name] = entry
    scope.starts[node.discriminant.name], scope.ends[node.discriminant.name] = start, after
    for _, case in ipairs(node.cases) do
        if (case.value == nil or case.value == entry.number)
            and (case.length == nil or case.length == reading.length - start)
        then
            local group = tree:add(case.field, range_of(reading, after, reading.length - after))
            local inner = new_scope(reading, scope)
            local last = read_fields(reading, case.fields, group, after, inner)
            if last ~= nil then group:set_len(last - after) end
            for name, found in pairs(inner.fields) do
                if scope.fields[name] == nil then scope.fields[name] = found end
            end
            return last
        end
    end
    tree:add_proto_expert_info(expert.unexpected, node.title .. ": no case has this value and length")
    return nil
end

-- Reads a whole value of a type; gives the entry of its fields.
local function read_value(reading, node, tree)
    local scope = new_scope(reading)
    local after, entry = read_one(reading, node, tree, 0, scope)
    if after ~= nil and after < reading.length then
        tree:add_proto_expert_info(expert.unexpected, (reading.length - after) .. " bytes are left over")
    end
    return entry, after ~= nil
end
