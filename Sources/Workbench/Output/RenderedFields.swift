import Bytes

/// Remembers how fields were written: most fields of a frame have been seen before with the same value at the same
/// place, and copying a hundred bytes is many times faster than putting them together.
struct RenderedFields: ~Copyable {
    private var slots: [Slot] = Array(repeating: Slot(), count: Self.slotCount)
    private var texts = TextWriter(capacity: 64 * 1024)

    /// A power of two.
    private static let slotCount = 4096
    /// When the texts fill so many bytes, all is forgotten.
    private static let capacity = 1024 * 1024

    private struct Slot {
        var field: UInt = 0
        var value: UInt64 = 0
        /// Offset and length.
        var place: UInt64 = 0
        var kind: UInt8 = 0
        var text = 0..<0
    }

    /// Writes the field as it was written before; false when it is not known.
    mutating func write(_ recorded: RecordedField, to output: inout TextWriter) -> Bool {
        let place = Self.place(recorded)
        let slot = Self.slot(recorded, place)
        guard slots[slot].field == recorded.field.address, slots[slot].value == recorded.value,
            slots[slot].place == place, slots[slot].kind == Self.kind(recorded)
        else { return false }
        output.write(texts, slots[slot].text)
        return true
    }

    /// Remembers that the field was written as what `output` holds since `start`, unless its value lies in the frame's
    /// bytes and so can be another the next time.
    mutating func keep(_ recorded: RecordedField, _ output: borrowing TextWriter, from start: Int) {
        switch recorded.field.format {
        case .bytes, .text, .uuid128, .time: return
        case .group, .decimal, .signed, .hex, .number, .float, .dotted, .timestamp, .boolean, .address: break
        }
        if texts.count > Self.capacity {
            texts.truncate(to: 0)
            slots = Array(repeating: Slot(), count: Self.slotCount)
        }
        let first = texts.count
        output.copy(from: start, to: &texts)
        let place = Self.place(recorded)
        slots[Self.slot(recorded, place)] = Slot(
            field: recorded.field.address, value: recorded.value, place: place, kind: Self.kind(recorded),
            text: first..<texts.count)
    }

    private static func place(_ recorded: RecordedField) -> UInt64 {
        UInt64(recorded.offset) << 32 | UInt64(recorded.length)
    }

    private static func kind(_ recorded: RecordedField) -> UInt8 {
        recorded.buffer.rawValue << 1 | (recorded.isGenerated ? 1 : 0)
    }

    private static func slot(_ recorded: RecordedField, _ place: UInt64) -> Int {
        var hash = UInt64(recorded.field.address) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ recorded.value) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ place) &* 0xC4CE_B9FE_1A85_EC53
        return Int(truncatingIfNeeded: hash >> 40) & (slotCount - 1)
    }
}
