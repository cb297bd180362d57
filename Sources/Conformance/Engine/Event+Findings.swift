package import Bluetooth
import Captures
package import Conversation
package import PluginKit

// Reasons for which a finding is inconclusive.
extension Event {
    /// Why a finding about the event with this basis is inconclusive; nil if it is conclusive.
    func doubt(of basis: RuleBasis) -> String? {
        guard connection.number > 0 else { return nil }
        let metadata = frame.metadata
        let isAirPDU = metadata.kind == .data || metadata.kind == .control
        if direction == .unknown, isAirPDU || basis != .pdu { return CaptureGap.Reason.unknownDirection.rawValue }
        if metadata.notes.contains(.undecidedRepetition) { return "the PDU may be a retransmission" }
        if basis == .sender, isAirPDU, let loss = connection.loss, isDirectionInferred {
            return "the sender of the PDU was inferred, and \(loss)"
        }
        guard case .att = content else { return connection.doubt(of: basis) }
        if let doubt = connection.doubt(of: basis, since: request?.frame ?? 0) { return doubt }
        if basis != .exchange || !frame.followsLoss || attribute?.confidence != .remembered { return nil }
        return "the attribute is known from an earlier connection, of which a part may be missing"
    }

    /// Whether the sniffer did not record the sender of the PDU, or recorded one that other traffic contradicts.
    private var isDirectionInferred: Bool {
        frame.view.batch.linkLayer(of: frame.metadata)?.direction != direction
    }
}

extension Connection {
    /// Why a finding with this basis is inconclusive; nil if it is conclusive. `frame` is that of the request which the
    /// PDU answers.
    func doubt(of basis: RuleBasis, since frame: Int = 0) -> String? {
        if !isHandleOpened { return "no event opened the connection handle" }
        switch basis {
        case .pdu, .sender: return nil
        case .response:
            if lastGap > frame { return loss }
            return lastOverlap > 0 && lastOverlap >= frame ? "two requests were outstanding" : nil
        case .exchange: return loss
        case .connection: return incompleteness
        }
    }
}

// Names of attributes in reports.
extension Event {
    /// `Calibration State / CCCD (0x002f)`: an attribute of the event's server; the handle alone if discovery did not
    /// show the type.
    package func name(of handle: Handle) -> String {
        guard case .att = content, let server = frame.server else { return "\(handle)" }
        return server.name(of: handle, plugin: frame.plugin, of: frame.plugins)
    }
}

extension EventFrame {
    /// Index of the plugin that describes the server of the ATT PDU; -1 for none.
    package var plugin: Int { view.batch.matches[tableVersion]?.plugin ?? -1 }
}

extension AttributeTableStore.Version {
    /// The name of the attribute at a handle of a server that a plugin of the run describes (-1 for none).
    package func name(of handle: Handle, plugin: Int, of plugins: PluginSet) -> String {
        guard let attribute = attribute(at: handle)?.0 else { return "\(handle)" }
        var names = AttributeNames()
        func name(_ type: UUID) -> String { plugins.name(of: type, plugin: plugin) ?? names.attribute(type) }
        if let plain = attribute.plainName, let owner = attribute.nameableOwner { return "\(name(owner)) / \(plain)" }
        guard let type = attribute.nameableType else { return "\(handle)" }
        let own = type == .clientCharacteristicConfiguration ? "CCCD" : name(type)
        guard let owner = attribute.nameableOwner else { return "\(own) (\(handle))" }
        return "\(name(owner)) / \(own) (\(handle))"
    }
}
