import Bluetooth
package import Bytes
import Host
package import PluginKit
import Profile

extension EmulatedDevice.Input {
    /// What an action of a scenario does to a device; nil where it is about something else.
    package init?(_ action: Scenario.Action) {
        switch action {
        case .device(let stimulus): self = .stimulus(stimulus)
        case .dropLink: self = .dropLink
        case .disconnect: self = .disconnect
        case .act(let action): self = .act(action)
        case .changeServices: self = .changeServices
        case .fault(let fault): self = .fault(fault)
        case .client, .ask, .say, .timePasses: return nil
        }
    }
}

/// What a device is like at some time.
extension EmulatedDevice {
    package var isAdvertising: Bool { advertising != nil && isUp }

    /// How many clients are connected.
    package var connections: Int { clients.count }

    /// The values of its characteristics by their names, in the order of their handles, as a client would read them now;
    /// without those that the twin answers later, or refuses.
    package func values(at now: Timestamp) -> [(name: String, value: [UInt8])] {
        plan.handles.sorted { $0.value < $1.value }.compactMap { name, handle in
            guard answered.contains(name) else { return host.server.database[handle].map { (name, $0.value) } }
            // The device itself does not notice: it is a copy that is asked.
            var copy = twin
            let ticket = TwinTicket(.max)
            let client = TwinClient(clients.map(\.rawValue).min() ?? .max)
            for case .answer(ticket, .value(let value)) in copy.handle(.read(name, client, ticket), at: now) {
                return (name, value)
            }
            return nil
        }
    }

    /// Why the device cannot do what a step says; nil where it can. What a step waits for may change values before.
    package func refusal(of step: Scenario.Step) -> String? {
        // The device itself does not notice: it is a copy that does it.
        guard var copy = twin as? ProfileTwin else { return nil }
        let isImmediate = isUp && step.time == nil && step.trigger == nil
        for case .act(let action) in step.actions {
            let actions = copy.act(action)
            for case .set(let name, let value) in actions where value.count > ATT.maximumValueLength {
                return "\(name): \(ATT.lengthFault(value.count))"
            }
            switch action {
            case .set(let name, _) where isImmediate && actions.isEmpty,
                .notify(let name, .some) where isImmediate && actions.isEmpty:
                return "\(name): its value now has no such field; set all of it"
            default: break
            }
        }
        return nil
    }
}
