import Bluetooth

/// Events to the host, subject to its event masks.
extension VirtualController {
    mutating func send(_ event: some HCI.Event) {
        if wants(type(of: event).code) { sendEvent(HCI.encode(event)) }
    }

    mutating func send(_ event: some HCI.LEEvent) {
        if wants(type(of: event).subevent) { sendEvent(HCI.encode(event)) }
    }

    /// Sends an event with parameters by the names in its table row, without the layer prefix.
    mutating func send(_ code: HCI.EventCode, _ values: [String: HCI.Value]) {
        guard wants(code), let event = try? HCI.encode(event: code, Self.named(values)) else { return }
        sendEvent(event)
    }

    /// Sends an LE event with parameters by the names in its table row, without the layer prefix.
    mutating func send(_ subevent: HCI.LESubevent, _ values: [String: HCI.Value]) {
        guard wants(subevent), let event = try? HCI.encode(leEvent: subevent, Self.named(values)) else { return }
        sendEvent(event)
    }

    /// Whether the host's masks enable an LE event (Vol 4, Part E, 7.8.1).
    func wants(_ subevent: HCI.LESubevent) -> Bool {
        wants(.leMeta) && (1...64).contains(subevent.rawValue)
            && state.leEventMask >> UInt64(subevent.rawValue - 1) & 1 == 1
    }

    /// Whether the host's mask enables an event (Vol 4, Part E, 7.3.1); three events cannot be masked.
    private func wants(_ code: HCI.EventCode) -> Bool {
        switch code {
        case .commandComplete, .commandStatus, .numberOfCompletedPackets: true
        default: (1...64).contains(code.rawValue) && state.eventMask >> UInt64(code.rawValue - 1) & 1 == 1
        }
    }

    private mutating func sendEvent(_ event: [UInt8]) {
        actions.append(.packet([HCI.PacketType.event.rawValue] + event))
    }

    private static func named(_ values: [String: HCI.Value]) -> [String: HCI.Value] {
        Dictionary(uniqueKeysWithValues: values.map { ("bthci_evt." + $0.key, $0.value) })
    }
}
