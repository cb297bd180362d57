import Bluetooth
import Bytes
import Captures

/// Tracking of events that the recorder cut, as far as they were captured.
extension Tracker {
    /// Tracks an event that was captured in part.
    mutating func trackCutEvent(_ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata) {
        let packet = bytes[view.range]
        guard packet.count > 3, HCI.EventCode(rawValue: packet[view.start]) == .leMeta else { return }
        let parameters = Array(packet.dropFirst(3))
        switch HCI.LESubevent(rawValue: packet[view.start + 2]) {
        case .advertisingReport: trackCutReport(parameters, &metadata)
        case .extendedAdvertisingReport: trackCutExtendedReport(parameters, &metadata)
        case .connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            trackCutConnection(parameters, view, &metadata)
        default: break
        }
    }

    /// Tracks a report: the advertiser, and the AD structures that were captured whole.
    private mutating func trackCutReport(_ parameters: [UInt8], _ metadata: inout FrameMetadata) {
        var reader = ByteReader(parameters.span)
        reader.isCut = true
        guard (try? HCI.LEAdvertisingReport.readCount(&reader)) == 1,
            let (report, place) = try? HCI.LEAdvertisingReport.readCutOutline(&reader),
            let address = DeviceAddress(report.address, report.addressType)
        else { return }
        metadata.sender = devices.index(of: address)
        sight(metadata.sender, nil, parameters[place])
    }

    private mutating func trackCutExtendedReport(_ parameters: [UInt8], _ metadata: inout FrameMetadata) {
        var reader = ByteReader(parameters.span)
        guard (try? HCI.LEExtendedAdvertisingReport.readCount(&reader)) == 1,
            let report = try? HCI.LEExtendedAdvertisingReport.readCutOutline(&reader),
            let address = DeviceAddress(report.address, report.addressType)
        else { return }
        metadata.sender = devices.index(of: address)
        sight(metadata.sender, nil, parameters[report.data])
    }

    /// Opens the connection of an event that was captured up to the peer's address; its parameters stay unknown.
    private mutating func trackCutConnection(_ parameters: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata) {
        var reader = ByteReader(parameters.span)
        guard let event = try? HCI.readConnectionHead(&reader), event.status == .success,
            let peer = DeviceAddress(event.peer, event.peerType)
        else { return }
        _ = connect(peer, event.handle, ConnectionRole(event.role), view, &metadata)
    }
}
