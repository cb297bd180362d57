import Bytes

/// The Bluetooth log in the text of an Android bug report: base64 of records that zlib has compressed, little endian
/// (AOSP, `btif_debug_btsnoop.cc`). The phone keeps the newest 256 KiB and cuts the data of most ACL packets.
package enum Btsnooz {
    static let beginMark = Array("--- BEGIN:BTSNOOP_LOG_SUMMARY".utf8)
    static let endMark = UInt8(ascii: "-")
    /// Version and time of the last record.
    static let headerSize = 9
    /// Maximum size of the log in base64, and of its records.
    static let (textLimit, recordsLimit) = (8 << 20, 32 << 20)

    /// Collects the log's base64 from a text that arrives in pieces.
    package struct Collector {
        private enum State: Hashable {
            /// Before the mark.
            case searching
            /// In the rest of the mark's line.
            case skippingLine
            case collecting
            case complete
        }

        private var state = State.searching
        /// Bytes that may begin the mark.
        private var tail: [UInt8] = []
        private var text: [UInt8] = []

        package init() {}

        /// Whether no further piece is needed.
        package var isComplete: Bool { state == .complete }
        package var hasFoundLog: Bool { state != .searching }

        package mutating func append(_ piece: [UInt8]) {
            var rest = piece[...]
            if state == .searching {
                let window = tail + piece
                guard let start = window.firstIndex(ofSequence: beginMark) else {
                    tail = window.suffix(beginMark.count - 1)
                    return
                }
                rest = window[(start + beginMark.count)...]
                (state, tail) = (.skippingLine, [])
            }
            for byte in rest where state != .complete {
                switch state {
                case .skippingLine: if byte == UInt8(ascii: "\n") { state = .collecting }
                case .collecting where byte == endMark || text.count == textLimit: state = .complete
                case .collecting: text.append(byte)
                default: break
                }
            }
        }

        /// The log as a btsnoop file.
        package func capture() -> Btsnooz.Capture { Btsnooz.Capture(base64: text, isCut: state != .complete) }
    }

    /// A log as a btsnoop file.
    package struct Capture {
        package private(set) var bytes: [UInt8] = []
        package private(set) var packets = 0
        /// Packets of which the phone has kept the beginning only.
        package private(set) var cutPackets = 0
        /// Why it is not whole; nil if it is.
        package private(set) var fault: String?

        /// Decodes base64; characters outside its alphabet, such as line breaks, are skipped.
        fileprivate init(base64 text: [UInt8], isCut: Bool) {
            if isCut { fault = "the log is cut: its end line is missing" }
            let log = Self.decode(base64: text)
            guard log.count > headerSize, (1...2).contains(log[0]) else {
                let version = log.first.map { "version \($0)" } ?? "no bytes"
                fault = "\(version) where version 1 or 2 and the time of the last record were expected"
                return
            }
            let (records, isWhole) = Self.inflate(Array(log[headerSize...]))
            if !isWhole { fault = fault ?? "its compressed records are damaged" }
            write(records, version: log[0], last: log.span.rawBytes.integer(at: 1, .littleEndian, as: UInt64.self))
        }

        /// Reads the decompressed records of a log.
        ///
        /// - Parameter last: time of the last record in microseconds since 1970.
        package init(records: [UInt8], version: UInt8, last: UInt64) { write(records, version: version, last: last) }

        private static func decode(base64 text: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = []
            var (bits, count): (UInt32, Int) = (0, 0)
            for character in text {
                let value: UInt8
                switch character {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
                case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
                case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
                case UInt8(ascii: "+"): value = 62
                case UInt8(ascii: "/"): value = 63
                default: continue
                }
                (bits, count) = (bits << 6 | UInt32(value), count + 6)
                guard count >= 8 else { continue }
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            return bytes
        }

        private static func inflate(_ packed: [UInt8]) -> (records: [UInt8], isWhole: Bool) {
            let inflater = Inflater(.zlib)
            var rest = packed
            var records: [UInt8] = []
            while inflater.end == nil, records.count < recordsLimit {
                let count = records.count
                // Memory can always be read.
                try? inflater.append(to: &records, atLeast: 1, atMost: 64 * 1024) {
                    defer { rest = [] }
                    return rest
                }
                if records.count == count { break }
            }
            switch inflater.end {
            case .complete, .trailingBytes: return (records, true)
            case .cutShort, .broken, nil: return (records, false)
            }
        }

        /// The layout of the records' headers.
        private enum Layout {
            case version1, version2
            /// Version 2 with 8 bytes of time, as in LineageOS; nothing but the place of the first record's type shows it.
            case wide

            var size: Int {
                switch self {
                case .version1: 7
                case .version2: 9
                case .wide: 13
                }
            }

            init(version: UInt8, records: RawSpan) {
                let isWide = !Self.version2.fits(records) && Self.wide.fits(records)
                self = version == 1 ? .version1 : isWide ? .wide : .version2
            }

            /// Whether the first record's type is a known one.
            private func fits(_ records: RawSpan) -> Bool {
                size <= records.byteCount && Header.meaning(of: records.byte(at: size - 1)) != nil
            }
        }

        /// A record's header: its captured length includes the type.
        private struct Header {
            var length: Int
            /// Length on the wire, with the type; version 1 does not have it.
            var packetLength = 0
            var delta: UInt64
            var type: UInt8
            let size: Int

            init?(_ bytes: RawSpan, at position: Int, _ layout: Layout) {
                size = layout.size
                guard position + size <= bytes.byteCount else { return nil }
                length = Int(bytes.integer(at: position, .littleEndian, as: UInt16.self))
                type = bytes.byte(at: position + size - 1)
                if layout != .version1 {
                    packetLength = Int(bytes.integer(at: position + 2, .littleEndian, as: UInt16.self))
                }
                delta =
                    layout == .wide
                    ? bytes.integer(at: position + 4, .littleEndian, as: UInt64.self)
                    : UInt64(bytes.integer(at: position + size - 5, .littleEndian, as: UInt32.self))
            }

            /// Flags of a btsnoop record, and the HCI packet type; nil for an unknown type.
            var meaning: (flags: UInt32, packet: H4PacketType)? { Self.meaning(of: type) }

            static func meaning(of type: UInt8) -> (flags: UInt32, packet: H4PacketType)? {
                switch type {
                case 0x10: (3, .event)
                case 0x11: (1, .acl)
                case 0x12: (1, .sco)
                case 0x17: (1, .iso)
                case 0x20: (2, .command)
                case 0x21: (0, .acl)
                case 0x22: (0, .sco)
                case 0x2D: (0, .iso)
                default: nil
                }
            }
        }

        /// Writes the records as btsnoop. Each has the time since the one before; the last one's time is known.
        private mutating func write(_ records: [UInt8], version: UInt8, last: UInt64) {
            let span = records.span.rawBytes
            let layout = Layout(version: version, records: span)
            var sum: UInt64 = 0
            var position = 0
            while let header = Header(span, at: position, layout) {
                sum &+= header.delta
                position += header.size + max(0, header.length - 1)
            }
            var output = OutputBuffer()
            output.append(Btsnoop.magic)
            output.append(bigEndian: Btsnoop.version)
            output.append(bigEndian: Btsnoop.DataLink.h4.rawValue)
            var time = last &- sum &+ UInt64(bitPattern: Btsnoop.epoch)
            position = 0
            while let header = Header(span, at: position, layout) {
                time &+= header.delta
                let start = position + header.size
                let end = start + header.length - 1
                guard header.length > 0, end <= records.count, let meaning = header.meaning else {
                    fault = fault ?? "record \(packets + 1) is damaged"
                    break
                }
                // The length in the packet's own header shows what version 1 has cut.
                let stated = HCIPacketHeader(meaning.packet)?.packetLength(span.extracting(..<end), at: start) ?? 0
                let original = max(header.length, header.packetLength, 1 + stated)
                output.append(bigEndian: UInt32(original))
                output.append(bigEndian: UInt32(header.length))
                output.append(bigEndian: meaning.flags)
                output.append(bigEndian: 0 as UInt32)
                output.append(bigEndian: time)
                output.append([meaning.packet.rawValue])
                output.append(records[start..<end])
                packets += 1
                if original > header.length { cutPackets += 1 }
                position = end
            }
            if position < records.count { fault = fault ?? "its last record is damaged" }
            bytes = output.bytes
        }
    }
}
