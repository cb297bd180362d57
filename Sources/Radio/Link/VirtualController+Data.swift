import Bluetooth
import Bytes

/// ACL data in both directions, and sending of control PDUs (Vol 4, Part E, 4.1 and 5.4.2; Vol 6, Part B, 4.5.9).
extension VirtualController {
    /// Handles an ACL data packet from the host, which must respect the number of free buffers.
    mutating func receiveData(_ packet: [UInt8]) {
        var reader = ByteReader(packet.span)
        guard (try? reader.skip(HCI.transportLayer, count: 1)) != nil,
            let header = try? HCI.ACLHeader(reading: &reader),
            reader.remaining == Int(header.length), let index = try? index(of: header.handle)
        else { return }
        guard state.freeBuffers > 0, header.length <= configuration.aclPacketLength else {
            return send(.dataBufferOverflow, ["link_type": 1])
        }
        if state.connections[index].endReason != nil { return sendCompleted(header.handle) }
        let bytes = Array(packet[(1 + HCI.ACLHeader.size)...])
        if bytes.isEmpty { return sendCompleted(header.handle) }
        state.freeBuffers -= 1
        state.connections[index].packets += 1
        let size = max(1, Int(state.connections[index].lengths.maxTxOctets))
        for start in stride(from: 0, to: bytes.count, by: size) {
            let fragment = Array(bytes[start..<min(start + size, bytes.count)])
            let isFirst = start == 0 && !header.boundary.isContinuation
            sendData(
                isFirst ? .start(fragment) : .continuation(fragment), endsPacket: start + size >= bytes.count, at: index
            )
        }
    }

    private mutating func sendData(_ content: LinkPDU.Content, endsPacket: Bool, at index: Int) {
        if state.connections[index].encryption.holdsData {
            state.connections[index].held.append((content, endsPacket))
        } else {
            transmit(content, endsPacket: endsPacket, at: index)
        }
    }

    /// Sends a control PDU, even while data is held back.
    mutating func sendControl(_ pdu: some LL.ControlPDU, at index: Int) {
        transmit(.control(pdu), endsPacket: false, at: index)
    }

    /// Sends a PDU, unless the termination has been sent.
    private mutating func transmit(_ content: LinkPDU.Content, endsPacket: Bool, at index: Int) {
        if state.connections[index].endReason != nil { return }
        state.connections[index].sent.append(endsPacket)
        let connection = state.connections[index]
        actions.append(.send(LinkPDU(content: content, session: connection.encryption.txSession), connection.link))
    }

    /// Sends the data held back.
    mutating func releaseHeldData(at index: Int) {
        while let (content, endsPacket) = state.connections[index].held.popFirst() {
            transmit(content, endsPacket: endsPacket, at: index)
        }
    }

    /// Handles the acknowledgment of the oldest PDU sent.
    mutating func acknowledged(on link: LinkID) {
        guard let index = index(of: link), let endsPacket = state.connections[index].sent.popFirst() else { return }
        if endsPacket {
            state.connections[index].packets -= 1
            state.freeBuffers += 1
            sendCompleted(state.connections[index].handle)
        }
        // The termination is the last PDU sent.
        if let reason = state.connections[index].endReason, state.connections[index].sent.isEmpty {
            end(link, reason: reason)
        }
    }

    private mutating func sendCompleted(_ handle: ConnectionHandle) {
        send(HCI.NumberOfCompletedPackets(entries: [HCI.NumberOfCompletedPackets.Entry(handle: handle, count: 1)]))
    }

    /// Handles a PDU from the peer.
    mutating func receive(_ pdu: LinkPDU, on link: LinkID, _ reception: Reception) {
        guard let index = index(of: link) else { return }
        state.connections[index].rssi = reception.rssi
        // A different session key fails the MIC check (Vol 6, Part B, 5.1.3.1).
        guard pdu.session == state.connections[index].encryption.rxSession else {
            return end(link, reason: .micFailure)
        }
        switch pdu.content {
        case .start(let bytes): sendToHost(bytes, .firstFlushable, state.connections[index].handle)
        case .continuation(let bytes): sendToHost(bytes, .continuing, state.connections[index].handle)
        case .control(let pdu): receive(pdu, at: index)
        }
    }

    private mutating func sendToHost(_ bytes: [UInt8], _ boundary: HCI.PacketBoundary, _ handle: ConnectionHandle) {
        let header = HCI.ACLHeader(
            handle: handle, boundary: boundary, length: UInt16(truncatingIfNeeded: bytes.count))
        actions.append(.packet([HCI.PacketType.aclData.rawValue] + header.encoded + bytes))
    }
}
