import Bluetooth
import Bytes

/// An enabled advertising set.
struct Advertiser: Sendable {
    let controller: Int
    let set: UInt8
    /// Advertising interval in nanoseconds, without the random delay.
    let interval: Int64
    let everyEventCounts: Bool
    let isHighDutyCycle: Bool
    /// Serial of the valid scheduled event; 0 if there is none.
    var serial: UInt64 = 0
    /// Serial of the valid scheduled event that only a recording of the air has; 0 if there is none.
    var unheardSerial: UInt64 = 0
    /// Time of the last connection request that it did not answer.
    var silence: Timestamp?
}

/// Listeners of a controller, with their start times.
struct Listeners: Sendable {
    var scanner: (listening: Listening, since: Timestamp)?
    var initiator: (listening: Listening, since: Timestamp)?

    var isEmpty: Bool { scanner == nil && initiator == nil }
}

/// Advertising events and their reception (Vol 6, Part B, 4.4.2).
extension Radio {
    /// Maximum random delay added to each interval, in nanoseconds (Vol 6, Part B, 4.4.2.2.1).
    static let maximumDelay = 10 * Span.millisecond

    func index(_ controller: Int, _ set: UInt8) -> Int? {
        advertisers.firstIndex { $0.controller == controller && $0.set == set }
    }

    var somebodyListens: Bool { listeners.contains { !$0.isEmpty } }

    mutating func startAdvertising(_ advertiser: Advertiser) {
        stopAdvertising(advertiser.controller, advertiser.set)
        advertisers.append(advertiser)
        if advertiser.everyEventCounts || somebodyListens {
            schedule(at: advertisers.count - 1, within: Self.maximumDelay)
        } else {
            scheduleUnheardAdvertising(at: advertisers.count - 1)
        }
    }

    mutating func stopAdvertising(_ controller: Int, _ set: UInt8) {
        advertisers.removeAll { $0.controller == controller && $0.set == set }
    }

    /// Schedules the next event of an advertiser at a random time within `span` nanoseconds from now.
    private mutating func schedule(at index: Int, within span: Int64) {
        let wait = pace == .immediate || span <= 0 ? 0 : Int64.random(in: 0..<span, using: &random)
        schedule(at: index, after: wait)
    }

    private mutating func schedule(at index: Int, after wait: Int64) {
        let serial = nextSerial()
        advertisers[index].serial = serial
        queue.insert(
            .advertising(controller: advertisers[index].controller, set: advertisers[index].set, serial: serial),
            at: now.advanced(nanoseconds: wait))
    }

    /// Runs an advertising event. Events without any listener are skipped, which is not observable.
    mutating func advertisingEvent(_ controller: Int, _ set: UInt8, _ serial: UInt64) {
        guard let place = index(controller, set), advertisers[place].serial == serial else { return }
        guard advertisers[place].everyEventCounts || somebodyListens else {
            advertisers[place].serial = 0
            return scheduleUnheardAdvertising(at: place)
        }
        give(.advertisingEvent(set: set), to: controller)
        guard let place = index(controller, set), advertisers[place].serial == serial else { return }
        let advertiser = advertisers[place]
        let delay = advertiser.isHighDutyCycle ? 0 : Int64.random(in: 0...Self.maximumDelay, using: &random)
        schedule(at: place, after: max(Span.millisecond, local(advertiser.interval, controller) + delay))
    }

    mutating func listen(_ controller: Int, _ listener: Listener, _ listening: Listening?) {
        let wasSilent = !somebodyListens
        switch listener {
        case .scanner: listeners[controller].scanner = listening.map { ($0, now) }
        case .initiator: listeners[controller].initiator = listening.map { ($0, now) }
        }
        guard listening != nil, wasSilent || pace == .immediate else { return }
        for place in advertisers.indices {
            let advertiser = advertisers[place]
            // A listener that resumes because this advertiser did not answer waits for its next event.
            let isImmediate = pace == .immediate && advertiser.silence != now
            if advertiser.serial == 0 || isImmediate { schedule(at: place, within: advertiser.interval) }
        }
    }

    /// Records that an advertiser did not answer a connection request.
    mutating func keepSilent(_ controller: Int, _ set: UInt8) {
        if let place = index(controller, set) { advertisers[place].silence = now }
    }

    /// Delivers an advertisement to all listeners in range.
    mutating func distribute(_ advertisement: Advertisement, from controller: Int) {
        var advertisement = advertisement
        advertisement.source.controller = controller
        beginRecording(advertisement)
        for listener in listeners.indices where listener != controller && !listeners[listener].isEmpty {
            guard var reception = reception(from: controller, power: advertisement.power, at: listener) else {
                continue
            }
            reception.isForScanner = hears(listeners[listener].scanner, advertisement)
            reception.isForInitiator = hears(listeners[listener].initiator, advertisement)
            guard reception.isForScanner || reception.isForInitiator else { continue }
            if air != nil { storeChannels(of: listener) }
            give(.advertisement(advertisement, reception), to: listener)
        }
        recordAdvertising()
    }

    /// Whether a listener's window is open on a channel and PHY of the advertisement.
    private func hears(_ listener: (listening: Listening, since: Timestamp)?, _ advertisement: Advertisement) -> Bool {
        guard let (listening, since) = listener, advertisement.primaryPHY.rawValue > 0,
            listening.phys >> (advertisement.primaryPHY.rawValue - 1) & 1 == 1
        else { return false }
        if pace == .immediate { return true }
        let phase = now.nanoseconds(since: since) % max(1, listening.interval)
        return phase < listening.window
            && advertisement.channels >> (channel(of: listening, since: since) - 37) & 1 == 1
    }

    /// The primary channel on which a listener's window is open: each scan interval uses the next of the three.
    func channel(of listening: Listening, since: Timestamp) -> UInt8 {
        UInt8(37 + now.nanoseconds(since: since) / max(1, listening.interval) % 3)
    }

    /// Reception of a signal; nil if it is lost.
    mutating func reception(from sender: Int, power: Int8, at receiver: Int) -> Reception? {
        let path = path(sender, receiver)
        guard let strength = path.strength(ofSignal: power) else { return nil }
        if path.loss > 0, Double.random(in: 0..<1, using: &random) < path.loss { return nil }
        return Reception(rssi: Int8(clamping: strength + Int.random(in: -2...2, using: &random)))
    }

    /// Delivers a scan request to the advertiser, and its response to the scanner.
    mutating func deliver(_ request: ScanRequest, from scanner: Int) {
        let advertiser = request.target.controller
        let power = controllers[scanner].configuration.power
        record(request, from: scanner)
        guard reception(from: scanner, power: power, at: advertiser) != nil else { return }
        scanResponse = nil
        give(.scanRequest(request), to: advertiser)
        guard let response = scanResponse else { return }
        record(response, of: advertiser)
        guard let reception = reception(from: advertiser, power: response.power, at: scanner) else { return }
        scanResponse = nil
        give(.scanResponse(response, reception), to: scanner)
    }
}
