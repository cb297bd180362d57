import Bluetooth
import Bytes

/// Recording of advertising events. One is recorded when it has been simulated: its packets precede the radio's time.
extension Radio {
    /// Begins an advertising event.
    mutating func beginRecording(_ advertisement: Advertisement) {
        guard let channel = air?.number(in: 0...36) else { return }
        air?.advertising = AirAdvertising(advertisement, secondaryChannel: UInt8(channel))
    }

    /// Stores the primary channels on which a controller's scanner and initiator listen, before it responds.
    mutating func storeChannels(of listener: Int) {
        guard let advertising = air?.advertising else { return }
        let channels = advertising.advertisement.channels
        func channel(_ listener: (listening: Listening, since: Timestamp)?) -> UInt8 {
            guard pace == .air, let (listening, since) = listener else {
                return UInt8(37 + channels.trailingZeroBitCount % 3)
            }
            return self.channel(of: listening, since: since)
        }
        let scannerChannel = channel(listeners[listener].scanner)
        let initiatorChannel = channel(listeners[listener].initiator)
        air?.advertising?.scannerChannel = scannerChannel
        air?.advertising?.initiatorChannel = initiatorChannel
    }

    /// Records SCAN_REQ or AUX_SCAN_REQ.
    mutating func record(_ request: ScanRequest, from scanner: Int) {
        guard let advertising = air?.advertising, let advertiser = advertising.advertisement.advertiser else { return }
        let pdu = AirAdvertising.pdu(
            LL.ScanRequest(scanner: request.scanner.address, advertiser: advertiser.address), .scanReq,
            from: request.scanner, to: advertiser)
        air?.advertising?.append(
            pdu, listenerChannel: advertising.scannerChannel, sender: scanner,
            power: controllers[scanner].configuration.power)
    }

    /// Records SCAN_RSP, or AUX_SCAN_RSP with its AUX_CHAIN_IND.
    mutating func record(_ response: Advertisement, of advertiser: Int) {
        guard let advertising = air?.advertising else { return }
        var response = response
        response.source.controller = advertiser
        air?.advertising?.append(responseOf: response, listenerChannel: advertising.scannerChannel)
    }

    /// Records CONNECT_IND or AUX_CONNECT_REQ.
    mutating func record(_ request: ConnectRequest, on link: AirLink?, from initiator: Int) {
        guard let advertising = air?.advertising, let link else { return }
        // The transmit window begins 1.25 ms after CONNECT_IND and 2.5 ms (on LE Coded 3.75 ms) after AUX_CONNECT_REQ, plus
        // the offset (Vol 6, Part B, 4.5.3). The first packet follows two units of 1.25 ms after the request.
        let latency = path(initiator, request.target.controller).latency / Span.doubleSlot
        let offset = min(latency + (request.isLegacy ? 1 : 0), Int64(request.timing.interval))
        let payload = LL.ConnectInd(
            initiator: request.initiator.address, advertiser: request.advertiser.address,
            accessAddress: link.accessAddress, crcInit: link.crcInit, windowSize: 1,
            windowOffset: UInt16(clamping: offset), interval: request.timing.interval,
            latency: request.timing.latency, timeout: request.timing.timeout, channelMap: request.channelMap,
            hop: link.hop, sleepClockAccuracy: LL.SleepClockAccuracy(rawValue: request.clockAccuracy & 7))
        let pdu = AirAdvertising.pdu(
            payload, .connectInd, chSel: request.isLegacy && request.supportsAlgorithm2, from: request.initiator,
            to: request.advertiser)
        air?.advertising?.append(
            pdu, listenerChannel: advertising.initiatorChannel, sender: initiator,
            power: controllers[initiator].configuration.power)
    }

    /// Records that the advertiser has accepted a request, to which it responds on a secondary channel by AUX_CONNECT_RSP.
    mutating func recordAcceptance(of request: ConnectRequest) {
        guard let advertising = air?.advertising else { return }
        air?.advertising?.end(listenerChannel: advertising.initiatorChannel)
        if request.isLegacy { return }
        let payload = LL.ExtendedAdvertising(
            mode: .nonconnectableNonscannable, advertiser: request.advertiser.address, target: request.initiator.address
        )
        air?.advertising?.append(
            AirAdvertising.pdu(payload, .auxConnectRsp, request.advertiser, request.initiator),
            listenerChannel: advertising.initiatorChannel, sender: request.target.controller,
            power: advertising.advertisement.power)
    }

    /// Records the advertising event that has been simulated, which ends now.
    mutating func recordAdvertising() {
        guard let advertising = air?.advertising else { return }
        air?.advertising = nil
        let (packets, duration) = advertising.packets()
        let earliest = now.advanced(nanoseconds: -AirRecorder.delay)
        for (offset, packet) in packets {
            let time = pace == .immediate ? now : max(earliest, now.advanced(nanoseconds: offset - duration))
            air?.receive(
                AirPacket(
                    time: time, channel: LL.Channel(rawValue: packet.channel), phy: LL.PHY(packet.phy),
                    accessAddress: .advertising, pdu: packet.pdu,
                    crc: LL.crc(of: packet.pdu, initial: LL.advertisingCRCInit), signal: 0, traffic: packet.traffic,
                    sender: packet.sender), power: packet.power, crcInit: LL.advertisingCRCInit)
        }
    }

    // MARK: - Advertising without listeners

    /// Schedules the recording of an advertiser's next event if the radio does not simulate its events.
    mutating func scheduleUnheardAdvertising(at place: Int) {
        guard pace == .air, advertisers[place].serial == 0, let random = air?.number(in: 0...Self.maximumDelay) else {
            return
        }
        let advertiser = advertisers[place]
        let delay = advertiser.isHighDutyCycle ? 0 : random
        let interval = max(Span.millisecond, local(advertiser.interval, advertiser.controller) + delay)
        advertisers[place].unheardSerial = nextSerial()
        queue.insert(
            .unheardAdvertising(
                controller: advertiser.controller, set: advertiser.set, serial: advertisers[place].unheardSerial),
            at: now.advanced(nanoseconds: interval))
    }

    /// Records an advertising event that no controller receives.
    mutating func advertiseUnheard(_ controller: Int, _ set: UInt8, _ serial: UInt64) {
        guard let place = index(controller, set), advertisers[place].unheardSerial == serial else { return }
        advertisers[place].unheardSerial = 0
        if advertisers[place].serial != 0 || somebodyListens { return }
        give(.advertisingEvent(set: set), to: controller)
        if let place = index(controller, set) { scheduleUnheardAdvertising(at: place) }
    }
}

extension LL.PHY {
    init(_ phy: HCI.PHY) { self.init(rawValue: phy.rawValue == 0 ? 0 : phy.rawValue - 1) }
}
