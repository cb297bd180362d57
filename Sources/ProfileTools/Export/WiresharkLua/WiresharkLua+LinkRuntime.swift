extension WiresharkLua {
    /// Follows the Attribute Protocol on each link: what discovery shows of a server's attributes, and which value
    /// belongs to which request.
    static let linkRuntime = #"""
        -- Links and servers ------------------------------------------------------------------------------------------

        local function optional_field(name)
            local found, field = pcall(Field.new, name)
            return found and field or function() return nil end
        end

        local frame_number = Field.new("frame.number")
        local att_opcode = Field.new("btatt.opcode")
        local acl_handle = Field.new("bthci_acl.chandle")
        local access_address = optional_field("btle.access_address")
        local adapter_id = optional_field("hci_mon.adapter_id")
        local event_code = Field.new("bthci_evt.code")
        local event_subevent = Field.new("bthci_evt.le_meta_subevent")
        local event_handle = Field.new("bthci_evt.connection_handle")
        local event_address = Field.new("bthci_evt.bd_addr")
        local ad_type = Field.new("btcommon.eir_ad.entry.type")

        local links, remembered, frames = {}, {}, {}

        -- Tables are a server's: UUIDs of characteristics by value handle, of descriptors by handle, and all that it has.
        local function new_tables()
            return { characteristics = {}, descriptors = {}, types = {}, is_ours = false }
        end

        local function learn_type(tables, uuid)
            tables.types[uuid] = true
            if own_types[uuid] then tables.is_ours = true end
        end

        -- What is known of a server before discovery; the adapter that recorded, whose side is 0, is no device.
        local function tables_of(peer, side)
            local tables = new_tables()
            local known = side ~= 0 and (imported[peer or ""] or imported[""]) or nil
            if known == nil then return tables end
            tables.is_imported = true
            for handle, uuid in pairs(known.characteristics) do tables.characteristics[handle] = uuid end
            for handle, uuid in pairs(known.descriptors) do tables.descriptors[handle] = uuid end
            for uuid in pairs(known.types) do learn_type(tables, uuid) end
            return tables
        end

        -- What discovery tells goes before what was known: the first contradiction drops all of that.
        local function forget_if_other(tables, handle, uuid)
            local known = tables.characteristics[handle] or tables.descriptors[handle]
            if not tables.is_imported or known == nil or known == uuid then return end
            tables.characteristics, tables.descriptors, tables.types = {}, {}, {}
            tables.is_ours, tables.is_imported = false, false
        end

        local function server_of(link, side)
            local server = link.servers[side]
            if server == nil then
                local tables
                if link.peer then
                    local key = link.peer .. " " .. side
                    remembered[key] = remembered[key] or tables_of(link.peer, side)
                    tables = remembered[key]
                end
                server = { tables = tables or tables_of(nil, side), written = {}, requests = {}, messages = {}, prepared = {}, mtu = 23 }
                link.servers[side] = server
            end
            return server
        end

        local function link_key()
            local handle = acl_handle()
            local adapter = adapter_id()
            if handle then return "acl " .. (adapter and tostring(adapter) or "") .. " " .. tostring(handle) end
            local address = access_address()
            return address and "air " .. tostring(address) or "one"
        end

        local function link_of_frame()
            local key = link_key()
            links[key] = links[key] or { servers = {}, pending = {} }
            return links[key]
        end

        -- Connection handles are used again: what a link knew ends with it, but for its server's tables.
        local function follow_event()
            local code, handle = event_code(), event_handle()
            if code == nil or handle == nil then return end
            local subevent = event_subevent()
            local begins = code.value == 0x3e and subevent ~= nil
                and (subevent.value == 0x01 or subevent.value == 0x0a or subevent.value == 0x29)
            if not begins and code.value ~= 0x05 then return end
            local adapter, peer = adapter_id(), event_address()
            local key = "acl " .. (adapter and tostring(adapter) or "") .. " " .. tostring(handle)
            links[key] = begins and { servers = {}, pending = {}, peer = peer and tostring(peer) } or nil
        end

        local base_uuid = "00001000800000805f9b34fb"

        -- A UUID of 2, 4 or 16 bytes as 32 digits in the usual order.
        local function uuid_of(tvb, at, size)
            local digits = {}
            for index = size - 1, 0, -1 do digits[#digits + 1] = string.format("%02x", tvb(at + index, 1):uint()) end
            local text = table.concat(digits)
            if size == 16 then return text end
            return string.rep("0", 8 - #text) .. text .. base_uuid
        end

        local function learn_declaration(server, tvb, at, size)
            if size ~= 7 and size ~= 21 then return end
            local value_handle = tvb(at + 3, 2):le_uint()
            local uuid = uuid_of(tvb, at + 5, size - 5)
            forget_if_other(server.tables, value_handle, uuid)
            server.tables.characteristics[value_handle] = uuid
            learn_type(server.tables, uuid)
        end

        local function learn_descriptors(server, tvb, at, last)
            local size = tvb(at, 1):uint() == 1 and 2 or 16
            at = at + 1
            while at + 2 + size <= last do
                local handle, uuid = tvb(at, 2):le_uint(), uuid_of(tvb, at + 2, size)
                forget_if_other(server.tables, handle, uuid)
                server.tables.descriptors[handle] = uuid
                at = at + 2 + size
            end
        end

        -- The characteristic of a descriptor: the one whose value stands before it.
        local function characteristic_before(tables, handle)
            local best
            for value_handle in pairs(tables.characteristics) do
                if value_handle <= handle and (best == nil or value_handle > best) then best = value_handle end
            end
            return best and tables.characteristics[best]
        end

        local function reading_of(tables, handle, operation)
            local uuid = tables.characteristics[handle]
            if uuid then
                local known = characteristics[uuid]
                if known and (tables.is_ours or own_types[uuid] or is_general) then
                    return known[operation], known.name, operation ~= "write" and known.request or nil
                end
                return nil
            end
            uuid = tables.descriptors[handle]
            if uuid == nil then return nil end
            local owner = characteristics[characteristic_before(tables, handle) or ""]
            return owner and owner.descriptors[uuid] or descriptors[uuid]
        end

        local function has_characteristic(tables, name)
            for _, service in ipairs(services) do
                local uuid = service[name]
                if uuid then
                    if tables.types[uuid] then return true end
                    for _, other in pairs(service) do
                        if tables.types[other] then return false end
                    end
                    return nil
                end
            end
        end

        local function snapshot(server)
            if not uses_written then return server.written end
            local copy = {}
            for name, bytes in pairs(server.written) do copy[name] = bytes end
            return copy
        end

        """#

    /// Takes the values out of Attribute PDUs.
    static let attributeRuntime = #"""
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

        """#
}
