import Profile

typealias CharacteristicName = DeviceProfile.CharacteristicName
typealias CountEvent = DeviceProfile.CountEvent
typealias CounterInfo = DeviceProfile.CounterInfo
typealias CounterStatus = DeviceProfile.CounterStatus
typealias ControlRequest = DeviceProfile.ControlRequest
typealias ControlResponse = DeviceProfile.ControlResponse

extension UInt32 {
    /// The signed distance from another sequence number to this one, across the wrap; negative if this one comes first.
    func distance(after other: UInt32) -> Int { Int(Int32(truncatingIfNeeded: self &- other)) }
}

extension CountEvent {
    /// The sequence number, which wraps at 32 bits.
    var number: UInt32 {
        get { UInt32(truncatingIfNeeded: sequenceNumber) }
        set { sequenceNumber = Int(newValue) }
    }

    /// The part of an event that a repetition must not change: all but its number, its device and how it was sent.
    struct Content: Hashable, Sendable {
        var delta: Int
        var hasTimestamp: Bool
        var seconds: Int
        var milliseconds: Int
        var location: Int
    }

    var content: Content {
        Content(
            delta: delta, hasTimestamp: header.timestampValid, seconds: timestampS, milliseconds: timestampMs,
            location: locationId)
    }
}

extension CounterStatus {
    /// The last sequence number, which wraps at 32 bits; 0 also before the first event.
    var lastNumber: UInt32 {
        get { UInt32(truncatingIfNeeded: lastSequenceNumber) }
        set { lastSequenceNumber = Int(newValue) }
    }
}

extension ControlRequest {
    /// The sequence number of REPLAY_FROM and ACK, which wraps at 32 bits.
    var number: UInt32? { sequenceNumber.map { UInt32(truncatingIfNeeded: $0) } }
}
