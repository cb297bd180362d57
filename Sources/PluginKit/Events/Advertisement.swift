public import Bluetooth
public import Bytes
public import Profile

/// An advertising PDU of the device, or a controller's report of one.
public struct Advertisement: Sendable {
    /// The type of the PDU.
    public enum Kind: Hashable, Sendable {
        /// ADV_IND: connectable, scannable, undirected.
        case connectable
        case directed
        case scannable
        case nonconnectable
        case scanResponse
        /// In an extended PDU.
        case extended(isConnectable: Bool, isScannable: Bool, isScanResponse: Bool)
        /// In a PDU of periodic advertising.
        case periodic
        /// Data that a host gives its own controller to advertise.
        case own(isScanResponse: Bool)
    }

    public var kind: Kind
    /// Nil for an anonymous advertiser.
    public var address: DeviceAddress?
    /// The AD structures as received; at most 31 bytes in a legacy PDU.
    public var data: [UInt8]
    /// The time since the previous PDU of the same kind; nil for the first one.
    public var interval: TimeSpan?
    /// Whether a sniffer captured the PDU on the air: a host's controller may filter duplicates.
    public var isFromAir: Bool
    /// For a report: the time since which the host's controller has scanned without a pause; nil if unknown.
    public var scanningSince: Timestamp?

    public init(
        kind: Kind, address: DeviceAddress?, data: [UInt8], interval: TimeSpan? = nil, isFromAir: Bool = false
    ) {
        self.kind = kind
        self.address = address
        self.data = data
        self.interval = interval
        self.isFromAir = isFromAir
    }
}

extension Advertisement {
    /// An AD structure (Vol 3, Part C, 11).
    public struct Structure: Hashable, Sendable {
        /// AD type: 0x09 is the complete local name.
        public var type: UInt8
        public var value: [UInt8]

        public init(type: UInt8, value: [UInt8]) {
            self.type = type
            self.value = value
        }
    }

    /// The AD structures in order, and the number of bytes after them that form no structure.
    public var structures: (all: [Structure], rest: Int) {
        var all: [Structure] = []
        var end = 0
        var cursor = GAP.StructureCursor(data.span.rawBytes)
        while let (type, value) = cursor.next() {
            all.append(Structure(type: type.rawValue, value: Array(data[value])))
            end = value.upperBound
        }
        return (all, data.count - end)
    }
}

/// Service data or manufacturer data in an advertisement that the profile has a type for.
public struct AdvertisedContent {
    /// The data after the UUID or the company identifier.
    public let bytes: ValueBytes
    public let reading: ValueReading

    public init(_ bytes: ValueBytes, _ reading: ValueReading) {
        self.bytes = bytes
        self.reading = reading
    }
}
