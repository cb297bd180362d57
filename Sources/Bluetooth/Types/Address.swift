public import Bytes

/// A 48-bit Bluetooth device address (Vol 2, Part B, 1.2 and Vol 6, Part B, 1.3), without its type.
public struct Address: Hashable, Sendable {
    /// The address as a number: the byte written first is the most significant.
    public let value: UInt64

    /// The low 48 bits of `value`.
    public init(value: UInt64) {
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// Parses `aa:bb:cc:dd:ee:ff`; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.first != "+", let byte = UInt8(part, radix: 16) else { return nil }
            value = value << 8 | UInt64(byte)
        }
        self.value = value
    }

    /// Sub-type of a random address (Vol 6, Part B, 1.3.2).
    public enum RandomKind: Sendable, Hashable {
        case `static`, resolvablePrivate, nonResolvablePrivate, reserved
    }

    /// The sub-type in the two most significant bits, for a random address.
    public var randomKind: RandomKind {
        switch value >> 46 {
        case 0b11: .static
        case 0b01: .resolvablePrivate
        case 0b00: .nonResolvablePrivate
        default: .reserved
        }
    }
}

extension Address: CustomStringConvertible {
    /// `aa:bb:cc:dd:ee:ff`.
    public var description: String {
        var text = TextWriter(capacity: 17)
        text.writeAddress(value)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

/// A device address with its type; together they identify a device.
public struct DeviceAddress: Hashable, Sendable {
    /// The address type in HCI and in the TxAdd and RxAdd bits of the Link Layer (Vol 4, Part E, 7.7.65.1).
    public enum Kind: UInt8, Sendable, Hashable, CustomStringConvertible {
        case `public` = 0
        case random = 1

        public var description: String { self == .public ? "public" : "random" }
    }

    public var address: Address
    public var kind: Kind

    public init(_ address: Address, _ kind: Kind) {
        self.address = address
        self.kind = kind
    }
}

extension ByteReader {
    /// Reads a device address, six bytes, little-endian.
    @_lifetime(self: copy self)
    public mutating func readAddress(_ field: @autoclosure () -> Field) throws(DecodeError) -> Address {
        Address(value: try read(field(), bytes: 6))
    }
}

extension ByteWriter {
    public mutating func write(_ address: Address) {
        write(address.value, bytes: 6)
    }
}
