package import BluetoothTypes
import Bytes
import GAP
package import Profile

/// An advertising PDU of the device, or a report of one.
package struct Advertisement: Sendable {
    /// What the PDU is.
    package enum Kind: Hashable, Sendable {
        /// ADV_IND: connectable, scannable, undirected.
        case connectable
        case directed
        case scannable
        case nonconnectable
        case scanResponse
        /// In an extended PDU.
        case extended(isConnectable: Bool, isScannable: Bool, isScanResponse: Bool)
    }

    package var kind: Kind
    /// Nil for an anonymous advertiser.
    package var address: DeviceAddress?
    /// The AD structures as they came; at most 31 bytes in a legacy PDU.
    package var data: [UInt8]
    /// Nanoseconds since the PDU of the same kind before; nil for the first one.
    package var interval: Int64?
    /// Whether it came as it was on the air: a host's controller may leave out repeated ones.
    package var isFromAir: Bool
    /// Of a report: since when the host's controller has scanned without a pause, in nanoseconds since 1970; nil where that
    /// is not known.
    package var scanningSince: Int64?

    package init(
        kind: Kind, address: DeviceAddress?, data: [UInt8], interval: Int64? = nil, isFromAir: Bool = false
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
    package struct Structure: Hashable, Sendable {
        /// AD type: 0x09 is the complete local name.
        package var type: UInt8
        package var value: [UInt8]

        package init(type: UInt8, value: [UInt8]) {
            self.type = type
            self.value = value
        }
    }

    /// The AD structures in order, and how many bytes after them are none.
    package var structures: (all: [Structure], rest: Int) {
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

/// Service data or manufacturer data in an advertisement, of a type of the profile.
package struct AdvertisedContent {
    /// The data behind the UUID or the company identifier.
    package let bytes: ValueBytes
    package let reading: ValueReading

    package init(_ bytes: ValueBytes, _ reading: ValueReading) {
        self.bytes = bytes
        self.reading = reading
    }
}
