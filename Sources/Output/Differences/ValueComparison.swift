import Bytes
import Profile

/// Compares two values by the fields of their types, or by their bytes where no profile describes them.
enum ValueComparison {
    /// Bytes shown of a value of which only the beginning is kept.
    private static let byteLimit = 32

    /// The fields that differ; empty for equal values.
    static func fields(
        _ a: ProcedureOutline.Value, in outlineA: CaptureOutline, _ b: ProcedureOutline.Value,
        in outlineB: CaptureOutline
    ) -> [FieldDifference] {
        let (bytesA, bytesB) = (outlineA.bytes(of: a), outlineB.bytes(of: b))
        if a.length == b.length, bytesA == bytesB { return [] }
        if let fieldsA = decoded(a, bytesA), let fieldsB = decoded(b, bytesB) {
            let differences = FieldDifference.between(fieldsA, fieldsB)
            // Bytes that no field reads may differ.
            if !differences.isEmpty { return differences }
        }
        return [FieldDifference("value", text(bytesA, of: a.length), text(bytesB, of: b.length))]
    }

    /// Paths and texts of all fields; nil if no profile describes the value, or if its bytes do not match its type.
    private static func decoded(_ value: ProcedureOutline.Value, _ bytes: ArraySlice<UInt8>) -> [OutlinedField]? {
        guard let layout = value.layout, bytes.count == value.length, let decoded = try? layout.decode(Array(bytes))
        else { return nil }
        return decoded.fields.map { path, text in
            let name = path.isEmpty ? layout.name : path
            guard let unit = layout.unit(at: path) else { return OutlinedField(name, text) }
            return OutlinedField(name, "\(text) \(unit)")
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>, of length: Int) -> String {
        bytes.count == length
            ? Value.text(of: Array(bytes)) : "\(Value.text(of: Array(bytes.prefix(byteLimit)))) … (\(length) bytes)"
    }
}
