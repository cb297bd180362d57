import Bytes
import PluginKit
import Profile

/// What a gateway asks of a counter, one thing after the other.
extension CounterGateway {
    mutating func prepare(_ step: Step, at now: Timestamp) -> [ClientAction] {
        phase = .connecting(step)
        switch step {
        case .readInfo: return [.read("counter_info")]
        case .readStatus: return [.read("counter_status")]
        case .subscribeStatus, .subscribeControlPoint, .subscribeEvents:
            return step.subscription.map { [.subscribe($0, true)] } ?? []
        case .setTime:
            let (seconds, nanosecond) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return write(
                ControlRequest(
                    opcode: .setTime, seconds: UInt32(clamping: seconds),
                    milliseconds: UInt16(clamping: nanosecond / 1_000_000)), at: now)
        }
    }

    /// The next step, or whatever else there is to do.
    private mutating func proceed(after step: Step, at now: Timestamp) -> [ClientAction] {
        if let next = Step(rawValue: step.rawValue + 1) { return prepare(next, at: now) }
        phase = .connected
        return [.tell(TwinNote("ready", ["device_id": .number(Int(counter ?? 0))]))] + askNext(at: now)
    }

    // MARK: - Answers

    mutating func receive(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .read("counter_info", .success(let bytes)):
            guard let info: CounterInfo = profile.value(of: bytes, as: "counter_info") else {
                return fail("Counter Info cannot be read")
            }
            return openBook(info) + proceed(after: .readInfo, at: now)
        case .read("counter_status", .success(let bytes)):
            guard let status: CounterStatus = profile.value(of: bytes, as: "counter_status") else {
                return fail("Counter Status cannot be read")
            }
            let actions = compare(status)
            if case .connecting(let step) = phase { return actions + proceed(after: step, at: now) }
            return actions + askNext(at: now)
        case .read(let name, .failure(let fault)): return fail("\(name) cannot be read: \(fault)")
        case .written(let name, let fault?): return fail("\(name) refuses: \(fault)")
        case .written(let name, nil):
            // A write to the Control Point ends with its indication.
            guard case .connecting(let step) = phase, step.subscription == name else { return [] }
            return proceed(after: step, at: now)
        case .notified("control_point", let bytes): return conclude(bytes, at: now)
        case .notified("count_event", let bytes):
            guard let event: CountEvent = profile.value(of: bytes, as: "count_event") else { return [] }
            return store(event, at: now) + askNext(at: now)
        case .notified("counter_status", let bytes):
            guard let status: CounterStatus = profile.value(of: bytes, as: "counter_status") else { return [] }
            hear(at: now)
            return compare(status) + askNext(at: now)
        default: return []
        }
    }

    private mutating func conclude(_ bytes: [UInt8], at now: Timestamp) -> [ClientAction] {
        guard let response: ControlResponse = profile.value(of: bytes, as: "control_response"),
            let request = outstanding?.request, request.opcode == response.opcode
        else { return [] }
        outstanding = nil
        var actions: [ClientAction] = []
        if response.status != .done {
            actions.append(
                .tell(
                    TwinNote(
                        "request_failed",
                        [
                            "opcode": .number(Int(request.opcode.rawValue)),
                            "status": .number(Int(response.status.rawValue)),
                        ])))
        }
        switch request.opcode {
        case .replayFrom: return actions + settle(request, isKept: response.status == .done, at: now)
        case .acknowledge: withBook { $0.acknowledged = request.sequenceNumber }
        default: break
        }
        if case .connecting(.setTime) = phase { return actions + proceed(after: .setTime, at: now) }
        return actions + askNext(at: now)
    }

    private mutating func settle(_ request: ControlRequest, isKept: Bool, at now: Timestamp) -> [ClientAction] {
        guard let number = request.sequenceNumber else { return [] }
        let lost = withBook { $0.settle(number, isKept: isKept) } ?? 0
        // What is kept instead, the status tells.
        return tellLost(lost) + (isKept ? askNext(at: now) : [.read("counter_status")])
    }

    // MARK: - Requests

    /// Takes up a wish of the user; without a connection it is forgotten.
    mutating func ask(_ request: ControlRequest, at now: Timestamp) -> [ClientAction] {
        guard isConnected, tasks.count < Self.taskLimit else { return [] }
        tasks.append(request)
        return askNext(at: now)
    }

    private static let taskLimit = 16

    /// The request that is next in turn, if there is one and none waits for its answer: what is missing, what the user
    /// wants, what was stored.
    private mutating func askNext(at now: Timestamp) -> [ClientAction] {
        guard case .connected = phase, outstanding == nil else { return [] }
        let book = counter.flatMap { books[$0] }
        if let number = book?.wanted {
            return write(ControlRequest(opcode: .replayFrom, sequenceNumber: number), at: now)
        }
        if let task = tasks.popFirst() { return write(task, at: now) }
        if let number = book?.acknowledgeable {
            return write(ControlRequest(opcode: .acknowledge, sequenceNumber: number), at: now)
        }
        return []
    }

    private mutating func write(_ request: ControlRequest, at now: Timestamp) -> [ClientAction] {
        outstanding = (request, now + Self.responseLimit)
        return [.write("control_point", profile.bytes(of: request, as: "control_request"))]
    }
}
