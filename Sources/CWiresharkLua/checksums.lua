-- Checksums --------------------------------------------------------------------------------------------------

local function bits_of_digits(digits)
    local list = {}
    for digit in digits:gmatch(".") do
        local number = tonumber(digit, 16)
        for weight = 3, 0, -1 do list[#list + 1] = math.floor(number / 2 ^ weight) % 2 end
    end
    return list
end

local checksum_operations = {}

function checksum_operations.sum(checksum, bytes)
    local total, width = tonumber(checksum.initial, 16), 4 * #checksum.initial
    for index = 1, #bytes do total = total + bytes:byte(index) end
    local list, carry = {}, 1
    for place = width, 1, -1 do
        list[place] = total % 2
        total = math.floor(total / 2)
        if checksum.negated then
            local number = 1 - list[place] + carry
            list[place], carry = number % 2, math.floor(number / 2)
        end
    end
    return list
end

function checksum_operations.xor(checksum, bytes)
    local list = bits_of_digits(checksum.initial)
    for index = 1, #bytes do
        local byte = bytes:byte(index)
        for place = 1, 8 do list[place] = (list[place] + math.floor(byte / 2 ^ (8 - place))) % 2 end
    end
    return list
end

function checksum_operations.crc(checksum, bytes)
    local register, polynomial = bits_of_digits(checksum.initial), bits_of_digits(checksum.polynomial)
    for index = 1, #bytes do
        local byte = bytes:byte(index)
        for bit = 0, 7 do
            local place = checksum.reflected and bit or 7 - bit
            local carry = (register[1] + math.floor(byte / 2 ^ place)) % 2
            for other = 1, #register do
                register[other] = ((register[other + 1] or 0) + carry * polynomial[other]) % 2
            end
        end
    end
    if not checksum.reflected then return register end
    local mirrored = {}
    for place = 1, #register do mirrored[place] = register[#register + 1 - place] end
    return mirrored
end

-- Whether a checksum is that of the bytes; both as numbers in hexadecimal.
local function checksum_of(checksum, bytes)
    local list, final = checksum_operations[checksum.operation](checksum, bytes), bits_of_digits(checksum.final_xor)
    local digits = {}
    for place = 1, #list, 4 do
        local number = 0
        for bit = place, place + 3 do number = number * 2 + (list[bit] + final[bit]) % 2 end
        digits[#digits + 1] = string.format("%x", number)
    end
    return table.concat(digits)
end

-- The place where a field begins or ends that stands before a checksum.
local function place_in(scope, places, name)
    while scope ~= nil and scope[places][name] == nil do scope = scope.parent end
    return scope and scope[places][name]
end
