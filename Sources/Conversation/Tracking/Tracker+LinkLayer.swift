package import Bluetooth
import Bytes
package import Captures
import PluginKit

extension Encapsulation {
    /// The link layer capture format; nil for an HCI encapsulation.
    package var linkLayerFormat: LL.CaptureFormat? {
        switch self {
        case .linkLayer: .bare
        case .linkLayerWithHeader: .radio
        case .nordic: .nordic
        case .ppi: .ppi
        default: nil
        }
    }
}

/// A link layer packet up to its PDU, the common start of tracking and dissection.
package struct LinkLayerPacket {
    package var capture: LL.CaptureHeader
    package var header: LL.PacketHeader

    init(reading reader: inout ByteReader, _ format: LL.CaptureFormat) throws(DecodeError) {
        capture = try LL.CaptureHeader(format, reading: &reader)
        header = try LL.PacketHeader(reading: &reader, hasCodingIndicator: capture.hasCodingIndicator)
    }

    /// The context of an advertising PDU, as far as the recorder states it.
    package var advertisingContext: LL.AdvertisingContext {
        capture.advertisingContext(of: LL.AdvertisingHeader(bits: header.header).type)
    }

    /// Sent for packets of the central, received for those of the peripheral.
    package var direction: Direction {
        switch capture.direction {
        case .unknown: .unknown
        case .centralToPeripheral: .sent
        case .peripheralToCentral: .received
        }
    }
}

extension Tracker {
    mutating func trackLinkLayer(
        _ bytes: [UInt8], _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard let format = metadata.packet.encapsulation.linkLayerFormat else { return }
        var reader = ByteReader(bytes.span.extracting(metadata.packet.range))
        guard let packet = try? LinkLayerPacket(reading: &reader, format) else { return }
        metadata.direction = packet.direction
        let frame = bytes.span.extracting(metadata.packet.range)
        let traffic = traffic(of: packet, in: frame, metadata)
        switch Self.check(packet, frame, initial: packet.capture.crc == .unknown ? crcInit(of: traffic) : nil) {
        case .valid: break
        case .unwritten: metadata.notes.insert(.noCRC)
        case .invalid:
            metadata.notes.insert(.badCRC)
            metadata.kind = .damaged
        }
        switch traffic {
        case .advertising:
            if metadata.kind == .damaged { return }
            trackAdvertising(bytes, packet, &metadata, &reassembly)
        case .connection(let connection):
            guard metadata.kind == .damaged else {
                trackData(bytes, packet, connection, &metadata, &reassembly)
                return noteEncryption(of: connection, metadata, &reassembly)
            }
            openConnections[connection].lastLoss = metadata.packet.number
            if openConnections[connection].encryption.isCiphertext { decryption.countBadCRC() }
            _ = openConnections[connection].events.observe(.unknown, at: metadata.packet.time)
            join(&metadata, connection)
            noteEnds(of: connection, metadata, &reassembly)
        case .stream(let stream): trackStream(stream, bytes, packet, &metadata, &reassembly)
        case .beginsConnection:
            let connection = open(
                .accessAddress(packet.header.accessAddress.rawValue), sender: -1, receiver: -1, with: &metadata,
                isBeginning: false)
            trackData(bytes, packet, connection, &metadata, &reassembly)
            noteEncryption(of: connection, metadata, &reassembly)
        case .damaged:
            metadata.kind = .damaged
            if !metadata.notes.contains(.badCRC) { metadata.notes.insert(.damagedAddress) }
        case .beginsStream, .unproven: metadata.kind = .unassigned
        }
    }

    private enum CRCState {
        /// Valid, or not known to be wrong.
        case valid
        case invalid
        /// The field is zero and no CRC was checked: the recorder left it out.
        case unwritten
    }

    /// The state of the CRC: as the sniffer reports it, else as computed if the initial value is known.
    private static func check(_ packet: LinkLayerPacket, _ frame: Span<UInt8>, initial: UInt32?) -> CRCState {
        switch packet.capture.crc {
        case .invalid: return .invalid
        case .valid: return .valid
        case .unknown:
            if packet.header.crc == 0 { return .unwritten }
            guard let initial else { return .valid }
            return packet.header.check(in: frame.rawBytes, initial: initial) == .invalid ? .invalid : .valid
        }
    }

    // MARK: - Advertising

    private mutating func trackAdvertising(
        _ bytes: [UInt8], _ packet: LinkLayerPacket, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let header = LL.AdvertisingHeader(bits: packet.header.header)
        let context = packet.capture.advertisingContext(of: header.type)
        metadata.kind = context == .primary ? .advertising : .auxiliary
        let payload = packet.header.payload
        let start = metadata.packet.start + payload.lowerBound
        metadata.direction = .unknown
        if metadata.packet.isCut {
            return trackAddresses(bytes, start..<(start + payload.count), header, packet.capture, &metadata)
        }
        guard payload.count >= 6 || header.type == .advExtInd else { return }
        switch header.type {
        case .connectInd: trackConnectInd(Array(bytes[start..<(start + payload.count)]), header, &metadata, &reassembly)
        case .scanReq where payload.count >= 12:
            metadata.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            metadata.receiver = devices.index(of: Self.address(bytes, start + 6, header.rxAdd))
        case .advExtInd: trackExtended(bytes, packet, header, context, stream: nil, &metadata, &reassembly)
        case .advDirectInd where payload.count >= 12:
            metadata.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            metadata.receiver = devices.index(of: Self.address(bytes, start + 6, header.rxAdd))
            sight(metadata.sender, packet.capture.signal, [])
        case .advInd, .advNonconnInd, .advScanInd, .scanRsp:
            metadata.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            let data = openAdvertising(
                bytes[(start + 6)..<(start + payload.count)], at: payload.lowerBound + 6, from: metadata.sender,
                &metadata, &reassembly)
            sight(metadata.sender, packet.capture.signal, data)
        default: break
        }
    }

    /// Tracks the sender and the receiver of an advertising PDU that the recorder cut, as far as `payload` contains
    /// them; the parameters of a connection that a CONNECT_IND begins stay unknown.
    private mutating func trackAddresses(
        _ bytes: [UInt8], _ payload: Range<Int>, _ header: LL.AdvertisingHeader, _ capture: LL.CaptureHeader,
        _ metadata: inout FrameMetadata
    ) {
        var payload = payload
        if header.type == .advExtInd || header.type == .auxConnectRsp {
            // AdvA follows the header's length and flags, which indicate whether it is present.
            guard payload.count >= 2, bytes[payload.lowerBound] & 0x3F > 0, bytes[payload.lowerBound + 1] & 1 != 0,
                capture.advertisingContext(of: header.type) != .chain
            else { return }
            payload = payload.dropFirst(2)
        }
        guard payload.count >= 6 else { return }
        metadata.sender = devices.index(of: Self.address(bytes, payload.lowerBound, header.txAdd))
        switch header.type {
        case .scanReq, .connectInd, .advDirectInd:
            guard payload.count >= 12 else { return }
            metadata.receiver = devices.index(of: Self.address(bytes, payload.lowerBound + 6, header.rxAdd))
        default: break
        }
        switch header.type {
        case .connectInd where payload.count >= 16:
            let address: UInt32 = bytes.span.rawBytes.littleEndian(at: payload.lowerBound + 12)
            _ = connect(metadata.sender, to: metadata.receiver, LL.AccessAddress(rawValue: address), &metadata)
        case .scanReq, .connectInd: break
        case .advInd, .advNonconnInd, .advScanInd, .scanRsp:
            sight(metadata.sender, capture.signal, bytes[payload.dropFirst(6)])
        default: sight(metadata.sender, capture.signal, [])
        }
    }

    private mutating func trackConnectInd(
        _ payload: [UInt8], _ header: LL.AdvertisingHeader, _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        guard let request = try? LL.ConnectInd(decoding: payload) else { return }
        let central = devices.index(of: DeviceAddress(request.initiator, header.txAdd))
        let peripheral = devices.index(of: DeviceAddress(request.advertiser, header.rxAdd))
        let connection = connect(central, to: peripheral, request.accessAddress, &metadata)
        openConnections[connection].crcInit = request.crcInit
        openConnections[connection].usedAddresses = (
            DeviceAddress(request.initiator, header.txAdd), DeviceAddress(request.advertiser, header.rxAdd)
        )
        openConnections[connection].sequence.begin(interval: request.interval, latency: request.latency)
        openConnections[connection].events.begin(interval: request.interval, at: metadata.packet.time)
        let timing = ConnectionParameters(
            interval: request.interval, latency: request.latency, timeout: request.timeout)
        apply(.timing(timing), to: connection, metadata, &reassembly)
    }

    /// Opens the connection that a CONNECT_IND begins.
    private mutating func connect(
        _ central: Int32, to peripheral: Int32, _ address: LL.AccessAddress, _ metadata: inout FrameMetadata
    ) -> OpenConnection.Index {
        let connection = open(
            .accessAddress(address.rawValue), sender: central, receiver: peripheral, with: &metadata, isBeginning: true)
        metadata.direction = .sent
        join(&metadata, connection)
        return connection
    }

    /// Tracks a PDU of extended or periodic advertising; `stream` is its train.
    mutating func trackExtended(
        _ bytes: [UInt8], _ packet: LinkLayerPacket, _ header: LL.AdvertisingHeader, _ context: LL.AdvertisingContext,
        stream: Int?, _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        let range = packet.header.pdu
        let pdu = bytes[(metadata.packet.start + range.lowerBound)..<(metadata.packet.start + range.upperBound)]
        var reader = ByteReader(pdu.span)
        let read = (try? LL.readAdvertising(&reader, in: context)) ?? nil
        if read is LL.ConnectInd {
            return trackConnectInd(Array(pdu.dropFirst(2)), header, &metadata, &reassembly)
        }
        guard let extended = read as? LL.ExtendedAdvertising else { return }
        // Identifies the next PDU of the advertisement, by its channel and its ADI, which is the same (Vol 6, Part B,
        // 2.3.4.9).
        func place(_ channel: LL.Channel?) -> AdvertisingDataAssembler.Source {
            .chain(adapter: metadata.packet.adapter, extended.dataInfo, channel)
        }
        if let advertiser = extended.advertiser, context != .chain {
            metadata.sender = devices.index(of: DeviceAddress(advertiser, header.txAdd))
        } else if context == .auxiliary, let sender = pointedSenders.removeValue(forKey: place(packet.capture.channel))
        {
            metadata.sender = sender
        }
        followAnnouncements(extended, stream: stream, metadata)
        var data = extended.data[...]
        if context == .primary {
            if let pointer = extended.auxPointer, metadata.sender >= 0 {
                if pointedSenders.count >= Self.pointerLimit { pointedSenders.removeAll() }
                pointedSenders[place(pointer.channel)] = metadata.sender
            }
        } else {
            data = noteAdvertisingData(
                data, extended.auxPointer == nil ? .complete : .moreToCome, of: place(packet.capture.channel),
                from: metadata.sender, begins: context != .chain, next: extended.auxPointer.map { place($0.channel) },
                at: packet.header.payload.upperBound - data.count, &metadata, &reassembly)
        }
        sight(metadata.sender, packet.capture.signal, data)
    }

    private static func address(_ bytes: [UInt8], _ start: Int, _ kind: DeviceAddress.Kind) -> DeviceAddress {
        let value = bytes[start..<(start + 6)].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return DeviceAddress(Address(value: value), kind)
    }

    /// Records an advertisement of a device, and its name if the advertising data contains one.
    mutating func sight(_ device: Int32, _ rssi: Int8?, _ data: ArraySlice<UInt8>) {
        guard device >= 0 else { return }
        devices.update(device) { device in
            device.sight(rssi: rssi ?? 127)
            device.observeName(inAdvertisingData: data)
        }
        if !evidence.isEmpty { lookForSigns(of: device, data) }
    }

    /// Searches advertising data for signs of plugins, unless the device has just advertised the same data.
    private mutating func lookForSigns(of device: Int32, _ data: ArraySlice<UInt8>) {
        let data = data.span.rawBytes
        let hash = UInt32(truncatingIfNeeded: data.hash)
        let known = devices.devices[Int(device)].advertisingHashes
        guard hash != known.0, hash != known.1 else { return }
        devices.update(device) { $0.advertisingHashes = (hash, known.0) }
        devices.note(evidence.signs(inAdvertisingData: data), of: device)
    }

    // MARK: - Connections

    private mutating func trackData(
        _ bytes: [UInt8], _ packet: LinkLayerPacket, _ connection: OpenConnection.Index,
        _ metadata: inout FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let header = LL.DataHeader(bits: packet.header.header)
        metadata.direction = openConnections[connection].directions.direction(
            of: header, at: metadata.packet.time, phy: packet.capture.phy, recorded: metadata.direction)
        let start = metadata.packet.start
        let range = packet.header.payload.dropFirst(header.hasCTEInfo ? 1 : 0)
        let payload = (start + range.lowerBound)..<(start + range.upperBound)
        var outcome = LinkDecryption.Outcome.closed
        if openConnections[connection].decryption.isActive, !packet.capture.isDecrypted {
            outcome = open(bytes, payload, header, &metadata, connection)
        }
        join(&metadata, connection)
        noteEnds(of: connection, metadata, &reassembly)
        if openConnections[connection].events.observe(metadata.direction, at: metadata.packet.time) {
            metadata.notes.insert(.missed)
            openConnections[connection].lastLoss = metadata.packet.number
            openConnections[connection].encryption.noteMissedPDU()
        }
        openConnections[connection].sequence.interval = openConnections[connection].events.shortestInterval
        var isRepeated = followSequence(header, bytes[payload], &metadata, connection)
        if case .opened(let opening) = outcome {
            // The packet counter shows it whatever the sequence numbers say.
            isRepeated = opening.isRepetition
            metadata.notes.remove(.undecidedRepetition)
        }
        let isCut = metadata.packet.isCut && payload.count < header.length
        if isCut { lose(metadata.direction, connection) }
        guard payload.count == header.length || isCut else { return }
        metadata.kind = header.length == 0 ? .empty : header.llid == .control ? .control : .data
        // A cut PDU may differ in the part that was not captured.
        if isRepeated { metadata.notes.insert(isCut ? .undecidedRepetition : .retransmission) }
        guard !payload.isEmpty,
            followEncryption(outcome, bytes, payload, header, packet.capture, &metadata, connection, &reassembly)
        else { return }
        let length = header.length
        guard metadata.plain.isPresent else {
            return trackPayload(
                bytes, payload, of: length, header.llid, isRepeated: isRepeated, &metadata, connection, &reassembly)
        }
        // A PDU is tracked from an array of its own: its place in the batch's buffer moves when that grows.
        var plain: [UInt8] = []
        swap(&plain, &self.plain)
        trackPayload(
            plain, plain.indices, of: plain.count, header.llid, isRepeated: isRepeated, &metadata, connection,
            &reassembly)
        swap(&plain, &self.plain)
    }

    /// Tracks the payload of a data PDU, of `length` bytes of which those in `payload` were captured.
    private mutating func trackPayload(
        _ bytes: [UInt8], _ payload: Range<Int>, of length: Int, _ llid: LL.LLID, isRepeated: Bool,
        _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) {
        let isCut = payload.count < length
        if isRepeated, !isCut {
            if llid == .start { metadata.channel = FragmentAssembler.channel(bytes[payload])?.rawValue ?? 0 }
            return
        }
        switch llid {
        case .control: trackControl(bytes[payload], of: length, metadata, connection, &reassembly)
        case .start where isCut:
            loseFragment(bytes, payload, of: length, isFirst: true, &metadata, connection, &reassembly)
        case .continuation where isCut: break
        case .start: trackFragment(bytes, payload, isFirst: true, &metadata, connection, &reassembly)
        case .continuation: trackFragment(bytes, payload, isFirst: false, &metadata, connection, &reassembly)
        default: break
        }
    }

    /// Records both ends of a connection for a frame of unknown direction.
    private func noteEnds(
        of connection: OpenConnection.Index, _ metadata: FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard metadata.direction == .unknown else { return }
        reassembly.ends[metadata.connection] = (
            device(of: connection, sendingIn: .sent), device(of: connection, sendingIn: .received)
        )
    }

    /// Tracks sequence numbers and acknowledgements, and returns whether the sender repeats its last PDU.
    private mutating func followSequence(
        _ header: LL.DataHeader, _ payload: ArraySlice<UInt8>, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index
    ) -> Bool {
        let direction = metadata.direction
        guard direction != .unknown else { return false }
        let content = SequenceNumbers.Content(
            llid: header.llid.rawValue, length: header.length, hash: payload.span.rawBytes.hash)
        let observation = openConnections[connection].sequence.observe(
            header, content, direction, at: metadata.packet.time)
        if observation.missedOwn || observation.missedPeer {
            metadata.notes.insert(.missed)
            openConnections[connection].lastLoss = metadata.packet.number
            openConnections[connection].encryption.noteMissedPDU()
            // A PDU in progress may lack the fragment that was missed; packet counters show whether it does.
            if !openConnections[connection].decryption.isOpen {
                if observation.missedOwn { lose(direction, connection) }
                if observation.missedPeer { lose(direction.opposite, connection) }
            }
        } else if observation.mayFollowMissed {
            metadata.notes.insert(.missed)
            openConnections[connection].lastLoss = metadata.packet.number
        }
        if observation.verdict == .undecided, header.length > 0 { metadata.notes.insert(.undecidedRepetition) }
        return observation.verdict == .repeated
    }

    /// Tracks the encryption of a data PDU and returns whether its payload can be read, in `plain` if the metadata has
    /// plain text. All code that reads payloads runs after this.
    private mutating func followEncryption(
        _ outcome: LinkDecryption.Outcome, _ bytes: [UInt8], _ payload: Range<Int>, _ header: LL.DataHeader,
        _ capture: LL.CaptureHeader, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) -> Bool {
        if case .opened(let opening) = outcome {
            accept(opening, &metadata, connection, &reassembly)
            return true
        }
        let reading = openConnections[connection].encryption.reading(
            of: bytes.span.extracting(payload), header, capture, metadata.direction)
        if reading != .plain || capture.isDecrypted || openConnections[connection].record.isEncrypted {
            openConnections[connection].record.isEncrypted = openConnections[connection].encryption.isEncrypted
        }
        if capture.isDecrypted { metadata.notes.insert(.decrypted) }
        switch reading {
        case .plain: return true
        case .undecided: metadata.notes.insert(.undecidedEncryption)
        case .ciphertext:
            return followCiphertext(outcome, bytes, payload, header, &metadata, connection, &reassembly)
        }
        return false
    }

    /// Tracks the start of encryption, changes of the connection's parameters and its end.
    private mutating func trackControl(
        _ payload: ArraySlice<UInt8>, of length: Int, _ metadata: FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        guard let code = payload.first else { return }
        let opcode = LL.ControlOpcode(rawValue: code)
        openConnections[connection].encryption.follow(opcode, length: length)
        if LinkDecryption.follows(opcode) {
            let peers = addresses(of: connection)
            openConnections[connection].decryption.follow(opcode, payload.dropFirst(), between: peers)
        }
        switch opcode {
        case .startEncReq, .startEncRsp:
            openConnections[connection].record.isEncrypted = openConnections[connection].encryption.isEncrypted
        case .connectionUpdateInd:
            guard let update = try? LL.ConnectionUpdateInd(decoding: Array(payload.dropFirst())) else { return }
            openConnections[connection].sequence.update(interval: update.interval, latency: update.latency)
            openConnections[connection].events.update(
                interval: update.interval, instant: update.instant, at: metadata.packet.time)
        case .terminateInd where payload.count == 2:
            let reason = payload[payload.startIndex + 1]
            openConnections[connection].record.reason = reason
        case .cisReq, .cisInd, .cisTerminateInd, .periodicSyncInd, .periodicSyncWRInd:
            followStreamControl(opcode, payload, connection, at: metadata.packet.time)
        default: break
        }
        if opcode == .lengthReq {
            let request = try? LL.LengthReq(decoding: Array(payload.dropFirst()))
            openConnections[connection].lengthRequest = request.map { (metadata.direction, $0.lengths) }
        }
        let lengthRequest = openConnections[connection].lengthRequest
        if let change = LinkChange(opcode, payload.dropFirst(), metadata.direction, after: lengthRequest) {
            apply(change, to: connection, metadata, &reassembly)
        }
    }
}
