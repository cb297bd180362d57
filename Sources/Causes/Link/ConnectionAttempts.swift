import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// An attempt of a host to connect, from its first command to its end.
struct ConnectionAttempt {
    var adapter: UInt16
    var opcode: HCI.Opcode
    /// The first command, and the host's cancellation.
    var command: FrameReference
    var cancel: FrameReference?
    /// The device; nil for all devices on the filter accept list.
    var target: DeviceAddress?
    /// The filter accept list when the attempt ended.
    var acceptList = AcceptList()
    /// The frame that ended it, and its status.
    var end: FrameReference?
    var status = HCI.ErrorCode.success
    /// What was known of the device when the attempt ended.
    var heard: AdvertiserHistory?
    /// For an attempt by the filter accept list: when a device on it was heard last, and the devices that are not on it
    /// and accepted connections, the latest last.
    var listed: FrameReference?
    var unlisted: [(device: DeviceAddress, frame: FrameReference)] = []
    /// Time for which the host's controller had scanned before, in seconds.
    var scanned = 0.0
    /// Whether the host has filled its filter accept list for this attempt.
    var isComposed = false
    /// Whether the controller refused the command.
    var isRefused = false
    /// Whether something of the capture is missing up to the end.
    var followsLoss = false
    /// On the air: whether a sniffer heard advertising during the attempt.
    var isOnAir = false

    /// How long the host tried, in seconds.
    var duration: Double { (cancel ?? end ?? command).seconds(since: command) }
}

/// The filter accept list of a controller (Vol 4, Part E, 7.8.15 to 7.8.17).
struct AcceptList {
    private(set) var devices: Set<DeviceAddress> = []
    /// Whether all devices on the list are known: the capture shows that it was cleared.
    private(set) var isKnown = false
    private(set) var lastRemoval: FrameReference?
    /// Devices that were removed.
    private(set) var removed: Set<DeviceAddress> = []
    /// The command that cleared the list, until an attempt uses the devices that follow it.
    var cleared: FrameReference?

    private static let limit = 64

    /// Whether the list is known to have no devices: no device can connect.
    var isEmpty: Bool { isKnown && devices.isEmpty }

    mutating func clear() { self = AcceptList(isKnown: true) }

    init() {}
    private init(isKnown: Bool) { self.isKnown = isKnown }

    mutating func add(_ device: DeviceAddress) {
        removed.remove(device)
        if devices.count < Self.limit { devices.insert(device) } else { isKnown = false }
    }

    mutating func remove(_ device: DeviceAddress, at frame: FrameReference) {
        devices.remove(device)
        if removed.count < Self.limit { removed.insert(device) }
        lastRemoval = frame
    }
}

/// The attempts of all hosts to connect.
struct ConnectionAttempts {
    private var open: [UInt16: ConnectionAttempt] = [:]
    /// Attempts that their hosts have cancelled, until it is known whether they go on.
    private var cancelled: [ConnectionAttempt] = []
    /// Attempts that have failed.
    private(set) var failed: [ConnectionAttempt] = []
    private var acceptLists: [UInt16: AcceptList] = [:]

    private static let failedLimit = 128
    private static let adapterLimit = 64
    /// A host that connects again within this time, in seconds, goes on with its attempt.
    private static let pause = 2.0
    /// Hosts cancel shorter attempts, in seconds, to change their parameters.
    private static let shortest = 0.9
    /// The same for attempts to connect to any device on the filter accept list, which hosts make in the background.
    private static let shortestInBackground = 5.0

    /// The attempt that a failure reports.
    func attempt(of failure: Failure) -> ConnectionAttempt? {
        failed.last { $0.end?.frame == failure.frames.last?.frame }
    }

    func acceptList(_ adapter: UInt16) -> AcceptList { acceptLists[adapter] ?? AcceptList() }

    mutating func handle(_ event: Event, on session: Session) {
        if !cancelled.isEmpty { settle(before: event.moment, session) }
        guard let adapter = event.frame.metadata.hci?.adapter else { return }
        switch event.content {
        case .command(let opcode): handle(opcode, event, adapter)
        case .event(.commandStatus, _):
            guard let status = try? HCI.CommandStatus(decoding: Array(event.payload)), status.status != .success,
                HCI.Opcode.ofConnecting.contains(status.opcode), var attempt = open.removeValue(forKey: adapter)
            else { return }
            attempt.isRefused = true
            end(attempt, status.status, event.moment, session)
        case .event(.leMeta, .connectionComplete), .event(.leMeta, .enhancedConnectionComplete),
            .event(.leMeta, .enhancedConnectionCompleteV2):
            complete(event, adapter, session)
        case .event(.connectionComplete, _):
            guard let complete = try? HCI.ConnectionComplete(decoding: Array(event.payload)),
                complete.status != .success
            else { return }
            var attempt = ConnectionAttempt(
                adapter: adapter, opcode: HCI.Opcode(rawValue: 0x0405), command: event.moment)
            attempt.target = DeviceAddress(complete.peer, .public)
            end(attempt, complete.status, event.moment, session)
        default: break
        }
    }

    private mutating func handle(_ opcode: HCI.Opcode, _ event: Event, _ adapter: UInt16) {
        let parameters = ValueBytes(event.payload)
        guard acceptLists[adapter] != nil || acceptLists.count < Self.adapterLimit else { return }
        switch opcode.rawValue {
        case 0x0C03:
            open[adapter] = nil
            cancelled.removeAll { $0.adapter == adapter }
            acceptLists[adapter, default: AcceptList()].clear()
        case 0x2010:
            acceptLists[adapter, default: AcceptList()].clear()
            acceptLists[adapter]?.cleared = event.moment
        case 0x2011:
            if let device = parameters.device(at: 0) { acceptLists[adapter, default: AcceptList()].add(device) }
        case 0x2012:
            guard let device = parameters.device(at: 0) else { return }
            acceptLists[adapter, default: AcceptList()].remove(device, at: event.moment)
        case 0x200E: open[adapter]?.cancel = event.moment
        case _ where HCI.Opcode.ofConnecting.contains(opcode): begin(opcode, parameters, event.moment, adapter)
        default: break
        }
    }

    private mutating func begin(
        _ opcode: HCI.Opcode, _ parameters: ValueBytes, _ frame: FrameReference, _ adapter: UInt16
    ) {
        // Before the filter policy: scan interval and window; in version 2, an advertising set and a subevent. In
        // extended commands, the own address type is before the peer's address, otherwise after it.
        let (policy, device) =
            switch opcode.rawValue {
            case 0x200D: (4, 5)
            case 0x2043: (0, 2)
            default: (2, 4)
            }
        guard let filter = parameters.u8(policy) else { return }
        let target = filter & 1 == 0 ? parameters.device(at: device) : nil
        var attempt = ConnectionAttempt(adapter: adapter, opcode: opcode, command: frame)
        attempt.target = target
        if target == nil {
            attempt.isComposed = acceptLists[adapter]?.cleared != nil
            acceptLists[adapter]?.cleared = nil
        }
        if let index = cancelled.firstIndex(where: { $0.adapter == adapter && $0.target == target }) {
            attempt.command = cancelled.remove(at: index).command
        }
        open[adapter] = attempt
    }

    private mutating func complete(_ event: Event, _ adapter: UInt16, _ session: Session) {
        let parameters = Array(event.payload.dropFirst())
        var reader = ByteReader(parameters.span)
        guard let head = try? HCI.readConnectionHead(&reader) else { return }
        if head.status == .success {
            guard head.role == .central else { return }
            open[adapter] = nil
            let peer = DeviceAddress(head.peer, head.peerType)
            cancelled.removeAll { $0.adapter == adapter && ($0.target == nil || $0.target == peer) }
            return
        }
        let isAdvertiser = head.status == .advertisingTimeout
        var attempt = isAdvertiser ? nil : open.removeValue(forKey: adapter)
        if attempt == nil {
            // Cancelled by a host whose command was not captured.
            if Self.cancellations.contains(head.status) { return }
            attempt = ConnectionAttempt(adapter: adapter, opcode: .leCreateConnection, command: event.moment)
            if isAdvertiser { attempt?.opcode = .leSetAdvertisingEnable }
            attempt?.target = DeviceAddress(head.peer, head.peerType)
        }
        guard let attempt else { return }
        end(attempt, head.status, event.moment, session)
    }

    /// Ends an attempt without a connection.
    private mutating func end(
        _ attempt: ConnectionAttempt, _ status: HCI.ErrorCode, _ frame: FrameReference, _ session: Session
    ) {
        let advertising = session.capture.advertising
        var attempt = attempt
        attempt.end = frame
        attempt.status = status
        attempt.acceptList = acceptList(attempt.adapter)
        attempt.heard = attempt.target.flatMap { advertising.history(of: $0) }
        attempt.scanned = advertising.scanned(attempt.adapter, until: attempt.command)
        attempt.followsLoss = advertising.followsLoss
        attempt.isOnAir = advertising.lastOnAir.map { $0 > attempt.command } ?? false
        if attempt.target == nil {
            let heard = advertising.connectable(before: frame)
            attempt.listed = heard.last { attempt.acceptList.devices.contains($0.device) }?.frame
            attempt.unlisted = heard.filter { !attempt.acceptList.devices.contains($0.device) }
        }
        if Self.cancellations.contains(status) {
            let isInBackground = attempt.target == nil && !attempt.acceptList.isEmpty
            let shortest = isInBackground ? Self.shortestInBackground : Self.shortest
            guard attempt.duration >= shortest, cancelled.count < Self.failedLimit else { return }
            cancelled.append(attempt)
        } else {
            fail(attempt, session)
        }
    }

    /// Adds the failures of cancelled attempts that their hosts have not continued.
    private mutating func settle(before now: FrameReference?, _ session: Session) {
        let due = cancelled.filter { attempt in
            guard let now, let end = attempt.end else { return true }
            return now.seconds(since: end) >= Self.pause
        }
        guard !due.isEmpty else { return }
        cancelled.removeAll { attempt in due.contains { $0.end?.frame == attempt.end?.frame } }
        for attempt in due where attempt.target != nil || isWanted(attempt, session) { fail(attempt, session) }
    }

    /// Whether a host that connects to any device on its filter accept list wants one of them now: it is the only one,
    /// or the host gives up and removes it.
    private func isWanted(_ attempt: ConnectionAttempt, _ session: Session) -> Bool {
        if attempt.acceptList.isKnown, attempt.acceptList.devices.count <= 1 { return true }
        guard let end = attempt.end else { return false }
        if attempt.isComposed,
            attempt.unlisted.contains(where: { session.capture.advertising.heard($0.device, after: end) })
        {
            return true
        }
        guard let removal = acceptList(attempt.adapter).lastRemoval else { return false }
        return removal > attempt.command && removal.seconds(since: end) < Self.pause
    }

    private mutating func fail(_ attempt: ConnectionAttempt, _ session: Session) {
        guard let end = attempt.end, failed.count < Self.failedLimit else { return }
        failed.append(attempt)
        let frames = Set([attempt.command, attempt.cancel ?? end, end]).sorted()
        session.capture.advertising.addOutside(
            Failure(.notConnected, frames, .status(attempt.status, command: attempt.opcode)))
    }

    /// Settles what is still open at the end of the capture; attempts that go on are no failures.
    mutating func finish(_ session: Session) {
        settle(before: nil, session)
        open.removeAll()
    }

    /// Unknown Connection Identifier and Operation Cancelled by Host: the host has cancelled the attempt.
    static let cancellations: Set<HCI.ErrorCode> = [.unknownConnectionIdentifier, .operationCancelledByHost]
}

extension ValueBytes {
    /// A device address with its type before it.
    func device(at offset: Int) -> DeviceAddress? {
        guard let type = u8(offset), let low = u32(offset + 1), let high = u16(offset + 5) else { return nil }
        return DeviceAddress(
            Address(value: UInt64(high) << 32 | UInt64(low)), HCI.AddressType(rawValue: type))
    }
}
