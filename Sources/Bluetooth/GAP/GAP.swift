public import Bytes

/// What the Generic Access Profile puts on the air: advertising data and extended inquiry responses, as AD structures
/// (Vol 3, Part C, 11; values in the Core Specification Supplement, Part A).
public enum GAP {
    /// The protocol layer in the field tree.
    public static let layer = Field("btcommon", "Bluetooth Common", .group)

    /// The value of an AD structure: what comes after its length and type.
    public protocol Value: WireFormat {}

    /// Reads advertising data, all that is left in the reader, leaving the field tree behind.
    ///
    /// What is wrong with one structure does not keep the others from being read: each fault is returned, and its bytes
    /// stay as data. Only a structure that is longer than what is left ends the reading. A length of zero means that the
    /// rest is unused (Vol 3, Part C, 11).
    @discardableResult
    public static func readAdvertisingData(_ reader: inout ByteReader) -> [DecodeError] {
        let group = reader.begin(Fields.advertisingData)
        var faults: [DecodeError] = []
        while let length = reader.nextByte {
            if length == 0 {
                reader.skipRest(Fields.unused)
                break
            }
            let entry = reader.begin(Fields.entry)
            do throws(DecodeError) {
                try readStructure(&reader, faults: &faults)
            } catch {
                if !reader.isExpected(error) { faults.append(error) }
                let type = reader.nextByte.map(DataType.init(rawValue:))
                reader.skipRest(type?.isSecret == true ? Fields.secretData : Fields.data)
            }
            reader.end(entry)
        }
        reader.end(group)
        return faults
    }

    /// Reads one structure. Throws when it does not fit; a fault in its value is added to `faults`.
    private static func readStructure(
        _ reader: inout ByteReader, faults: inout [DecodeError]
    ) throws(DecodeError) {
        let length: UInt8 = try reader.read(Fields.length)
        guard reader.remaining >= Int(length) || reader.isCut else {
            throw reader.truncated(Fields.entry, needed: Int(length))
        }
        var structure = try reader.slice(count: Int(length), lengthSetBy: Fields.length)
        let type: DataType = try structure.read(Fields.type)
        guard let row = DataType.table[type] else {
            structure.skipRest(Fields.data)
            return
        }
        do throws(DecodeError) {
            _ = try row.value.init(reading: &structure)
        } catch {
            if !structure.isExpected(error) { faults.append(error) }
        }
        structure.skipRest(row.isSecret ? Fields.secretData : Fields.data)
    }
}

extension DecodeError {
    /// Whether an AD structure is longer than the advertising data: no error where the data have more parts.
    public var isCutStructure: Bool { reason == .truncated && field == GAP.Fields.entry.label }
}
