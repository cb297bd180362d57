import Bluetooth
import Bytes
import Captures
import PluginKit

// All sources of advertising data: PDUs on the air, reports of a controller, commands of a host.
extension TrafficReader {
    mutating func readAdvertising(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        guard wants.advertising, connection.number == 0, !metadata.notes.contains(.badCRC),
            let advertisement = Advertisement(metadata, in: batch)
        else { return }
        advertise(advertisement, metadata, batch, 0, observer)
    }

    /// Reads the reports of an LE event; `parameters` begin with its subevent code.
    func readReports(
        _ subevent: HCI.LESubevent, _ parameters: ArraySlice<UInt8>, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) {
        switch subevent {
        case .advertisingReport:
            guard let reports = try? HCI.LEAdvertisingReport(decoding: Array(parameters.dropFirst())) else { return }
            // Before the first data: the number of reports, and event type, address and length of the first one.
            var offset = parameters.startIndex - metadata.packet.start + 2
            for (index, report) in reports.reports.enumerated() {
                var advertisement = Advertisement(report)
                _ = advertisement.complete(at: offset + Self.reportHead, metadata, batch)
                offset += Self.reportHead + report.data.count + 1
                advertise(advertisement, metadata, batch, index, observer)
            }
        case .extendedAdvertisingReport:
            guard let reports = try? HCI.LEExtendedAdvertisingReport(decoding: Array(parameters.dropFirst())) else {
                return
            }
            let offsets = reports.dataOffsets(from: parameters.startIndex + 1 - metadata.packet.start)
            for (index, report) in reports.reports.enumerated() {
                var advertisement = Advertisement(report)
                guard advertisement.complete(at: offsets[index], metadata, batch) else { continue }
                advertise(advertisement, metadata, batch, index, observer)
            }
        case .periodicAdvertisingReport, .periodicAdvertisingReportV2:
            let event = Array(batch.packets.bytes[(parameters.startIndex - 2)..<parameters.endIndex])
            let offset = parameters.startIndex - 2 - metadata.packet.start
            for place in HCI.advertisingDataPlaces(ofEvent: event) {
                var advertisement = Advertisement(kind: .periodic, address: nil, data: Array(event[place]))
                guard advertisement.complete(at: offset + place.lowerBound, metadata, batch) else { continue }
                advertisement.address = batch.devices[metadata.sender]?.address
                advertise(advertisement, metadata, batch, 0, observer)
            }
        default: return
        }
    }

    /// Bytes of an advertising report before its data (Vol 4, Part E, 7.7.65.2); the signal strength follows them.
    private static let reportHead = 9

    /// Reads the data that a command gives the host's own controller to advertise; `parameters` end with the packet.
    func readOwnData(
        _ opcode: HCI.Opcode, _ parameters: ArraySlice<UInt8>, _ metadata: FrameMetadata,
        _ batch: borrowing TrackedBatch,
        _ observer: some EventConsumer
    ) {
        let command = Array(batch.packets.bytes[(parameters.startIndex - 3)..<parameters.endIndex])
        let offset = parameters.startIndex - 3 - metadata.packet.start
        for place in HCI.advertisingDataPlaces(ofCommand: command) {
            var advertisement = Advertisement(
                kind: .own(isScanResponse: opcode.setsScanResponseData), address: nil, data: Array(command[place]))
            guard advertisement.complete(at: offset + place.lowerBound, metadata, batch) else { continue }
            advertise(advertisement, metadata, batch, 0, observer)
        }
    }

    /// Emits the advertisement with this index in its frame.
    private func advertise(
        _ advertisement: Advertisement, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ index: Int,
        _ observer: some EventConsumer
    ) {
        if let reporters = batch.reassembly.reporters[metadata.packet.number], reporters.indices.contains(index) {
            frame.metadata.sender = reporters[index]
        }
        var advertisement = advertisement
        if let adapter = metadata.hci?.adapter { advertisement.scanningSince = scans.since(adapter: adapter) }
        emit(
            .advertised(advertisement),
            at: FrameReference(frame: metadata.packet.number, time: metadata.packet.time),
            metadata.direction, noConnection, advertisement.data[...], to: observer)
    }
}

extension HCI.Opcode {
    /// Whether the command sets data that the controller advertises, or with which it responds (Vol 4, Part E, 7.8).
    var setsAdvertisingData: Bool {
        switch rawValue {
        case 0x2008, 0x2009, 0x2037, 0x2038, 0x203F, 0x2082, 0x2083: true
        default: false
        }
    }

    /// LE Set Scan Response Data and LE Set Extended Scan Response Data.
    fileprivate var setsScanResponseData: Bool { rawValue == 0x2009 || rawValue == 0x2038 }
}

extension HCI {
    /// Places of the advertising data in a command, counted from its opcode.
    fileprivate static func advertisingDataPlaces(ofCommand bytes: [UInt8]) -> [Range<Int>] {
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes.span, recorder: recorder)
        _ = try? readCommand(&reader, hooks: placeHooks)
        return places(recorder)
    }

    /// Places of the advertising data in an event, counted from its event code.
    fileprivate static func advertisingDataPlaces(ofEvent bytes: [UInt8]) -> [Range<Int>] {
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes.span, recorder: recorder)
        _ = try? readEvent(&reader, hooks: placeHooks)
        return places(recorder)
    }

    private static let placeHooks: Hooks = {
        var hooks = Hooks { data throws(DecodeError) in
            let start = data.offset
            data.skipRest(GAP.Fields.advertisingData)
            if data.offset == start { data.recorder?.addGenerated(GAP.Fields.advertisingData, value: UInt64(start)) }
        }
        hooks.readsEmptyData = true
        return hooks
    }()

    private static func places(_ recorder: FieldRecorder) -> [Range<Int>] {
        recorder.fields.filter { $0.field == GAP.Fields.advertisingData }.map { recorded in
            let start = recorded.isGenerated ? Int(recorded.value) : Int(recorded.offset)
            return start..<(start + (recorded.isGenerated ? 0 : Int(recorded.length)))
        }
    }
}
