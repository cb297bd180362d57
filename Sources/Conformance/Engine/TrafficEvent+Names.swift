import BluetoothTypes
import Conversation
import Dissection
import GATT

// Attributes as reports name them.
extension TrafficEvent {
    /// `Calibration State / CCCD (0x002f)`: an attribute of the server that the event is about; the handle alone where
    /// discovery did not tell what it is.
    func name(of handle: Handle) -> String {
        guard case .att(let att) = content,
            let attribute = view.batch.bindings[att.binding]?.attribute(at: handle)?.0,
            let type = attribute.nameableType
        else { return "\(handle)" }
        var names = AttributeNames()
        let plugin = view.batch.matches[att.binding]?.plugin ?? -1
        func name(_ type: UUID) -> String { plugins.name(of: type, plugin: plugin) ?? names.attribute(type) }
        let own = type == .clientCharacteristicConfiguration ? "CCCD" : name(type)
        guard let owner = attribute.owner else { return "\(own) (\(handle))" }
        return "\(name(owner)) / \(own) (\(handle))"
    }
}
