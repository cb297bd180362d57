-- Dissection -------------------------------------------------------------------------------------------------

local function new_reading(tvb, first, length, context)
    return { tvb = tvb, first = first, length = length, context = context, spans = {} }
end

local nobody = { written = {}, has = function() return nil end }

-- The first type whose condition holds.
local function choose(choice, reading)
    for _, alternative in ipairs(choice or {}) do
        local scope = { fields = {}, reading = reading }
        if alternative.when == nil or alternative.when(scope) == true then return alternative.type end
    end
end

local function show(reading, node, pinfo, tree)
    local size = math.min(reading.length, reading.tvb:len() - reading.first)
    local item = tree:add(protocol, reading.tvb(reading.first, size))
    item:append_text(": " .. node.title)
    -- Several plugins may read the same value: each shows its fields, and the first one names it.
    local name = " [" .. node.title .. "]"
    if not string.find(tostring(pinfo.cols.info), name, 1, true) then pinfo.cols.info:append(name) end
    return item, read_value(reading, node, item)
end

local function tvb_of(bytes, name)
    return ByteArray.new(bytes, true):tvb(name)
end

local function show_messages(value, item)
    for _, message in ipairs(value.completed or {}) do
        local whole = tvb_of(message.bytes, message.definition.title)
        local group = item:add(fields.message, whole(0, #message.bytes), message.definition.title)
        local context = { written = value.written, has = value.has, request = message.request }
        local reading = new_reading(whole, 0, #message.bytes, context)
        local node = choose(message.definition.reading, reading)
        if node then
            local entry = read_value(reading, node, group)
            value.server.requests[message.definition.name] = entry
        end
    end
    for _, fault in ipairs(value.faults or {}) do item:add_proto_expert_info(expert.unexpected, fault) end
end

local function show_value(value, tvb, pinfo, tree, is_new)
    local choice, name, asked = reading_of(value.server.tables, value.handle, value.operation)
    if name == nil and choice == nil then return end
    if is_new then value.request = asked and value.server.requests[asked] end
    value.has = function(other) return has_characteristic(value.server.tables, other) end
    local context = { written = value.written, request = value.request, has = value.has }
    local first = value.first
    if value.is_assembled then tvb, first = tvb_of(value.bytes, "Attribute value put together"), 0 end
    local reading = new_reading(tvb, first, #value.bytes, context)
    local node = choose(choice, reading)
    if node == nil then
        -- The value is a piece of a stream, or not known.
        if is_new then follow_messages(value, name, reading, nil, true, pinfo) end
        if value.completed == nil and value.faults == nil then return end
        local item = tree:add(protocol, tvb(first, #value.bytes))
        show_messages(value, item)
        return
    end
    -- A part of a value is read only where its type says that nothing can follow.
    if value.is_part and node.longest ~= reading.length then return end
    local item, entry, is_whole = show(reading, node, pinfo, tree)
    if value.operation == "write" and name then value.server.requests[name] = is_whole and entry or nil end
    if is_new then follow_messages(value, name, reading, entry, is_whole, pinfo) end
    show_messages(value, item)
end

-- Whether data of a UUID or a company begin as ours do.
local function has_prefix(key, bytes)
    for _, prefix in ipairs(prefixes[key] or { "" }) do
        if bytes:sub(1, #prefix) == prefix then return true end
    end
    return false
end

-- Service data and manufacturer data of advertisements.
local function show_advertised(found, pinfo, tree)
    local tvb, at = found.source, found.offset
    if tvb == nil or at < 1 then return end
    local length, kind = tvb(at - 1, 1):uint() - 1, tvb(at, 1):uint()
    if length < 0 or at + 1 + length > tvb:len() then return end
    local sizes = { [0x16] = 2, [0x20] = 4, [0x21] = 16, [0xff] = 2 }
    local size = sizes[kind]
    if size == nil or length < size then return end
    local key = kind == 0xff and tvb(at + 1, 2):le_uint() or uuid_of(tvb, at + 1, size)
    local choice = advertised[key]
    if choice == nil then return end
    if not has_prefix(key, raw_of(tvb, at + 1 + size, length - size)) then return end
    local reading = new_reading(tvb, at + 1 + size, length - size, nobody)
    local node = choose(choice, reading)
    if node then show(reading, node, pinfo, tree) end
end

-- The last frame that was followed: frames come again, in any order, when they are looked at.
local last_followed = 0

function protocol.init()
    links, remembered, frames = {}, {}, {}
    last_followed = 0
end

local function follow_frame(pinfo, opcodes)
    follow_event()
    if #opcodes == 0 then return end
    local link, all = link_of_frame(), {}
    for index, found in ipairs(opcodes) do
        all[index] = {}
        if found.source then follow_pdu(link, pinfo.p2p_dir, found.source, found.offset, all[index]) end
    end
    frames[pinfo.number] = all
end

function protocol.dissector(_, pinfo, tree)
    -- On its first pass, tshark -2 takes frames apart without making fields of them.
    if frame_number() == nil then return end
    for _, found in ipairs({ ad_type() }) do show_advertised(found, pinfo, tree) end
    local opcodes = { att_opcode() }
    local is_new = pinfo.number > last_followed
    if is_new then
        follow_frame(pinfo, opcodes)
        last_followed = pinfo.number
    end
    for index, values in ipairs(frames[pinfo.number] or {}) do
        local found = opcodes[index]
        for _, value in ipairs(values) do
            if found and found.source then show_value(value, found.source, pinfo, tree, is_new) end
        end
    end
end

register_postdissector(protocol)
