import Bytes

/// The values of an ESP-IDF NVS partition, as Espressif documents it ("Non-volatile Storage Library", "Internals"):
/// pages of 4096 bytes, each with a header, a bitmap of states and 126 entries of 32 bytes, and CRC-32 of headers,
/// entries and data.
struct NVSPartition {
    static let pageSize = 4096

    enum Content: Hashable, Sendable {
        case integer(Int64, isSigned: Bool, size: Int)
        case text(String)
        case bytes([UInt8])
    }

    /// Values by namespace, each with its key, in the order in which they were written.
    private(set) var spaces: [String: [(key: String, value: Content)]] = [:]
    /// Remarks about what is damaged.
    private(set) var notes: [String] = []

    private static let entrySize = 32
    private static let entriesPerPage = 126
    private static let noteLimit = 10

    /// An entry, or a part of a large value.
    private struct Item {
        var space: UInt8
        var key: String
        var value: Content
        /// Index of the part; nil for a value of one entry.
        var part: UInt8?
    }

    init(_ bytes: [UInt8], name: String) {
        var remarks: [String] = []
        var pages: [(sequence: UInt32, items: [Item])] = []
        let whole = bytes.count - bytes.count % Self.pageSize
        if whole < bytes.count { remarks.append("the last \(bytes.count - whole) bytes are no whole page: skipped") }
        for start in stride(from: 0, to: whole, by: Self.pageSize) {
            let page = Array(bytes[start..<start + Self.pageSize])
            let number = start / Self.pageSize
            switch page.number(at: 0) {
            // Not used yet, and being erased.
            case 0xFFFF_FFFF, 0: continue
            // Active, full, being copied.
            case 0xFFFF_FFFE, 0xFFFF_FFFC, 0xFFFF_FFF8: break
            case let state:
                remarks.append("page \(number): state 0x\(String(state, radix: 16)) is that of no page: skipped")
                continue
            }
            guard Self.checksum(page[4..<28]) == page.number(at: 28) else {
                remarks.append("page \(number): the CRC of its header does not match: skipped")
                continue
            }
            pages.append((page.number(at: 4), Self.items(of: page, number, &remarks)))
        }
        let items = pages.sorted { $0.sequence < $1.sequence }.flatMap(\.items)
        notes = remarks.prefix(Self.noteLimit).map { "\(name): \($0)" }
        if remarks.count > Self.noteLimit {
            notes.append("\(name): \(remarks.count - Self.noteLimit) more parts are damaged: skipped")
        }
        var names: [UInt8: String] = [:]
        for item in items where item.space == 0 {
            if case .integer(let index, _, _) = item.value { names[UInt8(truncatingIfNeeded: index)] = item.key }
        }
        for name in names.values { spaces[name] = [] }
        for item in items {
            guard let space = names[item.space], item.space != 0 else { continue }
            add(item, to: space)
        }
    }

    /// Adds a value, in place of an older one of its key; a further part, behind those before.
    private mutating func add(_ item: Item, to space: String) {
        let place = spaces[space]?.firstIndex { $0.key == item.key }
        if let part = item.part, part & 0x7F > 0, let place, case .bytes(let before)? = spaces[space]?[place].value,
            case .bytes(let more) = item.value
        {
            spaces[space]?[place].value = .bytes(before + more)
            return
        }
        if let place { spaces[space]?.remove(at: place) }
        spaces[space, default: []].append((item.key, item.value))
    }

    /// The written entries of a page.
    private static func items(of page: [UInt8], _ number: Int, _ remarks: inout [String]) -> [Item] {
        var items: [Item] = []
        var index = 0
        while index < entriesPerPage {
            let state = page[32 + index / 4] >> UInt8(index % 4 * 2) & 3
            guard state == 2 else {
                index += 1
                continue
            }
            let start = 64 + index * entrySize
            let entry = Array(page[start..<start + entrySize])
            let span = max(1, Int(entry[2]))
            guard checksum(entry[0..<4] + entry[8..<32]) == entry.number(at: 4) else {
                remarks.append("page \(number), entry \(index): its CRC does not match: skipped")
                index += 1
                continue
            }
            let key = String(decoding: entry[8..<24].prefix { $0 != 0 }, as: UTF8.self).legible()
            switch entry[1] {
            case 0x01, 0x02, 0x04, 0x08, 0x11, 0x12, 0x14, 0x18:
                let (size, isSigned) = (Int(entry[1] & 0x0F), entry[1] & 0x10 != 0)
                let value = integer(entry[24..<24 + size], isSigned: isSigned)
                items.append(
                    Item(space: entry[0], key: key, value: .integer(value, isSigned: isSigned, size: size)))
            case 0x21, 0x41, 0x42:
                let size = Int(entry[24]) | Int(entry[25]) << 8
                let data = page[(start + entrySize)...].prefix((span - 1) * entrySize).prefix(size)
                guard index + span <= entriesPerPage, data.count == size, checksum(data) == entry.number(at: 28) else {
                    remarks.append("page \(number), entry \(index): the value of '\(key)' is damaged: skipped")
                    index += span
                    continue
                }
                let isText = entry[1] == 0x21
                let text = isText ? String(decoding: data.prefix { $0 != 0 }, as: UTF8.self) : ""
                items.append(
                    Item(
                        space: entry[0], key: key, value: isText ? .text(text) : .bytes(Array(data)),
                        part: entry[1] == 0x42 ? entry[3] : nil))
            // The index of the parts of a large value has no content of its own.
            case 0x48: break
            default:
                remarks.append("page \(number), entry \(index): type 0x\(String(entry[1], radix: 16)) is not known")
            }
            index += span
        }
        return items
    }

    /// A little-endian integer of up to 8 bytes.
    private static func integer(_ bytes: ArraySlice<UInt8>, isSigned: Bool) -> Int64 {
        let unused = Int64(64 - bytes.count * 8)
        let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return isSigned ? Int64(bitPattern: number << UInt64(unused)) >> unused : Int64(clamping: number)
    }

    /// CRC-32 with the polynomial of Ethernet, as `esp_rom_crc32_le` calculates it from 0xFFFFFFFF.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var register: UInt32 = 0
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return ~register
    }
}

extension [UInt8] {
    /// The little-endian number of 32 bits at an index.
    fileprivate func number(at index: Int) -> UInt32 {
        self[index..<index + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
}
