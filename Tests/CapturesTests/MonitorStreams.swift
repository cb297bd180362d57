import Bytes
import Captures

/// Frames of the monitor protocol, as firmware writes them.
struct FirmwareFrame {
    enum Stack: CaseIterable {
        /// Writes the time before the drops.
        case zephyr
        /// Writes the drops before the time.
        case nimble
    }

    var opcode: MonitorOpcode
    var body: [UInt8]
    var ticks: UInt32? = 10_000
    /// Packets dropped, by kind: 1 to 7.
    var drops: [UInt8: UInt8] = [:]

    func bytes(_ stack: Stack = .zephyr) -> [UInt8] {
        let time: [UInt8] = ticks.map { [8] + Self.little($0, 4) } ?? []
        let lost = drops.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let header = stack == .zephyr ? time + lost : lost + time
        return Self.little(UInt32(4 + header.count + body.count), 2) + Self.little(UInt32(opcode.rawValue), 2)
            + [0, UInt8(header.count)] + header + body
    }

    private static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static let reset = Self(opcode: .command, body: [0x03, 0x0C, 0])
    static let resetComplete = Self(opcode: .event, body: [0x0E, 4, 1, 0x03, 0x0C, 0])
    static let newIndex = Self(opcode: .newIndex, body: [0, 5, 1, 2, 3, 4, 5, 6] + Array("zephyr\0\0".utf8))
    static let note = Self(opcode: .systemNote, body: Array("uart:~$ ready\r\0".utf8))
    static let log = Self(opcode: .userLogging, body: [6, 7] + Array("bt_hci\0".utf8) + Array("Bluetooth on\0".utf8))
    static let openIndex = Self(opcode: .openIndex, body: [])

    /// An ACL packet with an ATT notification of `count` bytes.
    static func data(_ count: Int, _ opcode: MonitorOpcode = .aclReceived, byte: UInt8 = 0x5A) -> Self {
        let value = [UInt8](repeating: byte, count: count)
        let att = [0x1B, 0x2A, 0x00] + value
        return Self(
            opcode: opcode,
            body: [0x40, 0x20] + little(UInt32(att.count + 4), 2) + little(UInt32(att.count), 2) + [4, 0] + att)
    }

    static let iso = Self(opcode: .isoTransmitted, body: [0x60, 0x00, 2, 0x40, 1, 2])

    /// A session with each kind of frame.
    static let session = [
        newIndex, openIndex, log, reset, resetComplete, note, data(20), data(0, .aclTransmitted), iso,
    ]
}

/// What a framer found in a stream.
struct FoundFrames {
    var frames: [MonitorFrame] = []
    var overlapping: [Bool] = []
    var garbage = 0
    var elements: [MonitorFramer.Element] = []
    /// Most bytes held between two reads.
    var mostPending = 0

    /// Reads `stream` in pieces of `size` bytes.
    init(_ stream: [UInt8], by size: Int = .max) {
        var framer = MonitorFramer()
        var rest = stream[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            take(framer.take(Array(piece)))
            mostPending = max(mostPending, framer.pending)
        }
        take(framer.finish())
    }

    private mutating func take(_ found: [MonitorFramer.Element]) {
        elements += found
        for element in found {
            switch element {
            case .frame(let frame, let overlaps):
                frames.append(frame)
                overlapping.append(overlaps)
            case .garbage(let bytes): garbage += bytes.count
            }
        }
    }

    var bodies: [[UInt8]] { frames.map(\.body) }
}
