import Bluetooth
import Bytes

/// Links: creation, connection events and loss (Vol 6, Part B, 4.5).
extension Radio {
    /// Opens a link with an initiator's connection request.
    mutating func open(_ request: ConnectRequest, initiator: Int) {
        lastLink += 1
        let id = LinkID(number: lastLink)
        let advertiser = request.target.controller
        let first = now.advanced(nanoseconds: pace == .air ? 2 * Span.doubleSlot : 0)
        let end = Link.End(controller: nil, lastHeard: now, phy: request.phy)
        var link = Link(central: end, peripheral: end, timing: request.timing, anchor: first, eventEnd: first)
        link.central.controller = initiator
        if let air { link.air = AirLink(request, seed: air.seed, number: id.number) }
        record(request, on: link.air, from: initiator)
        links[id] = link
        acceptedLink = nil
        let power = controllers[initiator].configuration.power
        let heard = reception(from: initiator, power: power, at: advertiser)
        if let heard { give(.connectRequest(request, id, heard), to: advertiser) }
        let isAccepted = acceptedLink == id
        acceptedLink = nil
        // On primary channels, the initiator does not know whether its request was received.
        guard isAccepted || request.isLegacy else {
            links[id] = nil
            keepSilent(advertiser, request.target.set)
            return give(.connectFailed, to: initiator)
        }
        if isAccepted {
            recordAcceptance(of: request)
            links[id]?.peripheral.controller = advertiser
        }
        give(.connected(request, id, heard ?? Reception(rssi: 127)), to: initiator)
        schedule(id)
    }

    /// Queues a controller's PDU for the other end.
    mutating func enqueue(_ pdu: LinkPDU, on id: LinkID, from controller: Int) {
        // An advertiser that has just accepted is not yet recorded as an end of the link.
        guard let side = links[id]?.side(of: controller) ?? (acceptedLink == id ? .peripheral : nil) else { return }
        links[id]?[side].queue.append(pdu)
        // A peripheral with PDUs to send does not skip events.
        if side == .peripheral, links[id]?.timing.latency != 0, links[id]?.isWaiting == true { links[id]?.serial = 0 }
        schedule(id)
    }

    /// Removes a controller from a link; the other end detects the loss by supervision timeout.
    mutating func leave(_ id: LinkID, _ controller: Int) {
        guard let side = links[id]?.side(of: controller) else { return }
        links[id]?[side].controller = nil
        links[id]?[side].queue.removeAll()
        if links[id]?[side.other].controller == nil { links[id] = nil } else { schedule(id) }
    }

    /// Reschedules the links affected by a path change. All events are simulated on links that can lose packets; on
    /// others, only events that carry PDUs.
    mutating func pathChanged(_ concerns: (Link) -> Bool) {
        for id in links.keys.sorted(by: { $0.number < $1.number }) where links[id].map(concerns) == true {
            schedule(id)
        }
    }

    /// Whether packets can be lost on a link.
    private func isLossy(_ link: Link) -> Bool {
        guard let central = link.central.controller, let peripheral = link.peripheral.controller else { return true }
        let path = path(central, peripheral)
        return path.loss > 0 || path.strength(ofSignal: controllers[central].configuration.power) == nil
            || path.strength(ofSignal: controllers[peripheral].configuration.power) == nil
    }

    /// Schedules the next event of a link if none is scheduled and one is needed.
    mutating func schedule(_ id: LinkID) {
        guard var link = links[id] else { return }
        let lossy = isLossy(link)
        // Without loss, the two ends have received each other at every event so far, including skipped ones.
        if !link.isLossy, link.isEstablished {
            link.central.lastHeard = now
            link.peripheral.lastHeard = now
        }
        link.isLossy = lossy
        links[id] = link
        guard link.serial == 0 else { return }
        guard link.hasWork || lossy || !link.isEstablished else { return scheduleIdleEvent(of: id) }
        let latency = path(of: link).latency
        let earliest = max(now.advanced(nanoseconds: 1), link.eventEnd)
        link.serial = nextSerial()
        let next = link.event(notBefore: earliest)
        var time = link.time(of: next).advanced(nanoseconds: latency)
        if pace == .immediate, !lossy { time = now.advanced(nanoseconds: latency) }
        link.lastEvent = next
        link.isWaiting = true
        links[id] = link
        queue.insert(.link(id, .begin, serial: link.serial), at: max(time, now))
    }

    func path(of link: Link) -> Path {
        guard let central = link.central.controller, let peripheral = link.peripheral.controller else { return Path() }
        return path(central, peripheral)
    }

    mutating func take(_ step: LinkStep, of id: LinkID, _ serial: UInt64) {
        guard let link = links[id], link.serial == serial else { return }
        switch step {
        case .begin:
            links[id]?.isWaiting = false
            links[id]?.eventEnd = now.advanced(nanoseconds: Span.microsecond)
            if link.isLossy || !link.isEstablished {
                for side in [Link.Side.central, .peripheral] where giveUp(side, of: id) { return }
            }
            send(from: .central, on: id)
        case .centralSent:
            finishSending(from: .central, on: id)
            if receive(from: .central, on: id) { send(from: .peripheral, on: id) } else { close(id) }
        case .peripheralSent:
            finishSending(from: .peripheral, on: id)
            let wasHeard = receive(from: .peripheral, on: id)
            guard wasHeard, let link = links[id], goesOn(link) else { return close(id) }
            send(from: .central, on: id)
        }
    }

    /// Whether an end has more PDUs and there is time for another exchange before the next event.
    ///
    /// The central does not continue just to acknowledge the peripheral's PDU.
    private func goesOn(_ link: Link) -> Bool {
        if pace == .immediate { return link.hasWork }
        guard
            !link.central.queue.isEmpty || link.peripheral.queue.count > 1
                || link.peripheral.queue.count == 1 && !link.peripheral.firstIsDelivered
        else { return false }
        let end = link.time(of: link.lastEvent + 1)
        let needed =
            airTime(link.central.queue.first, on: link.central.phy)
            + airTime(link.peripheral.queue.first, on: link.peripheral.phy) + 3 * AirTime.interFrameSpace
        return now.advanced(nanoseconds: needed) < end
    }

    /// Air time of a PDU in nanoseconds; nil stands for an empty one.
    func airTime(_ pdu: LinkPDU?, on phy: HCI.PHY) -> Int64 {
        AirTime.nanoseconds(payload: pdu?.count ?? 0, encrypted: pdu?.session != nil, on: phy)
    }

    /// Ends the connection at an end whose supervision timeout has expired.
    private mutating func giveUp(_ side: Link.Side, of id: LinkID) -> Bool {
        guard let link = links[id], let controller = link[side].controller,
            now.nanoseconds(since: link[side].lastHeard) >= local(link.patience, controller)
        else { return false }
        links[id]?.serial = 0
        give(.lost(id, wasEstablished: link.isEstablished), to: controller)
        if links[id] != nil { schedule(id) }
        return true
    }

    /// Starts sending the first PDU of an end's queue, or an empty PDU.
    private mutating func send(from side: Link.Side, on id: LinkID) {
        guard var link = links[id] else { return }
        link[side].isSendingFirst = !link[side].queue.isEmpty && !link[side].repeatsEmpty
        links[id] = link
        let wait = pace == .immediate ? 0 : AirTime.interFrameSpace + airTime(link[side].pdu, on: link[side].phy)
        queue.insert(
            .link(id, side == .central ? .centralSent : .peripheralSent, serial: link.serial),
            at: now.advanced(nanoseconds: wait))
    }

    /// Ends the transmission of an end's PDU, received or not.
    private mutating func finishSending(from side: Link.Side, on id: LinkID) {
        guard let link = links[id], link[side].controller != nil else { return }
        if !link[side].isSendingFirst { links[id]?[side].repeatsEmpty = true }
        if side == .central, link.instant == nil, let pdu = link.central.pdu, change(announcedBy: pdu) != nil {
            links[id]?.instant =
                link.firstEvent + link.lastEvent
                + (pace == .immediate ? 1 : Self.eventsUntilInstant + Int64(link.timing.latency))
        }
        if air == nil { return }
        let airTime = pace == .immediate ? 0 : airTime(link[side].pdu, on: link[side].phy)
        record(side, on: id, event: link.lastEvent, at: now.advanced(nanoseconds: -airTime))
    }

    /// Delivers an end's PDU unless it is lost. It also acknowledges the other end's previous PDU.
    private mutating func receive(from side: Link.Side, on id: LinkID) -> Bool {
        guard let link = links[id], let sender = link[side].controller, let receiver = link[side.other].controller,
            let reception = reception(from: sender, power: controllers[sender].configuration.power, at: receiver)
        else { return false }
        links[id]?[side.other].lastHeard = now
        if side == .peripheral { links[id]?.isEstablished = true }
        let numbers = links[id]?.exchangeNumbers(from: side)
        if numbers?.acknowledges == true, link[side.other].repeatsEmpty {
            links[id]?[side.other].repeatsEmpty = false
        } else if link[side.other].firstIsDelivered {
            confirm(side.other, of: id)
        }
        guard numbers?.isNew == true, let pdu = link[side].pdu else { return links[id] != nil }
        links[id]?[side].firstIsDelivered = true
        announce(pdu, on: id)
        recordAcknowledgment(of: pdu, from: side, on: id)
        give(.pdu(pdu, id, reception), to: receiver)
        // The receiver of the termination acknowledges it before leaving.
        if case .control(let control) = pdu.content, control is LL.TerminateInd { confirm(side, of: id) }
        return links[id] != nil
    }

    /// Acknowledges the first PDU of an end's queue.
    private mutating func confirm(_ side: Link.Side, of id: LinkID) {
        guard var link = links[id], let controller = link[side].controller else { return }
        link[side].firstIsDelivered = false
        link[side].isSendingFirst = false
        link[side].queue.popFirst()
        link.air?.acknowledged(side)
        if side == .central { link.instant = nil }
        links[id] = link
        give(.acknowledged(id), to: controller)
    }

    /// Ends a connection event.
    private mutating func close(_ id: LinkID) {
        guard links[id] != nil else { return }
        links[id]?.serial = 0
        links[id]?.eventEnd = now
        schedule(id)
    }
}

/// Changes that both ends of a link apply at the same event (Vol 6, Part B, 5.1.1).
extension Radio {
    /// Number of events between the announcement of a change and its instant.
    private static let eventsUntilInstant: Int64 = 6

    /// The change that a PDU announces; nil for none.
    private func change(announcedBy pdu: LinkPDU) -> LinkChange? {
        guard case .control(let control) = pdu.content else { return nil }
        return switch control {
        case let update as LL.ConnectionUpdateInd:
            .timing(LinkTiming(interval: update.interval, latency: update.latency, timeout: update.timeout))
        case let update as LL.ChannelMapInd: .channelMap(update)
        case let update as LL.PHYUpdateInd where !update.changesNothing: .phys(update)
        default: nil
        }
    }

    /// Schedules the change that a received PDU announces. The central selected its instant when it first sent the PDU;
    /// a change whose instant has passed takes effect at once.
    private mutating func announce(_ pdu: LinkPDU, on id: LinkID) {
        guard let change = change(announcedBy: pdu), let link = links[id] else { return }
        let instant =
            link.instant.map { $0 - link.firstEvent }
            ?? link.lastEvent + Self.eventsUntilInstant + Int64(link.timing.latency)
        queue.insert(.change(id, change), at: pace == .immediate ? now : max(now, link.time(of: instant)))
    }

    /// Applies a change at its instant.
    mutating func apply(_ change: LinkChange, to id: LinkID) {
        guard var link = links[id] else { return }
        switch change {
        case .timing(let timing):
            link.firstEvent += max(link.lastEvent, link.eventNumber(notBefore: now))
            link.air?.idleSerial = 0
            link.timing = timing
            link.anchor = now
            link.lastEvent = 0
            link.eventEnd = now
            link.serial = 0
            link.central.isSendingFirst = false
            link.peripheral.isSendingFirst = false
        case .phys(let update):
            if let phy = HCI.PHY(update.centralToPeripheral) { link.central.phy = phy }
            if let phy = HCI.PHY(update.peripheralToCentral) { link.peripheral.phy = phy }
        case .channelMap(let update): link.air?.channelMap = update.channelMap
        }
        links[id] = link
        for controller in [link.central.controller, link.peripheral.controller].compactMap({ $0 }) {
            give(.changed(change, id), to: controller)
        }
        if links[id] != nil { schedule(id) }
    }
}
