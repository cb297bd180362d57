package import Bytes

/// Something about a value that is not as its profile says, though it could be read.
package struct Remark: Hashable, Sendable {
    package enum Severity: Hashable, Sendable {
        /// The profile forbids it.
        case warning
        /// The profile does not know it.
        case note
    }

    package var severity: Severity
    package var field: Field
    /// Offset of the field from the frame's first byte.
    package var offset: Int
    package var text: String

    package init(_ severity: Severity, _ field: Field, offset: Int, _ text: String) {
        self.severity = severity
        self.field = field
        self.offset = offset
        self.text = text
    }
}

/// Remarks on one value; nothing is put together unless somebody wants them.
struct RemarkList {
    let isWanted: Bool
    var remarks: [Remark] = []
    /// Further remarks are not listed: a value with that many is none of the type.
    static let limit = 32

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    mutating func add(_ remark: @autoclosure () -> Remark) {
        if isWanted, remarks.count < Self.limit { remarks.append(remark()) }
    }
}
