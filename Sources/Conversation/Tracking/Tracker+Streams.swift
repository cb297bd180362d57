import Bluetooth
import Bytes
import Captures

/// Tracking of streams on the air outside connections.
extension Tracker {
    /// Classifies a packet on the air: no other code decides this. An announced access address is known; the classifier
    /// decides about the others.
    @inline(__always)
    mutating func traffic(
        of packet: LinkLayerPacket, in frame: Span<UInt8>, _ metadata: borrowing FrameMetadata
    ) -> AirTraffic {
        let address = packet.header.accessAddress
        if address == .advertising { return .advertising }
        if let last = lastAccessAddress, last.address == address.rawValue { return .connection(last.connection) }
        return unusualTraffic(of: packet, in: frame, metadata)
    }

    private mutating func unusualTraffic(
        of packet: LinkLayerPacket, in frame: Span<UInt8>, _ metadata: borrowing FrameMetadata
    ) -> AirTraffic {
        let address = packet.header.accessAddress
        if let connection = connectionsByAccessAddress[address.rawValue] {
            lastAccessAddress = (address.rawValue, connection)
            return .connection(connection)
        }
        if let stream = streamTable.index(of: address) { return .stream(stream) }
        let traffic = classifier.traffic(
            of: packet, in: frame, at: metadata.packet.time, isCut: metadata.packet.isCut)
        if case .beginsStream(let kind) = traffic {
            return .stream(streamTable.add(AirStream(kind, .accessAddress(address.rawValue))))
        }
        return traffic
    }

    /// Initial CRC value of a packet; nil where it is not known.
    func crcInit(of traffic: AirTraffic) -> UInt32? {
        switch traffic {
        case .advertising: LL.advertisingCRCInit
        case .connection(let connection): openConnections[connection].crcInit
        case .stream(let stream): streamTable.open[stream].crcInit
        case .beginsConnection, .beginsStream, .damaged, .unproven: nil
        }
    }

    /// Tracks a packet of a stream; for a damaged packet, only its position in the stream is recorded.
    mutating func trackStream(
        _ index: Int, _ bytes: [UInt8], _ packet: LinkLayerPacket, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let isDamaged = metadata.notes.contains(.badCRC)
        let pdu = streamTable.observe(
            index, at: metadata.packet.time, auxiliary: packet.capture.auxiliary, isDamaged: isDamaged)
        metadata.streamPDU = reassembly.append(pdu)
        let stream = streamTable.open[index].stream
        switch pdu.kind {
        case .train, .responses:
            metadata.direction = .unknown
            metadata.sender = stream.sender
            if isDamaged { return }
            metadata.kind = .periodic
            guard !metadata.packet.isCut else { return }
            let header = LL.AdvertisingHeader(bits: packet.header.header)
            trackExtended(bytes, packet, header, pdu.context, stream: index, &metadata, &reassembly)
        case .cis, .bis, .bigControl, .isochronous:
            let isReversed = metadata.direction == .received
            (metadata.sender, metadata.receiver) =
                isReversed ? (stream.receiver, stream.sender) : (stream.sender, stream.receiver)
            if isDamaged { return }
            metadata.kind = .isochronous
            if pdu.isEncrypted, packet.header.length > 0, !packet.capture.isDecrypted {
                decryptStream(index, pdu, bytes, packet, &metadata, &reassembly)
                if metadata.direction == .received {
                    (metadata.sender, metadata.receiver) = (stream.receiver, stream.sender)
                }
            }
        }
    }

    // MARK: - Announcements

    /// Tracks the announcements of extended advertising: a periodic advertising train, its responses, an isochronous
    /// group. `stream` is the train of the PDU.
    mutating func followAnnouncements(_ pdu: LL.ExtendedAdvertising, stream: Int?, _ metadata: FrameMetadata) {
        let time = metadata.packet.time
        var train = stream
        if let info = pdu.syncInfo {
            let offset = TimeSpan(microseconds: Int64(info.offset))
            train = announce(
                info, from: metadata.sender, at: offset == .zero ? nil : time + offset, crcInit: info.crcInit)
        }
        if let stream, let pointer = pdu.auxPointer {
            streamTable.update(stream) { $0.chainTime = time + TimeSpan(microseconds: Int64(pointer.offset)) }
        }
        guard let train, !pdu.controllerData.isEmpty else { return }
        let data = pdu.controllerData
        var cursor = GAP.StructureCursor(data.span.rawBytes)
        while let (type, place) = cursor.next() {
            switch type {
            case .bigInfo:
                guard let info = try? GAP.BIGInfo(decoding: Array(data[place])) else { continue }
                announce(info, from: streamTable.open[train].stream.sender, at: time)
            case .periodicResponseTiming:
                guard let timing = try? GAP.PeriodicResponseTiming(decoding: Array(data[place])) else { continue }
                announceResponses(
                    to: train, timing.accessAddress, subevents: timing.subeventCount, every: timing.subeventInterval,
                    delay: timing.responseSlotDelay, spacing: timing.responseSlotSpacing)
            default: continue
            }
        }
    }

    /// Opens a train, or updates one that is announced again: its next event is at `anchor`.
    private mutating func announce(
        _ info: LL.SyncInfo, from sender: Int32, at anchor: Timestamp?, crcInit: UInt32
    ) -> Int? {
        guard let train = announce(.train, info.accessAddress) else { return nil }
        streamTable.update(train) { train in
            if sender >= 0 { train.stream.sender = sender }
            train.stream.interval = .intervalUnit * Int64(info.interval)
            train.timing.interval = train.stream.interval
            train.crcInit = crcInit
            if let anchor, !train.timing.isNumbered || !train.timing.wasDue {
                train.timing.set(anchor: anchor, event: Int64(info.eventCounter))
            }
        }
        return train
    }

    /// Records the subevents of a train, and the response slots after each of them. Intervals and the delay are in
    /// units of 1.25 ms, the spacing in units of 0.125 ms.
    private mutating func announceResponses(
        to train: Int, _ address: UInt32, subevents count: UInt8, every interval: UInt8, delay: UInt8, spacing: UInt8
    ) {
        guard case .accessAddress(let trainAddress) = streamTable.open[train].stream.key,
            let responses = announce(.responses, LL.AccessAddress(rawValue: address))
        else { return }
        streamTable.update(train) { train in
            train.timing.subevents.count = max(count, 1)
            train.timing.subevents.interval = .intervalUnit * Int64(interval)
            train.timing.subevents.slotDelay = .intervalUnit * Int64(delay)
            train.timing.subevents.slotSpacing = TimeSpan(microseconds: 125) * Int64(spacing)
        }
        let known = streamTable.open[train]
        streamTable.update(responses) { responses in
            responses.train = trainAddress
            responses.crcInit = known.crcInit
            responses.stream.receiver = known.stream.sender
            responses.stream.interval = known.stream.interval
        }
    }

    /// Opens the streams of an isochronous group and its control channel, whose number is 0 (Vol 6, Part B, 2.1.2 and
    /// 3.1.1). `time` is that of the PDU with the BIGInfo.
    private mutating func announce(_ info: GAP.BIGInfo, from sender: Int32, at time: Timestamp) {
        let anchor = time + info.offset
        for number in 0...info.streamCount {
            let kind = number == 0 ? AirStream.Kind.bigControl : .bis
            let address = LL.AccessAddress(seed: info.seedAccessAddress, stream: number)
            guard let stream = announce(kind, address) else { continue }
            streamTable.update(stream) { stream in
                stream.stream.sender = sender
                stream.stream.index = number
                stream.stream.interval = info.isoInterval
                stream.stream.isEncrypted = info.encryption != nil
                stream.crcInit = UInt32(info.baseCRCInit) << 8 | UInt32(number)
                stream.timing.interval = info.isoInterval
                let group = StreamDecryption.Group(info.encryption)
                if stream.decryption?.group != group {
                    stream.decryption = group.map { StreamDecryption(of: $0, accessAddress: address.rawValue) }
                }
                stream.payloads = StreamTable.PayloadSchedule(
                    anchor: anchor, first: info.payloadCounter, interval: info.isoInterval, burst: info.burstNumber)
                guard number > 0 else { return }
                stream.timing.subevents.count = info.subeventCount
                stream.timing.subevents.interval = info.subInterval
                stream.timing.subevents.offset = info.streamSpacing * Int64(number - 1)
                stream.timing.subevents.burst = info.burstNumber
                stream.timing.subevents.repetitions = info.repetitionCount
                stream.timing.subevents.preTransmission = info.preTransmissionOffset
                if info.burstNumber > 0 {
                    stream.timing.set(anchor: anchor, event: info.payloadCounter / info.burstNumber)
                }
            }
        }
    }

    /// Opens a stream with an access address, unless a connection that was captured from its beginning has that
    /// address.
    private mutating func announce(_ kind: AirStream.Kind, _ address: LL.AccessAddress) -> Int? {
        if let connection = connectionsByAccessAddress[address.rawValue] {
            if openConnections[connection].record.isBeginningKnown { return nil }
            close(connection, at: openConnections[connection].record.end, reason: nil)
        }
        return streamTable.add(AirStream(kind, .accessAddress(address.rawValue)))
    }

    /// Tracks the control PDUs of a connection that announce or end streams.
    mutating func followStreamControl(
        _ opcode: LL.ControlOpcode, _ payload: ArraySlice<UInt8>, _ connection: OpenConnection.Index,
        at time: Timestamp
    ) {
        let parameters = Array(payload.dropFirst())
        let number = summaries[connection, .unknown].connection
        switch opcode {
        case .cisReq: openConnections[connection].cisRequest = try? LL.CISReq(decoding: parameters)
        case .cisInd:
            guard let start = try? LL.CISInd(decoding: parameters), let cis = announce(.cis, start.accessAddress)
            else { return }
            let (request, owner) = (openConnections[connection].cisRequest, openConnections[connection])
            let central = device(of: connection, sendingIn: .sent)
            let peripheral = device(of: connection, sendingIn: .received)
            let reason = openConnections[connection].decryption.reason(keys)
            streamTable.update(cis) { cis in
                (cis.stream.sender, cis.stream.receiver) = (central, peripheral)
                cis.stream.connection = number
                cis.stream.isEncrypted = owner.record.isEncrypted
                // A CIS has the initial CRC value of its connection (Vol 6, Part B, 3.1.1).
                cis.crcInit = owner.crcInit
                // Encryption does not change while there is a CIS (Vol 6, Part B, 5.1.3).
                cis.decryption = StreamDecryption(
                    of: owner.decryption.session, otherwise: reason, accessAddress: start.accessAddress.rawValue)
                guard let request else { return }
                (cis.stream.group, cis.stream.index) = (request.cigID, request.cisID)
                cis.stream.interval = .intervalUnit * Int64(request.isoInterval)
                cis.timing.interval = cis.stream.interval
                // Both sides rarely send different numbers of payloads in an event; the search bridges the difference.
                cis.payloads = StreamTable.PayloadSchedule(
                    anchor: time, first: 0, interval: cis.stream.interval,
                    burst: Int64(max(request.burstNumbers & 0x0F, request.burstNumbers >> 4)))
            }
        case .cisTerminateInd:
            guard let end = try? LL.CISTerminateInd(decoding: parameters) else { return }
            streamTable.close { $0.connection == number && $0.group == end.cigID && $0.index == end.cisID }
        case .periodicSyncInd:
            guard let transfer = try? LL.PeriodicSyncInd(decoding: parameters) else { return }
            _ = announce(transfer.sync)
        case .periodicSyncWRInd:
            guard let transfer = try? LL.PeriodicSyncWRInd(decoding: parameters), let train = announce(transfer.sync)
            else { return }
            announceResponses(
                to: train, transfer.responseAccessAddress.rawValue, subevents: transfer.subeventCount,
                every: transfer.subeventInterval, delay: transfer.responseSlotDelay,
                spacing: transfer.responseSlotSpacing)
        default: return
        }
    }

    /// Opens a train that one side transfers to the other. Its timing refers to connection events, whose times are not
    /// known here.
    private mutating func announce(_ sync: LL.PeriodicSync) -> Int? {
        let advertiser = DeviceAddress(sync.advertiser, sync.setBits & 0x10 == 0 ? .public : .random)
        return announce(
            sync.syncInfo, from: devices.index(of: advertiser), at: nil, crcInit: sync.syncInfo.crcInit)
    }
}

extension GAP.BIGInfo {
    /// Time from the PDU that contains it to an event of the group.
    fileprivate var offset: TimeSpan {
        TimeSpan(microseconds: offsetBits & 0x4000 == 0 ? 30 : 300) * Int64(offsetBits & 0x3FFF)
    }
    fileprivate var isoInterval: TimeSpan { .intervalUnit * Int64(offsetBits >> 15 & 0x0FFF) }
    fileprivate var streamCount: UInt8 { UInt8(offsetBits >> 27) }
    fileprivate var subeventCount: UInt8 { UInt8(subeventBits & 0x1F) }
    fileprivate var burstNumber: Int64 { Int64(subeventBits >> 5 & 7) }
    fileprivate var subInterval: TimeSpan { TimeSpan(microseconds: Int64(subeventBits >> 8 & 0x0F_FFFF)) }
    fileprivate var preTransmissionOffset: Int64 { Int64(subeventBits >> 28) }
    fileprivate var streamSpacing: TimeSpan { TimeSpan(microseconds: Int64(spacingBits & 0x0F_FFFF)) }
    fileprivate var repetitionCount: Int64 { Int64(spacingBits >> 20 & 0x0F) }
    /// Number of the first payload of the event at the offset.
    fileprivate var payloadCounter: Int64 { Int64(counterBits & 0x7F_FFFF_FFFF) }
}
