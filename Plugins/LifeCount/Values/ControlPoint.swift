/// A request to the Control Point as the profile's type `control_request` decodes it: the parameters of its opcode are
/// there, or else bytes that are none.
struct ControlRequest: Codable, Hashable, Sendable {
    var opcode: ControlOpcode
    /// Of `setTime`: Unix seconds, UTC.
    var seconds: UInt32?
    /// Of `setTime`, beside the seconds.
    var milliseconds: UInt16?
    /// Of `replayFrom` and `acknowledge`.
    var sequenceNumber: UInt32?
    /// Of `setLocation`.
    var locationID: UInt16?
    /// What follows an opcode that is not known, or has another length than its own.
    var parameters: [UInt8]?

    private enum CodingKeys: String, CodingKey {
        case opcode, milliseconds, parameters
        case seconds = "time"
        case sequenceNumber = "sequence_number"
        case locationID = "location_id"
    }
}

/// What a request to the Control Point asks for.
struct ControlOpcode: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: UInt8

    static let setTime = Self(rawValue: 1)
    static let replayFrom = Self(rawValue: 2)
    static let setLocation = Self(rawValue: 3)
    static let identify = Self(rawValue: 4)
    static let acknowledge = Self(rawValue: 5)

    static let known: Set<Self> = [.setTime, .replayFrom, .setLocation, .identify, .acknowledge]
}

/// The answer to a request, as the profile's type `control_response` decodes it.
struct ControlResponse: Codable, Hashable, Sendable {
    var opcode: ControlOpcode
    var status: ControlStatus
}

/// What became of a request.
enum ControlStatus: UInt8, Codable, Hashable, Sendable {
    case done = 0
    case unknownOpcode = 1
    /// A bad length or value.
    case badValue = 2
    case notAvailable = 3
}
