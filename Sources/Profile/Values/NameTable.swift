/// Numbers of names that are fixed and asked for with every value, as those of rules and of fields: found with a simpler
/// hash than a dictionary's, which is made to withstand strangers.
package struct NameTable: Sendable {
    /// Names by their hash, or behind it; empty where there is none. There is room for twice as many.
    private var slots: [String]
    /// Number of the name in each slot.
    private var numbers: [Int]
    private let mask: Int
    /// Number of the empty name, which marks free slots; nil where it is none of the names.
    private var empty: Int?

    /// Each name has its index for a number; of equal ones, the first counts.
    package init(_ names: [String]) {
        var room = 4
        while room < 2 * names.count { room *= 2 }
        slots = Array(repeating: "", count: room)
        numbers = Array(repeating: 0, count: room)
        mask = room - 1
        for (number, name) in names.enumerated() {
            if name.isEmpty {
                empty = empty ?? number
                continue
            }
            let slot = self.slot(of: name)
            guard slots[slot].isEmpty else { continue }
            (slots[slot], numbers[slot]) = (name, number)
        }
    }

    package subscript(name: String) -> Int? {
        if name.isEmpty { return empty }
        let slot = slot(of: name)
        return slots[slot].isEmpty ? nil : numbers[slot]
    }

    /// Where a name is, or would be.
    private func slot(of name: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let bytes = name.utf8.span
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        while !slots[slot].isEmpty, slots[slot] != name { slot = (slot + 1) & mask }
        return slot
    }
}
