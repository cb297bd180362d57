extension HCI {
    /// The bit mask of Read Local Supported Commands, one bit per supported command (Vol 4, Part E, 6.27). It covers
    /// the LE commands and the other commands of an LE-only controller.
    public struct SupportedCommands: Hashable, Sendable {
        /// Bytes on the wire.
        public static let size = 64

        /// 64 bytes; bit n of byte m is bit 8m + n.
        public private(set) var bytes: [UInt8]

        /// An empty set.
        public init() {
            bytes = [UInt8](repeating: 0, count: Self.size)
        }

        /// The mask that a controller returned; bytes after the first 64 are ignored.
        public init(bytes: [UInt8]) {
            self.init()
            for (index, byte) in bytes.prefix(Self.size).enumerated() { self.bytes[index] = byte }
        }

        /// Whether the controller supports a command; false for commands that this type does not cover.
        public func contains(_ opcode: Opcode) -> Bool {
            guard let bit = Self.bit(of: opcode) else { return false }
            return bytes[bit / 8] >> UInt8(bit % 8) & 1 == 1
        }

        /// Adds a command; ignores commands that this type does not cover.
        public mutating func insert(_ opcode: Opcode) {
            guard let bit = Self.bit(of: opcode) else { return }
            bytes[bit / 8] |= 1 << UInt8(bit % 8)
        }

        /// The bit number of a command, 0 to 511; nil for commands without a bit or not covered.
        public static func bit(of opcode: Opcode) -> Int? {
            for run in runs where opcode.rawValue >= run.first {
                let place = Int(opcode.rawValue - run.first)
                if place < run.count { return run.bit + place }
            }
            return nil
        }

        /// Commands with consecutive opcodes and bits.
        private struct Run: Sendable {
            let first: UInt16
            let bit: Int
            let count: Int

            init(_ first: UInt16, octet: Int, bit: Int, count: Int = 1) {
                self.first = first
                self.bit = octet * 8 + bit
                self.count = count
            }
        }

        private static let runs = [
            Run(0x0406, octet: 0, bit: 5), Run(0x041D, octet: 2, bit: 7), Run(0x0C01, octet: 5, bit: 6),
            Run(0x0C03, octet: 5, bit: 7), Run(0x0C31, octet: 10, bit: 5), Run(0x0C33, octet: 10, bit: 6),
            Run(0x0C35, octet: 10, bit: 7), Run(0x0C63, octet: 22, bit: 2),
            Run(0x0C6C, octet: 24, bit: 5, count: 2), Run(0x0C7B, octet: 32, bit: 4, count: 2),
            Run(0x1001, octet: 14, bit: 3), Run(0x1003, octet: 14, bit: 5, count: 3), Run(0x1009, octet: 15, bit: 1),
            Run(0x1405, octet: 15, bit: 5), Run(0x2001, octet: 25, bit: 0, count: 3),
            Run(0x2005, octet: 25, bit: 4, count: 27), Run(0x2020, octet: 33, bit: 4, count: 63),
            Run(0x205F, octet: 41, bit: 4), Run(0x2060, octet: 41, bit: 5, count: 28),
            Run(0x207C, octet: 45, bit: 6), Run(0x207D, octet: 46, bit: 0, count: 12),
            Run(0x2097, octet: 47, bit: 4, count: 5), Run(0x209D, octet: 48, bit: 1, count: 2),
            Run(0x20A1, octet: 48, bit: 5, count: 3),
        ]
    }
}
