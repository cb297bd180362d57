package import Bluetooth
import BluetoothCrypto
import Bytes

/// The attributes of a server, ordered by handle (Vol 3, Part F, 3.2).
package struct AttributeDatabase: Hashable, Sendable {
    package struct Attribute: Hashable, Sendable {
        package var handle: Handle
        package var type: UUID
        /// Value read by clients, unless `kind` provides another.
        package var value: [UInt8]
        package var kind: Kind
        package var read: Access
        package var write: Access
        /// Allowed lengths of a written value, in bytes.
        package var lengths: ClosedRange<Int>

        package init(
            handle: Handle, type: UUID, value: [UInt8] = [], kind: Kind = .stored, read: Access = .open,
            write: Access = .never, lengths: ClosedRange<Int> = 0...ATT.maximumValueLength
        ) {
            self.handle = handle
            self.type = type
            self.value = value
            self.kind = kind
            self.read = read
            self.write = write
            self.lengths = lengths
        }
    }

    /// Source of an attribute's value.
    package enum Kind: Hashable, Sendable {
        /// Stored in the server, which reports client writes.
        case stored
        /// Provided by the server's owner on each read; the owner also decides on writes.
        case asked
        /// Per client: Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
        case clientConfiguration
        /// Per client: Client Supported Features (Vol 3, Part G, 7.2).
        case clientFeatures
        /// Computed from the database: Database Hash (Vol 3, Part G, 7.3).
        case databaseHash
    }

    /// Ordered by handle, without duplicates.
    package private(set) var attributes: [Attribute] = []

    package init() {}

    /// Accepts attributes in any order; of two with the same handle, the first is kept.
    package init(_ attributes: [Attribute]) {
        for attribute in attributes.sorted(by: { $0.handle < $1.handle }) where attribute.handle != 0 {
            if self.attributes.last?.handle != attribute.handle { self.attributes.append(attribute) }
        }
    }

    /// The attribute at a handle.
    package subscript(handle: Handle) -> Attribute? {
        index(of: handle).map { attributes[$0] }
    }

    /// The attributes in a range of handles.
    package subscript(range: ClosedRange<Handle>) -> ArraySlice<Attribute> {
        let start = position(from: range.lowerBound)
        let end = range.upperBound.rawValue == .max ? attributes.count : position(from: range.upperBound.next)
        return attributes[start..<max(start, end)]
    }

    /// Replaces the stored value of an attribute; returns false if there is none at the handle, or if the value exceeds
    /// the maximum length.
    package mutating func setValue(_ value: [UInt8], at handle: Handle) -> Bool {
        guard let index = index(of: handle), value.count <= ATT.maximumValueLength else { return false }
        attributes[index].value = value
        return true
    }

    /// Last handle of the group that begins at `handle`: a service extends to the next service, a characteristic to the
    /// next declaration, and any other attribute is a group by itself (Vol 3, Part G, 2.5.3).
    package func groupEnd(of handle: Handle) -> Handle {
        guard let index = index(of: handle) else { return handle }
        let enders: Set<UUID>
        switch attributes[index].type {
        case .primaryService, .secondaryService: enders = [.primaryService, .secondaryService]
        case .characteristic: enders = [.primaryService, .secondaryService, .characteristic]
        default: return handle
        }
        let next = attributes[(index + 1)...].firstIndex { enders.contains($0.type) } ?? attributes.count
        return attributes[next - 1].handle
    }

    private func index(of handle: Handle) -> Int? {
        let position = position(from: handle)
        return position < attributes.count && attributes[position].handle == handle ? position : nil
    }

    /// Index of the first attribute at or after `handle`.
    private func position(from handle: Handle) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Handle {
    /// The next handle; the last handle returns itself.
    var next: Handle { rawValue == .max ? self : Handle(rawValue + 1) }
}

extension AttributeDatabase {
    /// The Database Hash: AES-CMAC with a zero key over the attributes visible to discovery (Vol 3, Part G, 7.3.1). 16
    /// bytes in wire order, least significant first.
    package var hash: [UInt8] {
        let message = ByteWriter.bytes { writer in
            for attribute in attributes {
                switch attribute.type {
                case .primaryService, .secondaryService, .include, .characteristic, 0x2900:
                    writer.write(attribute.handle)
                    writer.write(attribute.type)
                    writer.write(attribute.value)
                case 0x2901, .clientCharacteristicConfiguration, 0x2903, 0x2904, 0x2905:
                    writer.write(attribute.handle)
                    writer.write(attribute.type)
                default: break
                }
            }
        }
        return ByteWriter.bytes { $0.write(AES128(key: 0).authenticationCode(of: message)) }
    }
}
