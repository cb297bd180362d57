-- Messages ---------------------------------------------------------------------------------------------------

-- Takes a value after others; gives the bytes of a message that is complete.
local function add_after_prefix(message, state, bytes)
    if state.parts == nil then
        if #bytes < message.prefix then return nil end
        local length = 0
        for index = message.prefix, 1, -1 do length = length * 256 + bytes:byte(index) end
        state.parts, state.length, bytes = "", length, bytes:sub(message.prefix + 1)
    end
    state.parts = state.parts .. bytes
    if #state.parts < state.length and #state.parts < 1048576 then return nil end
    local parts = state.parts
    state.parts = nil
    return #parts == state.length and parts or nil
end

local function add_chunk(message, state, reading, entry, is_whole, bytes)
    local scope = { fields = entry and entry.fields or {}, reading = reading }
    local index, total = get(scope, message.index), get(scope, message.total)
    local span = reading.spans[message.content]
    -- Values without the content belong to another message of the same characteristic.
    if index == nil or total == nil or total == 0 or is_whole and span == nil then return nil end
    if index == 0 then state.parts, state.next = "", 0 end
    if state.parts == nil or index ~= state.next or not is_whole then
        state.parts = nil
        return nil
    end
    state.parts = state.parts .. bytes:sub(span[1] + 1, span[2])
    state.next = index + 1
    if state.next < total then return nil end
    local parts = state.parts
    state.parts = nil
    return parts
end

-- Streams: state.content has the bytes of a message so far, state.inside says whether one has begun.

local function restart(stream, state)
    state.content, state.plain, state.escaped, state.matched = {}, 0, false, 0
    state.length, state.ending, state.skipping, state.stray = nil, false, false, 0
    state.inside = stream.start == ""
end

-- How many bytes of a pattern have come, after so many before and this one.
local function matched(pattern, before, byte)
    local count = before
    while count > 0 and pattern:byte(count + 1) ~= byte do
        local seen, shorter = pattern:sub(1, count), 0
        for size = count - 1, 1, -1 do
            if shorter == 0 and seen:sub(-size) == pattern:sub(1, size) then shorter = size end
        end
        count = shorter
    end
    return pattern:byte(count + 1) == byte and count + 1 or 0
end

local function fail(stream, state, text)
    restart(stream, state)
    if stream.start == "" and stream.finish ~= "" then state.skipping = true end
    state.told = true
    return nil, text
end

local function finish(stream, state)
    local bytes = {}
    for index, byte in ipairs(state.content) do bytes[index] = string.char(byte) end
    restart(stream, state)
    state.told = false
    if stream.start == stream.finish then state.inside = true end
    return table.concat(bytes)
end

-- The length that a message tells; nil where its digits are none.
local function told_length(stream, state)
    local place, number = stream.length, 0
    for index = 0, place.size - 1 do
        local byte = state.content[place.at + 1 + (place.little and place.size - 1 - index or index)]
        if place.base then
            byte = tonumber(string.char(byte), place.base)
            if byte == nil then return nil end
            number = number * place.base + byte
        else
            number = number * 256 + byte
        end
    end
    return number + place.add
end

local function check_length(stream, state)
    if state.length == nil then
        if type(stream.length) == "number" then
            state.length = stream.length
        elseif #state.content == stream.length.at + stream.length.size then
            local length = told_length(stream, state)
            if length == nil then return fail(stream, state, "the length is not a number") end
            if length < #state.content then
                return fail(stream, state, "a message says it has " .. length .. " bytes, which is too few")
            end
            if length > stream.limit then
                return fail(
                    stream, state, "a message says it has " .. length .. " bytes; at most " .. stream.limit
                        .. " are expected")
            end
            state.length = length
        else
            return nil
        end
    end
    if #state.content ~= state.length then return nil end
    if stream.finish == "" then return finish(stream, state) end
    state.ending, state.matched = true, 0
end

local function has_end(stream, state)
    local finish = stream.finish
    if finish == "" or state.plain < #finish then return false end
    for index = 1, #finish do
        if state.content[#state.content - #finish + index] ~= finish:byte(index) then return false end
    end
    return true
end

-- Takes a byte of a stream; gives a message that it completes, or a fault.
local function add_byte(stream, state, byte)
    if state.skipping then
        state.matched = matched(stream.finish, state.matched, byte)
        if state.matched == #stream.finish then
            restart(stream, state)
            state.told = false
        end
        return nil
    end
    if not state.inside then
        state.matched = matched(stream.start, state.matched, byte)
        state.stray = state.stray + 1
        if state.matched == #stream.start then
            restart(stream, state)
            state.inside, state.told = true, false
        elseif not state.told and state.matched ~= state.stray then
            state.told = true
            return nil, "bytes outside of a message"
        end
        return nil
    end
    if state.ending then
        if byte ~= stream.finish:byte(state.matched + 1) then
            local count = #state.content
            local _, fault = fail(stream, state, "a message of " .. count .. " bytes does not end as it should")
            if not state.inside then add_byte(stream, state, byte) end
            return nil, fault
        end
        state.matched = state.matched + 1
        if state.matched == #stream.finish then return finish(stream, state) end
        return nil
    end
    if state.escaped then
        state.escaped, state.plain = false, -1
        if stream.codes then
            if stream.codes[byte] == nil then
                return fail(stream, state, string.format("0x%02x after an escape stands for nothing", byte))
            end
            byte = stream.codes[byte]
        else
            byte = bit_xor(byte, stream.xor)
        end
    elseif byte == stream.escape then
        state.escaped = true
        return nil
    end
    state.content[#state.content + 1] = byte
    state.plain = state.plain + 1
    if stream.length then return check_length(stream, state) end
    if has_end(stream, state) then
        for _ = 1, #stream.finish do state.content[#state.content] = nil end
        if #state.content > 0 then return finish(stream, state) end
        restart(stream, state)
        state.inside = stream.start == stream.finish or stream.start == ""
        state.told = false
    elseif #state.content - #stream.finish >= stream.limit then
        return fail(stream, state, "a message without an end in " .. stream.limit .. " bytes")
    end
end

-- Takes a value into its message; adds the messages that are complete, and what is wrong.
local function add_to_message(message, state, reading, entry, is_whole, value, time)
    local function complete(bytes)
        value.completed = value.completed or {}
        table.insert(
            value.completed,
            { definition = message, bytes = bytes, request = value.server.requests[message.request or ""] })
    end
    local function note(fault)
        value.faults = value.faults or {}
        for _, known in ipairs(value.faults) do
            if known == fault then return end
        end
        table.insert(value.faults, fault)
    end
    local stream, is_late = message.stream, state.time and message.timeout and time - state.time > message.timeout
    state.time = time
    if stream then
        if state.content == nil then restart(stream, state) end
        if is_late then
            if #state.content > 0 or state.escaped then
                note("the " .. #state.content .. " bytes of a message before this had no end")
            end
            restart(stream, state)
        end
        for index = 1, #value.bytes do
            local bytes, fault = add_byte(stream, state, value.bytes:byte(index))
            if bytes then complete(bytes) end
            if fault then note(fault) end
        end
        return
    end
    if is_late then state.parts = nil end
    local bytes
    if message.prefix then
        bytes = add_after_prefix(message, state, value.bytes)
    else
        bytes = add_chunk(message, state, reading, entry, is_whole, value.bytes)
    end
    if bytes then complete(bytes) end
end

local function follow_messages(value, name, reading, entry, is_whole, pinfo)
    for index, message in ipairs(messages) do
        if message.characteristic == name and message.operation == value.operation then
            value.server.messages[index] = value.server.messages[index] or {}
            add_to_message(
                message, value.server.messages[index], reading, entry, is_whole, value, pinfo.rel_ts)
        end
    end
end
