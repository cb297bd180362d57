extension WiresharkLua {
    /// Shows values: chooses their types, puts messages together, and is what Wireshark calls for every frame.
    static let dissectorRuntime = #"""
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
            pinfo.cols.info:append(" [" .. node.title .. "]")
            return item, read_value(reading, node, item)
        end

        local function tvb_of(bytes, name)
            return ByteArray.new(bytes, true):tvb(name)
        end

        -- Takes a value into its message; gives the bytes of a message that is complete.
        local function add_to_message(message, state, reading, entry, is_whole, bytes, time)
            if state.time and message.timeout and time - state.time > message.timeout then state.parts = nil end
            state.time = time
            if message.prefix then
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
            local scope = { fields = entry and entry.fields or {} }
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

        local function follow_messages(value, name, reading, entry, is_whole, pinfo)
            for index, message in ipairs(messages) do
                if message.characteristic == name and message.operation == value.operation then
                    value.server.messages[index] = value.server.messages[index] or {}
                    local bytes = add_to_message(
                        message, value.server.messages[index], reading, entry, is_whole, value.bytes,
                        pinfo.rel_ts)
                    if bytes then value.message = { definition = message, bytes = bytes } end
                end
            end
        end

        local function show_value(value, tvb, pinfo, tree, is_new)
            local choice, name = reading_of(value.server.tables, value.handle, value.operation)
            if choice == nil then return end
            local context = {
                written = value.written,
                has = function(other) return has_characteristic(value.server.tables, other) end,
            }
            local first = value.first
            if value.is_assembled then tvb, first = tvb_of(value.bytes, "Attribute value put together"), 0 end
            local reading = new_reading(tvb, first, #value.bytes, context)
            local node = choose(choice, reading)
            if node == nil then return end
            -- A part of a value is read only where its type says that nothing can follow.
            if value.is_part and node.longest ~= reading.length then return end
            local item, entry, is_whole = show(reading, node, pinfo, tree)
            if is_new then follow_messages(value, name, reading, entry, is_whole, pinfo) end
            if value.message then
                local message = value.message
                local whole = tvb_of(message.bytes, message.definition.title)
                local group = item:add(fields.message, whole(0, #message.bytes), message.definition.title)
                read_value(new_reading(whole, 0, #message.bytes, nobody), message.definition.type, group)
            end
        end

        -- Whether data of a company begin as ours do.
        local function has_prefix(company, bytes)
            for _, prefix in ipairs(prefixes[company] or { "" }) do
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
            if kind == 0xff and not has_prefix(key, raw_of(tvb, at + 1 + size, length - size)) then return end
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

        """#
}
