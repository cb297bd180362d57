/// Maps a fixed set of names, such as those of rules and fields, to numbers. Lookups happen for every value, so it uses
/// a simpler hash than `Dictionary`, which is hardened against untrusted keys.
package struct NameTable: Sendable {
    /// Names, hashed with linear probing; empty strings mark free slots. At most half of the slots are used.
    private var slots: [String]
    /// Number of the name in each slot.
    private var numbers: [Int]
    private let mask: Int
    /// Number of the empty name, which would mark a free slot; nil if it is not one of the names.
    private var empty: Int?

    /// Maps each name to its index; of equal names, the first counts.
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

    /// The slot of a name, or the free slot where it would be inserted.
    private func slot(of name: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let bytes = name.utf8.span
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        while !slots[slot].isEmpty, slots[slot] != name { slot = (slot + 1) & mask }
        return slot
    }
}
