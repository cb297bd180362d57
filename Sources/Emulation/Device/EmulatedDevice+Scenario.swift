import Bluetooth
package import Bytes
import Host
package import PluginKit
import Profile
import Radio

extension EmulatedDevice.Input {
    /// The input for a scenario action; nil if the action does not concern the device.
    package init?(_ action: Scenario.Action) {
        switch action {
        case .device(let stimulus): self = .stimulus(stimulus)
        case .dropLink: self = .dropLink
        case .disconnect: self = .disconnect
        case .act(let action): self = .act(action)
        case .changeServices: self = .changeServices
        case .fault(let fault): self = .fault(fault)
        case .client, .ask, .say, .timePasses, .attenuate, .moveApart: return nil
        }
    }
}

extension Scenario.Action {
    /// The path loss that the action sets between the device and its clients, in dB; nil for other actions.
    package var attenuation: Int? {
        switch self {
        case .attenuate(let decibels): Int(decibels.rounded())
        case .moveApart(let metres): Path.attenuation(atMetres: metres)
        default: nil
        }
    }
}

extension EmulatedDevice {
    package var isAdvertising: Bool { advertising != nil && isUp }

    package var connections: Int { clients.count }

    /// The characteristics' current values as a client would read them, by name and in handle order. Values that the
    /// twin answers later or refuses are left out.
    package func values(at now: Timestamp) -> [(name: String, value: [UInt8])] {
        plan.handles.sorted { $0.value < $1.value }.compactMap { name, handle in
            guard answered.contains(name) else { return host.server.database[handle].map { (name, $0.value) } }
            // Reads from a copy, so that the device itself does not change.
            var copy = twin
            let ticket = TwinTicket(.max)
            let client = TwinClient(clients.map(\.rawValue).min() ?? .max)
            for case .answer(ticket, .value(let value)) in copy.handle(.read(name, client, ticket), at: now) {
                return (name, value)
            }
            return nil
        }
    }

    /// Reason that the device cannot perform a step; nil if it can. Values may still change before a step with a
    /// trigger or a time runs.
    package func refusal(of step: Scenario.Step) -> String? {
        // Runs on a copy, so that the device itself does not change.
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
