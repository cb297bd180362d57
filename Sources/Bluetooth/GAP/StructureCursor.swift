import Bytes

extension GAP {
    /// Iterates over AD structures in place: without copies, allocations or recorded fields.
    public struct StructureCursor: ~Escapable {
        private let bytes: RawSpan
        private var position = 0

        @_lifetime(copy bytes)
        public init(_ bytes: RawSpan) {
            self.bytes = bytes
        }

        /// The type of the next structure and the range of its value; nil at the end.
        @_lifetime(self: copy self)
        public mutating func next() -> (type: DataType, value: Range<Int>)? {
            guard position < bytes.byteCount else { return nil }
            let length = Int(bytes.byte(at: position))
            let end = position + 1 + length
            guard length > 0, end <= bytes.byteCount else {
                position = bytes.byteCount
                return nil
            }
            let start = position + 2
            let type = DataType(rawValue: bytes.byte(at: position + 1))
            position = end
            return (type, start..<end)
        }
    }

    /// The service or company that defines the format of an AD structure's data.
    public enum DataOwner: Hashable, Sendable {
        /// Service data (CSS, Part A, 1.11).
        case service(UUID)
        /// Manufacturer specific data, by company identifier (CSS, Part A, 1.4).
        case company(UInt16)
    }

    /// The local name in advertising data, preferably the complete one; nil for none.
    public static func localName(in data: RawSpan) -> (name: String, isComplete: Bool)? {
        var cursor = StructureCursor(data)
        var shortened: Range<Int>?
        while let (type, value) = cursor.next() {
            if type == .completeLocalName { return (text(data, value), true) }
            if type == .shortenedLocalName { shortened = value }
        }
        return shortened.map { (text(data, $0), false) }
    }

    /// The service UUIDs in all service lists of advertising data, in order.
    public static func serviceUUIDs(in data: RawSpan) -> [UUID] {
        var cursor = StructureCursor(data)
        var uuids: [UUID] = []
        while let (type, value) = cursor.next() {
            let size =
                switch type {
                case .incompleteUUIDs16, .completeUUIDs16: 2
                case .incompleteUUIDs32, .completeUUIDs32: 4
                case .incompleteUUIDs128, .completeUUIDs128: 16
                default: 0
                }
            guard size > 0 else { continue }
            for start in stride(from: value.lowerBound, through: value.upperBound - size, by: size) {
                let number = number(data, start..<(start + size))
                uuids.append(size == 16 ? UUID(value: number) : UUID(UInt32(truncatingIfNeeded: number)))
            }
        }
        return uuids
    }

    /// Whether advertising data, or a fragment with their beginning, contain a structure whose type carries key
    /// material.
    public static func holdsKey(_ data: RawSpan) -> Bool {
        var position = 0
        while position + 1 < data.byteCount, data.byte(at: position) > 0 {
            if DataType(rawValue: data.byte(at: position + 1)).isSecret { return true }
            position += 1 + Int(data.byte(at: position))
        }
        return false
    }

    /// The bytes in `range` as a little-endian number.
    fileprivate static func number(_ data: RawSpan, _ range: Range<Int>) -> UInt128 {
        range.reversed().reduce(0) { $0 << 8 | UInt128(data.byte(at: $1)) }
    }

    private static func text(_ data: RawSpan, _ range: Range<Int>) -> String {
        var utf8 = range.map { data.byte(at: $0) }
        // Some devices pad the name with zeros.
        while utf8.last == 0 { utf8.removeLast() }
        return String(decoding: utf8, as: UTF8.self)
    }
}

extension GAP.StructureCursor {
    /// The owner of the next service data or manufacturer data, and the range of the data after the owner's identifier;
    /// nil at the end.
    @_lifetime(self: copy self)
    public mutating func nextOwned() -> (owner: GAP.DataOwner, place: Range<Int>)? {
        while let (type, value) = next() {
            let size =
                switch type {
                case .serviceData16, .manufacturerData: 2
                case .serviceData32: 4
                case .serviceData128: 16
                default: Int.max
                }
            guard value.count >= size else { continue }
            let key = GAP.number(bytes, value.prefix(size))
            let owner =
                switch type {
                case .manufacturerData: GAP.DataOwner.company(UInt16(truncatingIfNeeded: key))
                case .serviceData128: GAP.DataOwner.service(UUID(value: key))
                default: GAP.DataOwner.service(UUID(UInt32(truncatingIfNeeded: key)))
                }
            return (owner, value.dropFirst(size))
        }
        return nil
    }
}
