import Bluetooth
import Bytes
import Captures

/// Isochronous streams and periodic advertising in a host's capture.
extension Tracker {
    /// Tracks an isochronous data packet (Vol 4, Part E, 5.4.5).
    mutating func trackISO(
        _ bytes: [UInt8], _ view: HCIView, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        var reader = ByteReader(bytes.span.extracting(view.range))
        guard let header = try? HCI.ISOHeader(reading: &reader) else { return }
        let key = ConnectionRecord.Key.handle(adapter: view.adapter, header.handle)
        let stream = streamTable.index(of: key) ?? streamTable.add(AirStream(.isochronous, key))
        var load: HCI.ISODataLoad?
        if header.boundary.beginsSDU {
            load = try? HCI.ISODataLoad(reading: &reader, hasTimeStamp: header.hasTimeStamp)
        }
        let isLost = load?.packetStatus == 2 && metadata.direction != .sent
        if isLost { metadata.notes.insert(.lostSDU) }
        let pdu = streamTable.observe(
            stream, load?.sequenceNumber, isSent: metadata.direction == .sent, isLost: isLost, at: metadata.packet.time)
        metadata.streamPDU = reassembly.append(pdu)
        let ends = streamTable.open[stream].stream
        (metadata.sender, metadata.receiver) =
            metadata.direction == .received ? (ends.receiver, ends.sender) : (ends.sender, ends.receiver)
    }

    /// Tracks the events that begin and end streams; `parameters` come after the subevent code.
    mutating func trackStreamEvent(
        _ subevent: HCI.LESubevent, _ parameters: ArraySlice<UInt8>, _ view: HCIView
    ) {
        let bytes = Array(parameters)
        func u16(_ place: Int) -> UInt16 {
            place + 1 < bytes.count ? UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 : 0
        }
        switch subevent {
        case .periodicSyncEstablished, .periodicSyncEstablishedV2: trackSync(parameters, isTransfer: false, view)
        case .periodicTransferReceived, .periodicTransferReceivedV2: trackSync(parameters, isTransfer: true, view)
        case .cisEstablished where bytes.count >= 28 && bytes[0] == 0:
            let stream = add(.cis, u16(1), view)
            streamTable.update(stream) { $0.stream.interval = .intervalUnit * Int64(u16(26)) }
        case .cisRequest where bytes.count >= 6:
            let stream = add(.cis, u16(2), view)
            name(stream, group: bytes[4], index: bytes[5])
            attach(stream, to: ConnectionHandle(u16(0)), view)
        case .createBIGComplete where bytes.count >= 18 && bytes[0] == 0: addGroup(bytes, count: 17, u16, view)
        case .bigSyncEstablished where bytes.count >= 14 && bytes[0] == 0: addGroup(bytes, count: 13, u16, view)
        case .terminateBIGComplete where bytes.count >= 1, .bigSyncLost where bytes.count >= 1:
            streamTable.close { stream in
                guard case .handle(view.adapter, _) = stream.key else { return false }
                return stream.kind == .bis && stream.group == bytes[0]
            }
        default: return
        }
    }

    /// Opens the streams of a group: their count is at index `count`, and the interval before it.
    private mutating func addGroup(_ bytes: [UInt8], count: Int, _ u16: (Int) -> UInt16, _ view: HCIView) {
        for number in 0..<Int(bytes[count]) where count + 2 + 2 * number < bytes.count {
            let stream = add(.bis, u16(count + 1 + 2 * number), view)
            name(stream, group: bytes[1], index: UInt8(truncatingIfNeeded: number + 1))
            streamTable.update(stream) { $0.stream.interval = .intervalUnit * Int64(u16(count - 2)) }
        }
    }

    private mutating func add(_ kind: AirStream.Kind, _ handle: UInt16, _ view: HCIView) -> Int {
        let stream = streamTable.add(AirStream(kind, .handle(adapter: view.adapter, ConnectionHandle(handle & 0x0FFF))))
        let adapter = devices.index(ofAdapter: view.adapter)
        streamTable.update(stream) { $0.stream.sender = adapter }
        return stream
    }

    private mutating func name(_ stream: Int, group: UInt8, index: UInt8) {
        streamTable.update(stream) { ($0.stream.group, $0.stream.index) = (group, index) }
    }

    /// Records the connection that a CIS belongs to.
    private mutating func attach(_ stream: Int, to handle: ConnectionHandle, _ view: HCIView) {
        guard let connection = connection(adapter: view.adapter, handle: handle) else { return }
        let number = summaries[connection, .unknown].connection
        let receiver = openConnections[connection].record.receiver
        streamTable.update(stream) { ($0.stream.connection, $0.stream.receiver) = (number, receiver) }
    }

    /// Tracks LE Create CIS, which names the connections of streams (Vol 4, Part E, 7.8.99).
    mutating func trackCreateCIS(_ parameters: ArraySlice<UInt8>, _ view: HCIView) {
        let bytes = Array(parameters)
        guard let count = bytes.first else { return }
        for number in 0..<Int(count) where 5 + 4 * number <= bytes.count {
            let place = 1 + 4 * number
            let stream = add(.cis, UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8, view)
            attach(stream, to: ConnectionHandle(UInt16(bytes[place + 2]) | UInt16(bytes[place + 3]) << 8), view)
        }
    }

    /// Closes the streams of an adapter after a reset.
    mutating func closeStreams(adapter: UInt16) {
        if streamTable.isEmpty { return }
        streamTable.close { stream in
            if case .handle(adapter, _) = stream.key { return true }
            return false
        }
        syncedTrains = syncedTrains.filter { UInt16($0.key >> 16) != adapter }
    }

    /// Records the advertiser of the train with a sync handle (Vol 4, Part E, 7.7.65.14 and 7.7.65.24); `parameters`
    /// begin with the status.
    private mutating func trackSync(_ parameters: ArraySlice<UInt8>, isTransfer: Bool, _ view: HCIView) {
        let bytes = Array(parameters)
        let start = isTransfer ? 5 : 1
        guard bytes.count >= start + 10, bytes[0] == 0, syncedTrains.count < Self.syncLimit,
            let advertiser = DeviceAddress(
                Address(value: bytes[(start + 4)..<(start + 10)].reversed().reduce(0) { $0 << 8 | UInt64($1) }),
                HCI.AddressType(rawValue: bytes[start + 3]))
        else { return }
        let handle = UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8
        syncedTrains[UInt32(view.adapter) << 16 | handle & 0x0FFF] = devices.index(of: advertiser)
    }
}

extension HCI.LESubevent {
    fileprivate static let periodicSyncEstablished = Self(rawValue: 0x0E)
    fileprivate static let periodicSyncEstablishedV2 = Self(rawValue: 0x24)
    fileprivate static let periodicTransferReceived = Self(rawValue: 0x18)
    fileprivate static let periodicTransferReceivedV2 = Self(rawValue: 0x26)
    fileprivate static let terminateBIGComplete = Self(rawValue: 0x1C)
    fileprivate static let bigSyncLost = Self(rawValue: 0x1E)
}
