import Bluetooth
package import Bytes

/// Recording of the air. It changes nothing of what the controllers do.
extension Radio {
    /// Starts to collect the packets on the air. Connections that are open already are not recorded.
    ///
    /// - Parameters:
    ///   - loss: probability that the sniffer misses a packet, 0 to 1.
    ///   - damage: probability that the sniffer receives a packet with wrong bits, 0 to 1.
    package mutating func recordAir(loss: Double = 0, damage: Double = 0) {
        air = AirRecorder(seed: seed, reception: AirRecorder.Reception(loss: loss, damage: damage))
        for place in advertisers.indices { scheduleUnheardAdvertising(at: place) }
    }

    /// Removes and returns the recorded packets in time order, except for those that an earlier packet may still precede.
    package mutating func takeAir() -> [AirPacket] {
        air?.take(until: now.advanced(nanoseconds: -AirRecorder.delay)) ?? []
    }

    /// Removes and returns all recorded packets, in time order.
    package mutating func finishAir() -> [AirPacket] {
        air?.take(until: Timestamp(nanoseconds: .max)) ?? []
    }

    /// Time at which `takeAir` returns a packet that it has not returned yet; nil if there is none.
    package var nextAir: Timestamp? { air?.earliest?.advanced(nanoseconds: AirRecorder.delay) }
}

/// Recording of connection events (Vol 6, Part B, 4.5.1 and 4.5.9).
extension Radio {
    /// Records a transmission of one end: the PDU that it is sending.
    ///
    /// - Parameters:
    ///   - event: number of the connection event, counted from the link's anchor.
    ///   - start: start of the transmission.
    mutating func record(_ side: Link.Side, on id: LinkID, event: Int64, at start: Timestamp) {
        guard air != nil, let link = links[id], var onAir = link.air, let sender = link[side].controller else { return }
        let counter = link.firstEvent + event
        var content = AirLink.Content.empty
        if let pdu = link[side].pdu {
            content = onAir.content(of: pdu, from: side, instant: UInt16(truncatingIfNeeded: link.instant ?? 0))
            links[id]?.air = onAir
        }
        let waiting = link[side].queue.count - (link[side].isSendingFirst ? 1 : 0)
        let header = LL.DataHeader(
            llid: content.llid, nextExpectedSequenceNumber: link[side].expectedNumber,
            sequenceNumber: link[side].sequenceNumber, moreData: waiting > 0, length: content.payload.count)
        let pdu = header.encoded + content.payload
        air?.receive(
            AirPacket(
                time: start, channel: onAir.channel(ofEvent: counter), phy: LL.PHY(link[side].phy),
                accessAddress: onAir.accessAddress, pdu: pdu, crc: LL.crc(of: pdu, initial: onAir.crcInit), signal: 0,
                traffic: side == .central ? .central : .peripheral, sender: sender),
            power: controllers[sender].configuration.power, crcInit: onAir.crcInit)
    }

    /// Records the PDU that acknowledges LL_TERMINATE_IND: the receiver leaves the link at once. It is empty, unless an
    /// earlier one must be sent again.
    mutating func recordAcknowledgment(of pdu: LinkPDU, from side: Link.Side, on id: LinkID) {
        guard air != nil, case .control(let control) = pdu.content, control is LL.TerminateInd, let link = links[id]
        else { return }
        links[id]?[side.other].isSendingFirst = link.air?.hasSent(side.other) ?? false
        record(
            side.other, on: id, event: link.lastEvent,
            at: now.advanced(nanoseconds: pace == .immediate ? 0 : AirTime.interFrameSpace))
        links[id]?[side.other].isSendingFirst = link[side.other].isSendingFirst
    }

    /// Schedules the recording of the next connection event of a link on which neither end has data, which the
    /// radio does not simulate. Events that the peripheral skips by its latency are not recorded.
    mutating func scheduleIdleEvent(of id: LinkID) {
        guard air != nil, pace == .air, let link = links[id], link.air?.idleSerial == 0 else { return }
        let event = link.event(notBefore: max(now.advanced(nanoseconds: 1), link.eventEnd))
        let serial = nextSerial()
        links[id]?.air?.idleSerial = serial
        let time = link.time(of: event).advanced(nanoseconds: path(of: link).latency)
        queue.insert(.idle(id, event: event, serial: serial), at: max(time, now))
    }

    /// Records a connection event without data: an empty PDU from each end.
    mutating func recordIdleEvent(of id: LinkID, event: Int64, serial: UInt64) {
        guard links[id]?.air?.idleSerial == serial else { return }
        links[id]?.air?.idleSerial = 0
        guard let link = links[id], link.serial == 0 else { return }
        var start = now
        for side in [Link.Side.central, .peripheral] {
            start = start.advanced(nanoseconds: AirTime.interFrameSpace)
            links[id]?[side].isSendingFirst = false
            record(side, on: id, event: event, at: start)
            start = start.advanced(nanoseconds: airTime(nil, on: link[side].phy))
            _ = links[id]?.exchangeNumbers(from: side)
        }
        // The peripheral has acknowledged the central's PDU; the next event acknowledges the peripheral's.
        links[id]?.central.repeatsEmpty = false
        links[id]?.peripheral.repeatsEmpty = true
        scheduleIdleEvent(of: id)
    }
}
