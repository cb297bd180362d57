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
