import Bluetooth
import BluetoothCrypto
import Bytes
import Captures

extension Tracker {
    /// Tracks one fragment of a connection's L2CAP traffic, in `range` of the batch's bytes, or of the decrypted payload.
    /// Most fragments are whole PDUs.
    @inline(__always)
    mutating func trackFragment(
        _ bytes: [UInt8], _ range: Range<Int>, isFirst: Bool, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        if isFirst, !directions[connection, metadata.direction].assembler.isAssembling,
            FragmentAssembler.isWholePDU(range, of: bytes)
        {
            metadata.pdu = metadata.place(ofPayload: range)
            trackPDU(bytes, range, &metadata, connection, &reassembly)
        } else {
            trackPart(bytes, range, isFirst: isFirst, &metadata, connection, &reassembly)
        }
    }

    private mutating func trackPart(
        _ bytes: [UInt8], _ range: Range<Int>, isFirst: Bool, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        if isFirst { directions[connection, metadata.direction].firstFragment = metadata.packet.number }
        let result = directions[connection, metadata.direction].assembler.add(
            range, of: bytes, isFirst: isFirst, to: &reassembly.bytes, notes: &metadata.notes)
        switch result {
        case .whole(let pdu):
            metadata.pdu = metadata.place(ofPayload: pdu)
            trackPDU(bytes, pdu, &metadata, connection, &reassembly)
        case .assembled(let pdu):
            metadata.pdu = FrameMetadata.BufferRange(place: .reassembled, start: pdu.lowerBound, count: pdu.count)
            let copy = Array(reassembly.bytes[pdu])
            trackPDU(copy, copy.indices, &metadata, connection, &reassembly)
        case .incomplete:
            metadata.notes.insert(.fragment)
            let begun = directions[connection, metadata.direction].assembler.bytes[...]
            metadata.channel = FragmentAssembler.channel(begun)?.rawValue ?? 0
            noteHeld(range.count)
        case .orphan: break
        }
    }

    /// Tracks a fragment of `count` bytes of which the recorder kept those in `range`: neither its PDU nor the SDU that
    /// it belongs to can be reassembled. A PDU in this frame is tracked as far as it was kept.
    mutating func loseFragment(
        _ bytes: [UInt8], _ range: Range<Int>, of count: Int, isFirst: Bool, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        openConnections[connection].lastLoss = metadata.packet.number
        if isFirst, range.count >= 2 {
            let length = Int(bytes.span.rawBytes.littleEndian(at: range.lowerBound, as: UInt16.self))
            if length + FragmentAssembler.headerLength <= count {
                metadata.pdu = FrameMetadata.BufferRange(place: .frame, start: range.lowerBound, count: range.count)
            }
        }
        let begun = isFirst ? bytes[range] : directions[connection, metadata.direction].assembler.bytes[...]
        lose(metadata.direction, connection)
        guard let channel = FragmentAssembler.channel(begun) else { return }
        metadata.channel = channel.rawValue
        if channel == .att {
            guard metadata.pdu.isPresent else { return }
            return trackATT(bytes, range.dropFirst(FragmentAssembler.headerLength), &metadata, connection, &reassembly)
        }
        let length = Int(begun.span.rawBytes.littleEndian(at: 0, as: UInt16.self))
        let payload = Array(begun.dropFirst(FragmentAssembler.headerLength))
        let faults = openConnections[connection].channels.lose(
            payload: payload, length: length, on: channel, metadata.direction.l2cap)
        note(faults, &metadata, &reassembly)
    }

    /// Discards the PDU in progress, of which bytes are missing.
    mutating func lose(_ direction: Direction, _ connection: OpenConnection.Index) {
        directions[connection, direction].assembler.reset()
    }

    /// Tracks a whole L2CAP PDU.
    @inline(__always)
    private mutating func trackPDU(
        _ bytes: [UInt8], _ pdu: Range<Int>, _ metadata: inout FrameMetadata, _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let payload = (pdu.lowerBound + FragmentAssembler.headerLength)..<pdu.upperBound
        let channel = L2CAP.ChannelID(rawValue: bytes.span.rawBytes.littleEndian(at: pdu.lowerBound + 2))
        metadata.channel = channel.rawValue
        if metadata.notes.contains(.secondView) {
            return trackSecondView(bytes, payload, of: channel, metadata, connection, &reassembly)
        }
        if channel == .att {
            trackATT(bytes, payload, &metadata, connection, &reassembly)
        } else {
            trackPayload(bytes, payload, of: channel, &metadata, connection, &reassembly)
        }
    }

    /// Tracks what a PDU changes that another capture shows better: the connection's ATT_MTU. Its content is tracked
    /// there.
    private mutating func trackSecondView(
        _ bytes: [UInt8], _ payload: Range<Int>, of channel: L2CAP.ChannelID, _ metadata: borrowing FrameMetadata,
        _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) {
        guard channel == .att, payload.count == 3 else { return }
        let mtu: UInt16 = bytes.span.rawBytes.littleEndian(at: payload.lowerBound + 1)
        switch ATT.Opcode(rawValue: bytes[payload.lowerBound]) {
        case .exchangeMTURequest: openConnections[connection].offeredMTU = mtu
        case .exchangeMTUResponse:
            guard let offered = openConnections[connection].offeredMTU else { return }
            apply(.mtu(max(UInt16(ATT.defaultMTU), min(offered, mtu))), to: connection, metadata, &reassembly)
        default: break
        }
    }

    /// Tracks the payload of other channels than the fixed ATT channel.
    private mutating func trackPayload(
        _ bytes: [UInt8], _ payload: Range<Int>, of channel: L2CAP.ChannelID, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        switch channel {
        case .leSignaling, .signaling: trackSignals(bytes, payload, of: channel, &metadata, connection, &reassembly)
        case .smp, .bredrSMP:
            trackSecurity(bytes, payload, connection, sender: metadata.sender)
            if channel == .smp { followPairing(bytes[payload], connection, metadata) }
        default:
            if channel.isDynamic { trackChannel(bytes, payload, channel, &metadata, connection, &reassembly) }
        }
    }

    private mutating func trackSignals(
        _ bytes: [UInt8], _ payload: Range<Int>, of channel: L2CAP.ChannelID, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) {
        let isBREDR = channel == .signaling
        if isBREDR { openConnections[connection].isBREDR = true }
        var reader = ByteReader(bytes.span.extracting(payload))
        while !reader.isAtEnd, let signal = try? L2CAP.readSignal(&reader) {
            note(openConnections[connection].channels.observe(signal, metadata.direction.l2cap), &metadata, &reassembly)
            if isBREDR { openConnections[connection].orientedChannels.observe(signal, metadata.direction.l2cap) }
        }
        noteBearers(metadata, connection, &reassembly)
        // On BR/EDR, ATT_MTU is the MTU of the channel (Vol 3, Part F, 3.2.8).
        guard isBREDR, let mtu = openConnections[connection].orientedChannels.mtu(of: .att).map(UInt16.init(clamping:)),
            mtu != openConnections[connection].record.mtu
        else { return }
        apply(.mtu(mtu), to: connection, metadata, &reassembly)
    }

    /// Records the open enhanced ATT bearers, if a frame has changed them.
    private mutating func noteBearers(
        _ metadata: FrameMetadata, _ connection: OpenConnection.Index, _ reassembly: inout ReassemblyBuffers
    ) {
        let former = openConnections[connection].bearers
        let mtus = openConnections[connection].channels.mtus(of: .eatt)
        if mtus.isEmpty, former.isEmpty { return }
        for (number, mtu) in mtus {
            let mtu = UInt16(max(mtu, ATT.leastEnhancedMTU))
            openConnections[connection].bearers[number, default: EnhancedBearer()].mtu = mtu
        }
        for number in former.keys where mtus[number] == nil { openConnections[connection].bearers[number] = nil }
        let open = openConnections[connection].bearers.mapValues(\.mtu)
        if open != former.mapValues(\.mtu) { reassembly.bearers[metadata.packet.number] = open }
    }

    /// Records a frame's violations of its channel's rules.
    private func note(
        _ faults: [L2CAP.ChannelFault], _ metadata: inout FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        guard !faults.isEmpty else { return }
        metadata.notes.insert(.finding)
        reassembly.channelFaults[metadata.packet.number, default: []] += faults
    }

    private mutating func trackChannel(
        _ bytes: [UInt8], _ payload: Range<Int>, _ channel: L2CAP.ChannelID, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction.l2cap
        guard let endpoint = openConnections[connection].channels.endpoint(channel, direction) else {
            return trackOriented(bytes, payload, channel, &metadata, connection, &reassembly)
        }
        metadata.psm = endpoint.spsm.rawValue
        metadata.segment = SegmentFacts(channel: endpoint.number, part: endpoint.expectsFirstFrame ? .first : .later)
        var reader = ByteReader(bytes.span.extracting(payload))
        guard let reception = try? openConnections[connection].channels.receive(&reader, on: channel, direction) else {
            return
        }
        note(reception.faults, &metadata, &reassembly)
        switch reception.progress {
        case .whole:
            metadata.segment?.part = .whole
            guard endpoint.spsm == .eatt else { return }
            let pdu = payload.dropFirst(SegmentFacts.lengthSize)
            trackATT(bytes, pdu, onBearer: endpoint.number, &metadata, connection, &reassembly)
        case .part:
            metadata.notes.insert(.segment)
            noteHeld(payload.count)
        case .complete(let sdu):
            metadata.sdu = Self.keep(sdu, in: &reassembly)
            metadata.segment?.part = .last
            metadata.segment?.sduCount = UInt16(truncatingIfNeeded: sdu.count)
            guard endpoint.spsm == .eatt else { return }
            trackATT(sdu, sdu.indices, onBearer: endpoint.number, &metadata, connection, &reassembly)
        case .discarded: break
        }
    }

    /// Tracks a PDU of a BR/EDR channel. An ATT channel in basic mode is the connection's unenhanced bearer (Vol 3,
    /// Part F, 3.2.11).
    private mutating func trackOriented(
        _ bytes: [UInt8], _ payload: Range<Int>, _ channel: L2CAP.ChannelID, _ metadata: inout FrameMetadata,
        _ connection: OpenConnection.Index,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let direction = metadata.direction.l2cap
        guard let endpoint = openConnections[connection].orientedChannels.endpoint(channel, direction) else { return }
        metadata.psm = endpoint.psm.rawValue
        guard endpoint.psm == .att, endpoint.isInBasicMode else { return }
        trackATT(bytes, payload, &metadata, connection, &reassembly)
    }

    /// Tracks the identity that a device distributes once the connection is encrypted: its identity resolving key, then
    /// its identity address (Vol 3, Part H, 3.6.4 and 3.6.5).
    private mutating func trackSecurity(
        _ bytes: [UInt8], _ payload: Range<Int>, _ connection: OpenConnection.Index, sender: Int32
    ) {
        guard let opcode = bytes[payload].first, sender >= 0 else { return }
        let parameters = payload.dropFirst()
        switch SMP.Opcode(rawValue: opcode) {
        case .identityInformation:
            let information = try? SMP.IdentityInformation(decoding: Array(bytes[parameters]))
            openConnections[connection].identityKey = information.map { (sender, SecretKey($0.identityResolvingKey)) }
        case .identityAddressInformation:
            guard let information = try? SMP.IdentityAddressInformation(decoding: Array(bytes[parameters])) else {
                return
            }
            let identity = DeviceAddress(information.address, information.addressType == 0 ? .public : .random)
            devices.identify(sender, as: identity)
            if let reported = openConnections[connection].identityKey, reported.sender == sender {
                devices.learn(reported.key, of: identity)
            }
        default: break
        }
    }
}

extension Direction {
    /// The direction in L2CAP's terms; unknown counts as sent.
    var l2cap: L2CAP.Direction { self == .received ? .received : .sent }
}
