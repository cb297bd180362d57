import Bytes

extension HCI.LEEventRow {
    static let leConnections: [Self] = [
        HCI.leEvent(0x01, "LE Connection Complete", [.parameters(HCI.LEConnectionComplete.self)]),
        HCI.leEvent(0x03, "LE Connection Update Complete", [.parameters(HCI.LEConnectionUpdateComplete.self)]),
        HCI.leEvent(0x0A, "LE Enhanced Connection Complete [v1]", [.parameters(HCI.LEEnhancedConnectionComplete.self)]),
    ]
    static let leAdvertising: [Self] = []
    static let leIsochronous: [Self] = []
}
extension HCI.EventRow {
    static let connections: [Self] = [
        HCI.event(0x0E, "Command Complete", [.parameters(HCI.CommandComplete.self)])
    ]
    static let remoteDevices: [Self] = []
    static let pairing: [Self] = []
    static let broadcast: [Self] = []
}
extension HCI.CommandRow {
    static let linkControl: [Self] = [
        HCI.command(0x0406, "Disconnect", [.parameters(HCI.Disconnect.self)], .status)
    ]
    static let linkControlReplies: [Self] = []
    static let linkPolicy: [Self] = []
    static let basebandBasics: [Self] = []
    static let basebandSettings: [Self] = []
    static let basebandFeatures: [Self] = []
    static let informational: [Self] = []
    static let status: [Self] = []
    static let testing: [Self] = []
    static let leBasics: [Self] = []
    static let leSecurity: [Self] = []
    static let leExtendedAdvertising: [Self] = []
    static let leScanning: [Self] = []
    static let lePeriodic: [Self] = []
    static let leDirection: [Self] = []
    static let leIsochronous: [Self] = []
    static let lePower: [Self] = []
}
