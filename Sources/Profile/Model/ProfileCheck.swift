package import Bytes

/// What `plugins lint` looks for. A profile names a check to accept its finding.
package enum ProfileCheck: String, CaseIterable, Sendable {
    /// A type that cannot be laid out: parts that share bits, an expression that names a field which is not there yet,
    /// a list whose elements may be empty.
    case wrongLayout = "wrong-layout"
    /// A case of a choice that an earlier one hides.
    case unreachableCase = "unreachable-case"
    /// A type of a value that an earlier alternative hides.
    case unreachableAlternative = "unreachable-alternative"
    /// A field behind one that takes all there is.
    case unreachableField = "unreachable-field"
    /// A state of a sequence that nothing leads to.
    case unreachableState = "unreachable-state"
    /// A notification or indication that is longer than ATT_MTU − 3.
    case payloadExceedsMTU = "payload-exceeds-mtu"
    /// Notify or indicate without the descriptor that turns it on.
    case missingConfiguration = "missing-cccd"
    /// Two services or characteristics of a dialect with one UUID.
    case duplicateUUID = "duplicate-uuid"
    /// A length that the type of the value cannot have.
    case wrongLength = "wrong-length"
    /// A name that leads nowhere: of a type, a characteristic, a field, a state, a dialect.
    case unknownName = "unknown-name"
    /// Evidence that can never make a device one of the profile's.
    case weakEvidence = "weak-evidence"
    /// Evidence that other devices show too, or that speaks for several dialects.
    case ambiguousEvidence = "ambiguous-evidence"
    /// Bytes or values of the emulation that do not fit their type.
    case wrongValue = "wrong-value"
    /// A generator of a characteristic that has no value to begin with.
    case missingStartValue = "missing-start-value"
    /// An event that the characteristic's properties rule out.
    case impossibleEvent = "impossible-event"
    /// A comparison that is true for all values that a field can have, or for none.
    case constantCondition = "constant-condition"
    /// A vector that does not hold.
    case failingVector = "failing-vector"
    /// A type that nothing uses.
    case unusedType = "unused-type"
    /// A type without a vector.
    case missingVectors = "missing-vectors"
    /// An accepted finding that is not found.
    case unusedAcceptance = "unused-acceptance"

    package var severity: Diagnostic.Severity {
        switch self {
        case .unreachableState, .missingConfiguration, .ambiguousEvidence, .unusedType, .missingVectors,
            .unusedAcceptance:
            .warning
        default: .error
        }
    }
}
