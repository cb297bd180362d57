-- Attribute Protocol -----------------------------------------------------------------------------------------

-- Notes a value that a frame carries: bytes of the frame, or bytes put together from several frames.
local function note(values, server, handle, operation, first, bytes, is_part)
    values[#values + 1] = {
        server = server, handle = handle, operation = operation, first = first, bytes = bytes, is_part = is_part,
        written = snapshot(server),
    }
    local _, name = reading_of(server.tables, handle, operation)
    if operation == "write" and name then server.written[name] = bytes:sub(1, 512) end
end

local function raw_of(tvb, at, length)
    return length > 0 and tvb(at, length):raw() or ""
end

local from_client = {}

from_client[0x02] = function(server, pending, tvb, at, last)
    if at + 3 <= last then server.offered = tvb(at + 1, 2):le_uint() end
end

from_client[0x08] = function(server, pending, tvb, at, last)
    if at + 7 == last then pending.type = tvb(at + 5, 2):le_uint() end
    if at + 21 == last then pending.type = 0 end
end

-- Requests for the values of several handles.
local function asked_handles(server, pending, tvb, at, last)
    pending.handles = {}
    for place = at + 1, last - 2, 2 do pending.handles[#pending.handles + 1] = tvb(place, 2):le_uint() end
end

from_client[0x0e] = asked_handles
from_client[0x20] = asked_handles

from_client[0x0a] = function(server, pending, tvb, at, last)
    if at + 3 <= last then pending.handle, pending.offset = tvb(at + 1, 2):le_uint(), 0 end
end

from_client[0x0c] = function(server, pending, tvb, at, last)
    if at + 5 <= last then pending.handle, pending.offset = tvb(at + 1, 2):le_uint(), tvb(at + 3, 2):le_uint() end
end

local function written_value(server, pending, tvb, at, last, values)
    if at + 3 > last then return end
    local length = last - at - 3
    note(values, server, tvb(at + 1, 2):le_uint(), "write", at + 3, raw_of(tvb, at + 3, length))
end

from_client[0x12] = written_value
from_client[0x52] = written_value
from_client[0xd2] = function(server, pending, tvb, at, last, values)
    if at + 15 <= last then written_value(server, pending, tvb, at, last - 12, values) end
end

from_client[0x16] = function(server, pending, tvb, at, last)
    if at + 5 > last then return end
    local handle, offset = tvb(at + 1, 2):le_uint(), tvb(at + 3, 2):le_uint()
    local queued = server.prepared[handle] or ""
    if offset == #queued then server.prepared[handle] = queued .. raw_of(tvb, at + 5, last - at - 5) end
end

from_client[0x18] = function(server, pending, tvb, at, last, values)
    if at + 2 <= last and tvb(at + 1, 1):uint() == 1 then
        for handle, bytes in pairs(server.prepared) do
            note(values, server, handle, "write", at, bytes)
            values[#values].is_assembled = true
        end
    end
    server.prepared = {}
end

local from_server = {}

from_server[0x03] = function(server, pending, tvb, at, last)
    if at + 3 <= last and server.offered then
        server.mtu = math.max(23, math.min(server.offered, tvb(at + 1, 2):le_uint()))
    end
end

from_server[0x05] = function(server, pending, tvb, at, last)
    if at + 2 <= last then learn_descriptors(server, tvb, at + 1, last) end
end

from_server[0x09] = function(server, pending, tvb, at, last, values)
    if pending.type == nil or at + 2 > last then return end
    local size = tvb(at + 1, 1):uint()
    local is_part = size >= math.min(server.mtu - 2, 255)
    at = at + 2
    while size >= 2 and at + size <= last do
        if pending.type == 0x2803 then
            learn_declaration(server, tvb, at, size)
        elseif pending.type < 0x2800 or pending.type > 0x2803 then
            local bytes = raw_of(tvb, at + 2, size - 2)
            note(values, server, tvb(at, 2):le_uint(), "read", at + 2, bytes, is_part)
        end
        at = at + size
    end
end

-- The length that all values of an attribute have; nil where they differ.
local function fixed_length(server, handle)
    local choice, length = reading_of(server.tables, handle, "read"), nil
    for _, alternative in ipairs(choice or {}) do
        local node = alternative.type
        if node.shortest ~= node.longest or length ~= nil and length ~= node.longest then return nil end
        length = node.longest
    end
    return length
end

-- Values without their lengths: all that is left is the last one's.
from_server[0x0f] = function(server, pending, tvb, at, last, values)
    local handles, is_part = pending.handles or {}, last - at >= server.mtu
    at = at + 1
    for index, handle in ipairs(handles) do
        local is_last = index == #handles
        local length = is_last and last - at or fixed_length(server, handle)
        if length == nil or at + length > last or is_last and length == 0 then return end
        note(values, server, handle, "read", at, raw_of(tvb, at, length), is_last and is_part)
        at = at + length
    end
end

-- Values after their lengths; the last one may be cut.
from_server[0x21] = function(server, pending, tvb, at, last, values)
    at = at + 1
    for _, handle in ipairs(pending.handles or {}) do
        if at + 2 > last then return end
        local wanted = tvb(at, 2):le_uint()
        local length = math.min(wanted, last - at - 2)
        note(values, server, handle, "read", at + 2, raw_of(tvb, at + 2, length), length < wanted)
        at = at + 2 + length
    end
end

from_server[0x0b] = function(server, pending, tvb, at, last, values)
    if pending.handle == nil then return end
    local length = last - at - 1
    local bytes = raw_of(tvb, at + 1, length)
    local is_full = length >= server.mtu - 1
    server.long = is_full and { handle = pending.handle, bytes = bytes } or nil
    note(values, server, pending.handle, "read", at + 1, bytes, is_full)
end

from_server[0x0d] = function(server, pending, tvb, at, last, values)
    local long, length = server.long, last - at - 1
    if long == nil or long.handle ~= pending.handle or #long.bytes ~= pending.offset then return end
    long.bytes = long.bytes .. raw_of(tvb, at + 1, length)
    if #long.bytes > 65536 or length >= server.mtu - 1 then return end
    note(values, server, pending.handle, "read", at, long.bytes)
    values[#values].is_assembled = true
    server.long = nil
end

from_server[0x11] = function(server, pending, tvb, at, last)
    if at + 2 > last then return end
    local size = tvb(at + 1, 1):uint()
    at = at + 2
    while (size == 6 or size == 20) and at + size <= last do
        learn_type(server.tables, uuid_of(tvb, at + 4, size - 4))
        at = at + size
    end
end

local function told_value(operation)
    return function(server, pending, tvb, at, last, values)
        if at + 3 > last then return end
        local length = last - at - 3
        note(values, server, tvb(at + 1, 2):le_uint(), operation, at + 3, raw_of(tvb, at + 3, length))
    end
end

from_server[0x23] = function(server, pending, tvb, at, last, values)
    at = at + 1
    while at + 4 <= last do
        local handle, length = tvb(at, 2):le_uint(), tvb(at + 2, 2):le_uint()
        if at + 4 + length > last then return end
        note(values, server, handle, "notify", at + 4, raw_of(tvb, at + 4, length))
        at = at + 4 + length
    end
end

from_server[0x1b] = told_value("notify")
from_server[0x1d] = told_value("indicate")

-- The bytes after a PDU; nil where the capture has only a part of it.
local function end_of_pdu(tvb, at)
    if at < 4 or tvb(at - 2, 2):le_uint() ~= 4 then return tvb:len() end
    local last = at + tvb(at - 4, 2):le_uint()
    if last <= tvb:len() then return last end
end

-- Follows one PDU; adds the values in it.
local function follow_pdu(link, direction, tvb, at, values)
    local last = end_of_pdu(tvb, at)
    if last == nil then return end
    local opposite = direction == 0 and 1 or direction == 1 and 0 or direction
    local opcode = tvb(at, 1):uint()
    if from_client[opcode] then
        local pending = {}
        if opcode % 128 < 64 then link.pending[opposite] = pending end
        from_client[opcode](server_of(link, opposite), pending, tvb, at, last, values)
    elseif from_server[opcode] then
        local pending = link.pending[direction] or {}
        if opcode ~= 0x1b and opcode ~= 0x1d and opcode ~= 0x23 then link.pending[direction] = nil end
        from_server[opcode](server_of(link, direction), pending, tvb, at, last, values)
    end
end
