package import Bluetooth
import BluetoothCrypto
import Bytes

/// The attributes of a server in the order of their handles (Vol 3, Part F, 3.2).
package struct AttributeDatabase: Hashable, Sendable {
    /// One attribute.
    package struct Attribute: Hashable, Sendable {
        package var handle: Handle
        package var type: UUID
        /// What a client reads, unless the kind says otherwise.
        package var value: [UInt8]
        package var kind: Kind
        package var read: Access
        package var write: Access
        /// Lengths of a value that may be written, in bytes.
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

    /// Who knows the value of an attribute.
    package enum Kind: Hashable, Sendable {
        /// The server keeps it, and reports what a client writes.
        case stored
        /// The owner of the server is asked at each read, and whether a write may be.
        case asked
        /// Each client has its own: Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
        case clientConfiguration
        /// Each client has its own: Client Supported Features (Vol 3, Part G, 7.2).
        case clientFeatures
        /// Computed from the database: Database Hash (Vol 3, Part G, 7.3).
        case databaseHash
    }

    /// In the order of their handles, each handle once.
    package private(set) var attributes: [Attribute] = []

    package init() {}

    /// Attributes in any order; of two with the same handle the first stays.
    package init(_ attributes: [Attribute]) {
        for attribute in attributes.sorted(by: { $0.handle < $1.handle }) where attribute.handle != 0 {
            if self.attributes.last?.handle != attribute.handle { self.attributes.append(attribute) }
        }
    }

    /// The attribute at a handle.
    package subscript(handle: Handle) -> Attribute? {
        index(of: handle).map { attributes[$0] }
    }

    /// The attributes of a range of handles.
    package subscript(range: ClosedRange<Handle>) -> ArraySlice<Attribute> {
        let start = position(from: range.lowerBound)
        let end = range.upperBound.rawValue == .max ? attributes.count : position(from: range.upperBound.next)
        return attributes[start..<max(start, end)]
    }

    /// Replaces the value that the server keeps for an attribute; false when there is none at the handle, or the value
    /// is longer than any may be.
    package mutating func setValue(_ value: [UInt8], at handle: Handle) -> Bool {
        guard let index = index(of: handle), value.count <= ATT.maximumValueLength else { return false }
        attributes[index].value = value
        return true
    }

    /// Handle of the last attribute of the group that begins at `handle`: a service reaches to the next service, a
    /// characteristic to the next declaration, any other attribute is a group by itself (Vol 3, Part G, 2.5.3).
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

    /// Index of the first attribute that does not come before `handle`.
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
    /// The handle after this one; the last one stays.
    var next: Handle { rawValue == .max ? self : Handle(rawValue + 1) }
}

extension AttributeDatabase {
    /// The Database Hash: AES-CMAC with a key of zeros over what discovery can see (Vol 3, Part G, 7.3.1). 16 bytes as
    /// they are on the wire, the least significant first.
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
