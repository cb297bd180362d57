import Bytes
import PluginKit
import Profile

/// The gateway's requests to a counter, one after another.
extension CounterGateway {
    mutating func prepare(_ step: Step, at now: Timestamp) -> [ClientAction] {
        phase = .connecting(step)
        switch step {
        case .readInfo: return [.read(CharacteristicName.counterInfo.rawValue)]
        case .readStatus: return [.read(CharacteristicName.counterStatus.rawValue)]
        case .subscribeStatus, .subscribeControlPoint, .subscribeEvents:
            return step.subscription.map { [.subscribe($0, true)] } ?? []
        case .setTime:
            let (seconds, nanosecond) = now.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return write(
                .setTime(time: Int(UInt32(clamping: seconds)), milliseconds: Int(nanosecond / 1_000_000)), at: now)
        }
    }

    /// Starts the next step or, after the last one, other pending requests.
    private mutating func proceed(after step: Step, at now: Timestamp) -> [ClientAction] {
        if let next = Step(rawValue: step.rawValue + 1) { return prepare(next, at: now) }
        phase = .connected
        return [.event(TwinNote("ready", ["device_id": .number(counter ?? 0)]))] + askNext(at: now)
    }

    // MARK: - Answers

    mutating func receive(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .read(CharacteristicName.counterInfo.rawValue, .success(let bytes)):
            guard let info: CounterInfo = profile.value(of: bytes) else {
                return fail("Counter Info cannot be read")
            }
            self.info = info
            return openDelivery(info) + keep(at: now) + proceed(after: .readInfo, at: now)
        case .read(CharacteristicName.counterStatus.rawValue, .success(let bytes)):
            guard let status: CounterStatus = profile.value(of: bytes) else {
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
        case .notified(CharacteristicName.controlPoint.rawValue, let bytes): return conclude(bytes, at: now)
        case .notified(CharacteristicName.countEvent.rawValue, let bytes):
            guard let event: CountEvent = profile.value(of: bytes) else { return [] }
            return store(event, at: now) + askNext(at: now)
        case .notified(CharacteristicName.counterStatus.rawValue, let bytes):
            guard let status: CounterStatus = profile.value(of: bytes) else { return [] }
            hear(at: now)
            return compare(status) + keep(at: now) + askNext(at: now)
        default: return []
        }
    }

    private mutating func conclude(_ bytes: [UInt8], at now: Timestamp) -> [ClientAction] {
        guard let response: ControlResponse = profile.value(of: bytes),
            let request = outstanding?.request, request.opcode.rawValue == response.opcode.rawValue
        else { return [] }
        outstanding = nil
        var actions: [ClientAction] = []
        if response.status != .done {
            actions.append(
                .event(
                    TwinNote(
                        "request_failed",
                        [
                            "opcode": .number(request.opcode.rawValue),
                            "status": .number(response.status.rawValue),
                        ])))
        }
        switch request.opcode {
        case .replayFrom: return actions + settle(request, isKept: response.status == .done, at: now)
        case .ack: withDelivery { $0.acknowledged = request.number }
        case .setLocation where response.status == .done: info?.locationId = request.locationId ?? 0
        default: break
        }
        if case .connecting(.setTime) = phase { return actions + proceed(after: .setTime, at: now) }
        return actions + askNext(at: now)
    }

    private mutating func settle(_ request: ControlRequest, isKept: Bool, at now: Timestamp) -> [ClientAction] {
        guard let number = request.number else { return [] }
        let lost = withDelivery { $0.settle(number, isKept: isKept) } ?? 0
        // Counter Status shows which events are kept.
        return noteLost(lost) + (isKept ? askNext(at: now) : [.read(CharacteristicName.counterStatus.rawValue)])
    }

    // MARK: - Requests

    /// Queues a request of the user, which waits for a connection.
    mutating func ask(_ request: ControlRequest, at now: Timestamp) -> [ClientAction] {
        guard tasks.count < Self.taskLimit else { return [] }
        tasks.append(request)
        return askNext(at: now)
    }

    private static let taskLimit = 16

    /// Sends the next request if no response is outstanding: for missing events, then from the user, then the
    /// acknowledgement of stored events.
    mutating func askNext(at now: Timestamp) -> [ClientAction] {
        guard case .connected = phase, outstanding == nil else { return [] }
        let delivery = counter.flatMap { deliveries[$0] }
        if let number = delivery?.wanted {
            return write(.replayFrom(sequenceNumber: Int(number)), at: now)
        }
        while let task = tasks.popFirst() {
            // The counter may have its location from an earlier connection.
            if task.opcode == .setLocation, task.locationId == info?.locationId { continue }
            return write(task, at: now)
        }
        if unstored.isEmpty, let number = delivery?.acknowledgeable {
            return write(.ack(sequenceNumber: Int(number)), at: now)
        }
        return []
    }

    private mutating func write(_ request: ControlRequest, at now: Timestamp) -> [ClientAction] {
        outstanding = (request, now + Self.responseLimit)
        return [.write(CharacteristicName.controlPoint.rawValue, profile.bytes(of: request))]
    }
}
