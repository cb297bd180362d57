package import Bytes

/// The checks of `plugins lint`. A profile accepts a finding by the check's name.
package enum ProfileCheck: String, CaseIterable, Sendable {
    /// A type with an invalid layout: overlapping bit parts, an expression that references a later field, or a list
    /// whose elements may be empty.
    case wrongLayout = "wrong-layout"
    /// A case of a choice that an earlier case shadows.
    case unreachableCase = "unreachable-case"
    /// A type alternative that an earlier alternative shadows.
    case unreachableAlternative = "unreachable-alternative"
    /// A field after one that extends to the end of the value.
    case unreachableField = "unreachable-field"
    /// A state of a sequence without an incoming transition.
    case unreachableState = "unreachable-state"
    /// A notification or indication longer than ATT_MTU − 3.
    case payloadExceedsMTU = "payload-exceeds-mtu"
    /// The notify or indicate property without a Client Characteristic Configuration descriptor.
    case missingConfiguration = "missing-cccd"
    /// Two services or characteristics of a dialect with the same UUID.
    case duplicateUUID = "duplicate-uuid"
    /// A length that the value's type rules out.
    case wrongLength = "wrong-length"
    /// An undefined name of a type, characteristic, field, state or dialect.
    case unknownName = "unknown-name"
    /// Evidence whose weights cannot add up to a match.
    case weakEvidence = "weak-evidence"
    /// Evidence shared with other devices, or supporting several dialects.
    case ambiguousEvidence = "ambiguous-evidence"
    /// Bytes or values of the emulation that do not fit their type.
    case wrongValue = "wrong-value"
    /// A generator of a characteristic without an initial value.
    case missingStartValue = "missing-start-value"
    /// An event that the characteristic's properties do not allow.
    case impossibleEvent = "impossible-event"
    /// A comparison that is true, or false, for every possible value of the field.
    case constantCondition = "constant-condition"
    /// A test vector that fails.
    case failingVector = "failing-vector"
    /// An unused type.
    case unusedType = "unused-type"
    /// A type without a test vector.
    case missingVectors = "missing-vectors"
    /// An acceptance of a finding that does not occur.
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
