import Bluetooth
public import Profile

/// The Client Characteristic Configurations that a client has written at a device's server on one connection (Vol 3,
/// Part G, 3.3.3.3).
package final class Subscriptions {
    fileprivate struct State {
        /// Whether notifications may come: from the request that enables them until the response that disables them.
        var isOn = false
        /// Whether the device has refused to enable notifications, so that the client is not at fault.
        var isRefused = false
        /// Whether the configuration in force enables notifications or indications; nil before the first response.
        var isInForce: Bool?
    }

    fileprivate private(set) var states: [CharacteristicIndex: State] = [:]

    package init() {}

    /// Records a write of a configuration, or its response.
    package func apply(_ content: Event.Content) {
        switch content {
        case .configuration(let access) where access.operation == .write && access.notifies == true:
            var state = states[access.characteristic] ?? State()
            if access.isEffectiveWrite { state.isOn = true }
            state.isRefused = !state.isOn
            states[access.characteristic] = state
        case .subscription(let subscription):
            states[subscription.characteristic] = State(
                isOn: subscription.notifies, isInForce: subscription.notifies || subscription.indicates)
        default: break
        }
    }
}

// Subscriptions before the event.
extension Event {
    /// Whether notifications of a characteristic may come: from the client's request to enable them until the response
    /// to the one that disables them. Nil if the capture does not show it, or if the device has refused the request.
    public func isSubscribed(to characteristic: CharacteristicIndex) -> Bool? {
        guard let state = subscriptions?.states[characteristic] else { return connection.isComplete ? false : nil }
        if state.isOn { return true }
        return state.isRefused || !connection.isGapless ? nil : false
    }

    /// Whether the device has refused the client's last request to enable notifications of a characteristic.
    public func hasRefusedSubscription(to characteristic: CharacteristicIndex) -> Bool {
        subscriptions?.states[characteristic]?.isRefused == true && connection.isComplete
    }

    /// Whether the configuration in force enables notifications or indications of a characteristic. Nil if the capture
    /// does not show it.
    public func isConfigured(_ characteristic: CharacteristicIndex) -> Bool? {
        subscriptions?.states[characteristic]?.isInForce ?? (connection.isComplete ? false : nil)
    }
}
