import Bytes
import PluginKit
import Profile

/// A model of a counter that follows a real one: its answers to a gateway, without the people who pass.
///
/// It adopts passages, the battery, the clock before it is set, and events kept from before the connection from the
/// values that the counter shows.
struct CounterOracle: DeviceOracle {
    var twin: CounterTwin
    /// Counter Info as read; nil before.
    var info: CounterInfo?
    /// Whether the number of the last event is known, and the number of kept events.
    var isLastKnown = false
    var isBufferKnown = false
    /// The number of kept events before the last acknowledgement, and until when a status may still contain it.
    var formerCount: (count: Int, until: Timestamp)?
    /// Numbers of the kept events with known content.
    var contents: Set<UInt32> = []
    var isUptimeKnown = false
    var isTimeSet = false
    /// When Counter Status was subscribed to; nil without a subscription.
    var statusSince: Timestamp?
    /// Until when events may have the clock and the location from before a request.
    var overtakenUntil: Timestamp?
    /// Whether unsent events, or a replay of unknown length, may still come; the number of the last one that came.
    var mayReplay = false
    var lastReplayed: UInt32?
    /// When the last of them came, or when they were requested.
    var replaySince = Timestamp(nanoseconds: 0)
    /// Number of events that the twin sent last at one time.
    private var sentCount = 0

    init() throws(TwinFault) {
        twin = try CounterTwin(TwinSettings())
        _ = twin.handle(.powerOn, at: Timestamp(nanoseconds: 0))
    }

    var answered: Set<String> { twin.answered }
    var deadline: Timestamp? { twin.deadline }

    func patience(for characteristic: String) -> Duration {
        switch CharacteristicName(rawValue: characteristic) {
        case .controlPoint: .seconds(2)
        case .counterStatus: .seconds(3)
        // The events of a replay come one after another.
        case .countEvent: .seconds(10) + .seconds(5) * sentCount
        default: .seconds(10)
        }
    }

    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .subscribed(CharacteristicName.counterStatus.rawValue, let subscription, _):
            statusSince = subscription.contains(.notifications) ? now : nil
        case .subscribed(CharacteristicName.countEvent.rawValue, let subscription, _):
            mayReplay = subscription.contains(.notifications)
            lastReplayed = nil
            replaySince = now
        case .write(CharacteristicName.controlPoint.rawValue, let bytes, _, _): prepare(bytes, at: now)
        default: break
        }
        let count = twin.buffer.count
        defer { if twin.buffer.count < count { formerCount = (count, now + Self.grace) } }
        let actions = twin.handle(input, at: now)
        sentCount = actions.count {
            if case .notify(CharacteristicName.countEvent.rawValue, _, _) = $0 { true } else { false }
        }
        return actions
    }

    private static let grace = Duration.seconds(1)

    /// Maximum transit time of an event from before a request.
    static let crossing = Duration.seconds(2)

    private mutating func prepare(_ bytes: [UInt8], at now: Timestamp) {
        guard let request: ControlRequest = twin.profile.value(of: bytes),
            twin.gateway?.takesResponses == true
        else { return }
        switch request.opcode {
        case .setTime:
            overtakenUntil = now + Self.crossing
            if let milliseconds = request.milliseconds, milliseconds <= 999 { isTimeSet = true }
        case .setLocation: overtakenUntil = now + Self.crossing
        case .replayFrom:
            guard !isBufferKnown else { return }
            mayReplay = true
            lastReplayed = nil
            replaySince = now
        default: break
        }
    }

    mutating func miss(_ characteristic: String) -> String? {
        let isUnknown = characteristic == CharacteristicName.countEvent.rawValue && !isBufferKnown
        return isUnknown ? "which events are kept is not known" : nil
    }

    mutating func adopt(_ shown: ShownValue, at now: Timestamp) -> Expectation {
        switch CharacteristicName(rawValue: shown.characteristic) {
        case .countEvent: adoptEvent(shown, at: now)
        case .counterStatus: adoptStatus(shown, at: now)
        case .counterInfo: adoptInfo(shown)
        case .controlPoint: adoptAnswer(shown)
        default: .value(shown.bytes)
        }
    }

    /// Whether every event is notified.
    var isWatching: Bool { twin.gateway?.wantsEvents ?? false }

    // MARK: - Counter Info

    private mutating func adoptInfo(_ shown: ShownValue) -> Expectation {
        guard var expected: CounterInfo = twin.profile.value(of: shown.bytes) else {
            return .value(info.map { twin.profile.bytes(of: $0) } ?? twin.infoBytes)
        }
        if let info {
            expected = info
            expected.locationId = Int(twin.memory.locationID)
        } else {
            expected.version = 1
            info = expected
            twin.memory.deviceID = UInt32(truncatingIfNeeded: expected.deviceId)
            twin.memory.locationID = UInt16(truncatingIfNeeded: expected.locationId)
        }
        return .value(twin.profile.bytes(of: expected))
    }

    // MARK: - Control Point

    /// Adopts the status of a response that depends on unknown numbers: those that the counter keeps, or its last one.
    private mutating func adoptAnswer(_ shown: ShownValue) -> Expectation {
        guard let predicted = shown.predicted else { return .nothing("no request asks for it") }
        guard let observed: ControlResponse = twin.profile.value(of: shown.bytes),
            var expected: ControlResponse = twin.profile.value(of: predicted),
            observed.opcode == expected.opcode
        else { return .value(predicted) }
        switch observed.opcode {
        case .replayFrom where !isBufferKnown && expected.status != .badValue:
            expected.status = observed.status == .notAvailable ? .notAvailable : .done
        case .ack where !isLastKnown: expected.status = observed.status == .badValue ? .badValue : .done
        default: break
        }
        return .value(twin.profile.bytes(of: expected))
    }
}
