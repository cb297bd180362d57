public import Bytes

/// The Generic Access Profile's data formats: advertising data and extended inquiry responses, made up of AD structures
/// (Vol 3, Part C, 11; values in the Core Specification Supplement, Part A).
public enum GAP {
    /// The protocol layer in the field tree.
    public static let layer = Field("btcommon", "Bluetooth Common", .group)

    /// The value of an AD structure, without its length and type.
    public protocol Value: WireFormat {}

    /// Reads and records advertising data up to the end of the reader.
    ///
    /// A fault in one structure does not prevent reading the others: each fault is returned, and the structure's bytes
    /// are recorded as data. Only a structure longer than the remaining bytes ends the reading. A length of zero means
    /// that the remaining bytes are unused (Vol 3, Part C, 11).
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

    /// Reads one structure. Throws if it is longer than the remaining bytes; appends a fault in its value to `faults`.
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
    /// Whether an AD structure is longer than the advertising data. This is not an error if the data continue in
    /// another fragment.
    public var isCutStructure: Bool { reason == .truncated && field == GAP.Fields.entry.label }
}
