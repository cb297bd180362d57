import Bluetooth
import Bytes
import PluginKit

/// What the capture shows of an attempt to connect that its host cancelled, or of a CONNECT_IND without an answer.
private struct Attempt {
    let attempt: ConnectionAttempt
    let end: FrameReference
    let capture: AdvertisingHistory
    /// The log of the device's own host, if it was captured.
    let device: AdapterHistory?
    let isOver: Bool

    /// Nil for failures of other kinds, and for attempts that ended otherwise.
    init?(_ failure: Failure, _ session: Session) {
        let capture = session.capture.advertising
        guard failure.kind == .notConnected, let attempt = capture.attempts.attempt(of: failure), let end = attempt.end
        else { return nil }
        (self.attempt, self.end, self.capture) = (attempt, end, capture)
        device = attempt.target.flatMap { capture.adapter(of: $0)?.history }
        isOver = ConnectionAttempts.cancellations.contains(attempt.status)
    }

    var target: String { attempt.target.map { "\($0.address)" } ?? "the devices on the filter accept list" }
    var duration: String { attempt.duration.secondsText }

    /// An advertisement of the device during the attempt, which a sniffer heard.
    var heardMeanwhile: FrameReference? {
        attempt.heard?.lastOnAir.flatMap { $0 > attempt.command && $0 < end ? $0 : nil }
    }

    /// Whether the device may have used another address: a resolvable or non-resolvable private one.
    var mayHaveMoved: Bool {
        guard let target = attempt.target, target.kind == .random else { return false }
        return target.address.randomKind != .static
    }
}

/// The device was never heard.
enum NeverHeard: Cause {
    static let info = CauseInfo(
        "never_heard", "The device was not heard: it is off, away, or does not advertise.", explains: [.notConnected],
        evidence: """
            Certain: the log of the device's own host shows that it never advertised, or a sniffer heard other devices \
            during the attempt and this one, whose address does not change, never. Likely: only the host's log shows \
            that the attempt found nothing. Possible: the address is private, so that the device may use another one.
            """,
        against: "An advertisement of the device, before or during the attempt.",
        advice: """
            Check that the device is powered, near and connectable, and that the address and its type are right: \
            public or random.
            """, source: "Vol 4, Part E, 7.8.12 and 7.8.13")

    private static let pageTimeout = HCI.ErrorCode(rawValue: 0x04)

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.status == pageTimeout {
            return .found(
                .likely, frames: failure.frames,
                text: "the device did not answer paging, as \(pageTimeout.text) in frame \(failure.frame.frame) states")
        }
        guard let attempt = Attempt(failure, session), attempt.isOver, attempt.attempt.target != nil else { return nil }
        if let last = attempt.heardMeanwhile ?? attempt.attempt.heard?.last ?? attempt.attempt.heard?.nonconnectable
            ?? attempt.attempt.heard?.directed?.frame
        {
            return .excluded("\(attempt.target) was heard in frame \(last.frame)")
        }
        let text = "\(attempt.target) was not heard in an attempt of \(attempt.duration)"
        if let device = attempt.device {
            guard device.wasAdvertising(at: attempt.end) == nil else { return nil }
            return .found(
                attempt.attempt.followsLoss ? .likely : .certain, frames: failure.frames,
                text: text + ": its host did not start advertising")
        }
        if attempt.mayHaveMoved {
            return .found(
                .possible, frames: failure.frames, text: text + "; its address is private and may have changed")
        }
        let scanned = attempt.attempt.scanned
        let before = scanned > 0 ? ", nor while the controller scanned before, for \(scanned.secondsText)" : ""
        let isCertain = attempt.attempt.isOnAir && !attempt.attempt.followsLoss
        return .found(isCertain ? .certain : .likely, frames: failure.frames, text: text + before)
    }
}

/// The device had stopped advertising.
enum AdvertisingStopped: Cause {
    static let info = CauseInfo(
        "advertising_stopped", "The device had stopped advertising.", explains: [.notConnected],
        evidence: """
            Certain: the log of the device's own host shows that it stopped advertising before the attempt, directed \
            advertising ended with 0x3C Advertising Timeout, or a sniffer heard the device before the attempt and other \
            devices, but not this one, during it. Likely: it was reported before the attempt, and no longer.
            """,
        against: "An advertisement during the attempt; no advertisement before it.",
        advice: """
            Keep the device advertising until it is connected, or start connecting sooner after the report. A device \
            that stops after a time needs its button pressed again.
            """, source: "Vol 4, Part E, 7.8.9 and Vol 1, Part F, 2.59")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if failure.status == .advertisingTimeout {
            return .found(
                .certain, frames: failure.frames,
                text: "advertising ended without a connection, as \(HCI.ErrorCode.advertisingTimeout.text) in frame "
                    + "\(failure.frame.frame) states")
        }
        guard let attempt = Attempt(failure, session), attempt.isOver else { return nil }
        if let heard = attempt.heardMeanwhile {
            return .excluded("\(attempt.target) advertised in frame \(heard.frame), during the attempt")
        }
        if let device = attempt.device {
            guard device.wasAdvertising(at: attempt.end) == false, let stopped = device.stopped else {
                return .excluded("the log of the device's own host does not show that it stopped advertising")
            }
            return .found(
                attempt.attempt.followsLoss ? .likely : .certain, frames: failure.frames + [stopped],
                text: "\(attempt.target) stopped advertising in frame \(stopped.frame), as its own log shows")
        }
        guard let last = attempt.attempt.heard?.last else {
            return attempt.attempt.target == nil ? nil : .excluded("the device was not heard before the attempt")
        }
        let pause = max(0, attempt.attempt.command.seconds(since: last)).secondsText
        let isOnAir = attempt.attempt.isOnAir && attempt.attempt.heard?.lastOnAir != nil
        return .found(
            isOnAir && !attempt.attempt.followsLoss ? .certain : .likely, frames: [last] + failure.frames,
            text: "\(attempt.target) last advertised in frame \(last.frame), \(pause) before the attempt, and was not "
                + "heard in \(attempt.duration)")
    }
}

/// A filter policy excluded the device.
enum FilterExcluded: Cause {
    static let info = CauseInfo(
        "filter_excluded", "A filter policy excluded the device.", explains: [.notConnected],
        evidence: """
            Certain: the host connected to the devices on its filter accept list, which was empty; or a device that was \
            removed from it, or is on it with the wrong address type, was heard before and after the attempt; or the \
            log of the device's own host shows that it accepts only devices on its list, which lacks the central. \
            Likely: another device that is not on the list was heard before the attempt, and none that is. Possible: \
            it was heard before and after the attempt, and so was one on the list.
            """,
        against: "Filter policy 0, which accepts all devices; the device is on the list.",
        advice: """
            Add the device to the filter accept list with its address and type, or use filter policy 0. For private \
            addresses, give the controller the key with LE Add Device To Resolving List.
            """, source: "Vol 6, Part B, 4.3")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        if let found = byAdvertiser(failure, session) { return found }
        guard let attempt = Attempt(failure, session), attempt.isOver else { return nil }
        guard attempt.attempt.target == nil else {
            return .excluded("filter policy 0 in frame \(attempt.attempt.command.frame) accepts the device")
        }
        let list = attempt.attempt.acceptList
        if list.devices.isEmpty, list.isKnown {
            return .found(
                attempt.attempt.followsLoss ? .likely : .certain, frames: failure.frames,
                text: "the host connected to the devices on its filter accept list, which was empty, for "
                    + attempt.duration)
        }
        return byList(attempt.attempt, failure, capture: session.capture.advertising)
    }

    /// Looks for the device that the host wanted, among those that are not on its list.
    private static func byList(
        _ attempt: ConnectionAttempt, _ failure: Failure, capture: AdvertisingHistory
    ) -> Assessment? {
        guard let end = attempt.end else { return nil }
        let list = attempt.acceptList
        let again = attempt.unlisted.filter { capture.heard($0.device, after: end) }
        let certain: Confidence = list.isKnown && !attempt.followsLoss ? .certain : .likely
        if let (device, frame) = again.last(where: { heard in
            list.devices.contains { $0.address == heard.device.address }
        }) {
            return .found(
                certain, frames: [frame] + failure.frames,
                text: "\(device.address) is on the filter accept list with another address type; with its own, it "
                    + "advertised in frame \(frame.frame) and after the attempt")
        }
        if let (device, frame) = again.last(where: { list.removed.contains($0.device) }) {
            return .found(
                certain, frames: [frame] + failure.frames,
                text: "\(device.address) was removed from the filter accept list; it advertised in frame "
                    + "\(frame.frame) and after the attempt")
        }
        if let (device, frame) = again.last {
            return .found(
                list.isKnown && attempt.listed == nil ? .likely : .possible, frames: [frame] + failure.frames,
                text: "\(device.address) is not on the filter accept list; it advertised in frame \(frame.frame) and "
                    + "after the attempt")
        }
        if let heard = attempt.listed {
            return .excluded("a device on the list was heard in frame \(heard.frame)")
        }
        guard let (device, frame) = attempt.unlisted.last else { return nil }
        return .found(
            list.isKnown ? .likely : .possible, frames: [frame] + failure.frames,
            text:
                "no device on the filter accept list was heard; \(device.address), in frame \(frame.frame), is not on it"
        )
    }

    /// Assesses the filter of the advertiser, whose host's log is part of the capture.
    private static func byAdvertiser(_ failure: Failure, _ session: Session) -> Assessment? {
        let capture = session.capture.advertising
        let attempt = capture.attempts.attempt(of: failure)
        guard let target = attempt?.target ?? session.link.peripheral, let device = capture.adapter(of: target),
            let filter = device.history.filter, filter.policy & 2 != 0, filter.frame < failure.frame,
            device.history.wasAdvertising(at: failure.frame) == true
        else { return nil }
        let list = capture.attempts.acceptList(device.number)
        let central =
            session.link.central.map { [$0] }
            ?? attempt.flatMap { capture.adapter($0.adapter) }?.addresses.sorted { $0.address.value < $1.address.value }
        guard let central, !central.isEmpty, list.devices.isDisjoint(with: central) else { return nil }
        return .found(
            list.isKnown && !capture.followsLoss ? .certain : .likely, frames: [filter.frame] + failure.frames,
            text: "\(target.address) accepts only devices on its filter accept list since frame \(filter.frame.frame); "
                + "\(central[0].address) is not on it")
    }
}

/// The device advertised to another one.
enum DirectedElsewhere: Cause {
    static let info = CauseInfo(
        "directed_elsewhere", "The device advertised to another device only.", explains: [.notConnected],
        evidence: """
            Certain: the last advertisement of the device is directed to an address that is not the central's, and \
            neither address is private; or on the air, it is directed to the same address after the attempt as well. \
            Likely: one of them is private, or the central's address is not known.
            """,
        against: "Undirected connectable advertising after it; directed advertising to the central.",
        advice: """
            Disconnect the device from its other central, or delete its bond there, so that it advertises to all \
            devices again.
            """, source: "Vol 6, Part B, 2.3.1.2")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        let capture = session.capture.advertising
        let attempt = capture.attempts.attempt(of: failure)
        guard let target = attempt?.target ?? session.link.peripheral else { return nil }
        let own =
            session.link.central.map { Set([$0]) } ?? attempt.flatMap { capture.adapter($0.adapter)?.addresses } ?? []
        let limit = attempt?.end ?? session.connection.opened
        let heard = attempt == nil ? session.link.advertiser : attempt?.heard ?? capture.history(of: target)
        let byHost = capture.adapter(of: target)?.history.directed
        guard let directed = byHost ?? heard?.directed, directed.frame < limit
        else { return nil }
        if own.contains(directed.target) {
            return .excluded("the advertising in frame \(directed.frame.frame) is directed to the central")
        }
        if byHost == nil, let last = heard?.last, last > directed.frame, last < limit {
            return .excluded("undirected advertising followed in frame \(last.frame)")
        }
        let isFixed = !own.isEmpty && ([directed.target] + own).allSatisfy(\.isFixed)
        let isRepeated = attempt == nil && isDirected(target, to: directed.target, after: limit, capture)
        return .found(
            (isFixed || isRepeated) && !capture.followsLoss ? .certain : .likely,
            frames: [directed.frame] + failure.frames,
            text: "\(target.address) advertised to \(directed.target.address) only, in frame \(directed.frame.frame)")
    }

    /// Whether a device goes on to advertise to the same device after a frame, and to all devices not before that.
    private static func isDirected(
        _ device: DeviceAddress, to target: DeviceAddress, after frame: FrameReference, _ capture: AdvertisingHistory
    ) -> Bool {
        guard let history = capture.history(of: device), let later = history.directed else { return false }
        return later.frame > frame && later.target == target && !capture.heard(device, after: frame)
    }
}

extension DeviceAddress {
    /// Whether the device keeps the address: it is public or random static.
    fileprivate var isFixed: Bool { kind == .public || address.randomKind == .static }
}
