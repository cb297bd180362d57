import Bytes

/// Removal of stale scheduled events, so that a host that keeps restarting operations does not exhaust memory.
extension Radio {
    /// Number of scheduled events beyond which stale ones are removed.
    private static let tidyLimit = 4096

    /// Number of scheduled events.
    package var scheduledEvents: Int { queue.count }

    /// Schedules an alarm, and removes stale events if the queue is long.
    mutating func schedule(alarm: ControllerAlarm, of controller: Int, after span: Int64) {
        queue.insert(
            .alarm(controller: controller, alarm), at: now.advanced(nanoseconds: local(span, controller)))
        guard queue.count > max(Self.tidyLimit, nextTidying) else { return }
        var tidied = queue
        queue = EventQueue()
        tidied.removeAll { isStale($0) }
        nextTidying = 2 * tidied.count
        queue = tidied
    }

    private func isStale(_ event: Event) -> Bool {
        switch event {
        case .alarm(let controller, let alarm): !controllers[controller].awaits(alarm)
        case .advertising(let controller, let set, let serial):
            !advertisers.contains { $0.controller == controller && $0.set == set && $0.serial == serial }
        case .link(let link, _, let serial): links[link]?.serial != serial
        case .change(let link, _): links[link] == nil
        case .idle(let link, _, let serial): links[link]?.air?.idleSerial != serial
        case .unheardAdvertising(let controller, let set, let serial):
            !advertisers.contains { $0.controller == controller && $0.set == set && $0.unheardSerial == serial }
        }
    }
}

extension VirtualController {
    /// Whether an alarm is still valid.
    func awaits(_ alarm: ControllerAlarm) -> Bool {
        switch alarm {
        case .advertisingEnd(let handle, let serial): set(handle).map { $0.isEnabled && $0.serial == serial } ?? false
        case .scanEnd(let serial), .scanPeriod(let serial): state.scanning.isEnabled && state.scanning.serial == serial
        case .procedureTimeout(let link, let serial):
            index(of: link).map { index in
                state.connections[index].procedure != nil && state.connections[index].procedureSerial == serial
            } ?? false
        }
    }
}
