import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// The commands of the hosts, and those that their controllers refused.
struct CommandHistory {
    /// A host's command to end a connection (Vol 4, Part E, 7.1.6).
    struct Disconnect {
        var frame: FrameReference
        var reason: HCI.ErrorCode
    }

    private struct Place: Hashable {
        var adapter: UInt16
        /// An opcode or a connection handle.
        var number: UInt16
    }

    /// A command, with what decides whether its refusal matters.
    private struct Sent {
        var frame: FrameReference
        var firstByte: UInt8?
    }

    private var sent: [Place: Sent] = [:]
    private var disconnects: [Place: Disconnect] = [:]
    /// Refused commands, until the host has repeated them with success.
    private var refused: [(place: Place, failure: Failure)] = []

    private static let placeLimit = 1024
    private static let refusedLimit = 64
    /// A host that repeats a refused command with success within this time has handled the refusal.
    private static let retryTime = 5.0

    mutating func handle(_ event: Event, on session: Session) {
        guard let adapter = event.frame.metadata.hci?.adapter else { return }
        switch event.content {
        case .command(let opcode): record(opcode, event, adapter)
        case .event(.commandComplete, _):
            guard let complete = try? HCI.CommandComplete(decoding: Array(event.payload)),
                complete.opcode.returnsStatus,
                let status = complete.returnParameters.first
            else { return }
            apply(HCI.ErrorCode(rawValue: status), complete.opcode, event, adapter)
        case .event(.commandStatus, _):
            guard let status = try? HCI.CommandStatus(decoding: Array(event.payload)) else { return }
            apply(status.status, status.opcode, event, adapter)
        case .event(.leMeta, .connectionUpdateComplete):
            guard let update = try? HCI.LEConnectionUpdateComplete(decoding: Array(event.payload.dropFirst())),
                update.status != .success, !Self.harmlessUpdates.contains(update.status),
                let command = sent[Place(adapter: adapter, number: HCI.Opcode.leConnectionUpdate.rawValue)]
            else { return }
            session.add(
                Failure(
                    .commandFailed, [command.frame, event.moment], .status(update.status, command: .leConnectionUpdate))
            )
        default: break
        }
    }

    /// The command that ends a connection which was opened in a frame; nil if none was captured.
    func disconnect(_ adapter: UInt16, _ handle: ConnectionHandle, after opened: FrameReference) -> Disconnect? {
        guard let command = disconnects[Place(adapter: adapter, number: handle.rawValue)], command.frame > opened else {
            return nil
        }
        return command
    }

    /// Adds the failures of commands that were refused and not repeated with success.
    mutating func finish(_ session: Session) {
        for refusal in refused { session.add(refusal.failure) }
        refused.removeAll()
    }

    private mutating func record(_ opcode: HCI.Opcode, _ event: Event, _ adapter: UInt16) {
        let place = Place(adapter: adapter, number: opcode.rawValue)
        if sent[place] != nil || sent.count < Self.placeLimit {
            sent[place] = Sent(frame: event.moment, firstByte: event.payload.first)
        }
        guard opcode == .disconnect, let command = try? HCI.Disconnect(decoding: Array(event.payload)) else { return }
        let link = Place(adapter: adapter, number: command.handle.rawValue)
        guard disconnects[link] != nil || disconnects.count < Self.placeLimit else { return }
        disconnects[link] = Disconnect(frame: event.moment, reason: command.reason)
    }

    private mutating func apply(_ status: HCI.ErrorCode, _ opcode: HCI.Opcode, _ event: Event, _ adapter: UInt16) {
        let place = Place(adapter: adapter, number: opcode.rawValue)
        if status == .success {
            refused.removeAll { refusal in
                refusal.place.adapter == adapter
                    && HCI.Opcode(rawValue: refusal.place.number).isReplaced(by: opcode)
                    && event.moment.seconds(since: refusal.failure.frames[0]) < Self.retryTime
            }
            return
        }
        guard let command = sent[place], !opcode.isProbe, !isHarmless(status, opcode),
            !opcode.isUndoing(firstByte: command.firstByte), refused.count < Self.refusedLimit
        else { return }
        let frames = [command.frame, event.moment].sorted()
        refused.append((place, Failure(.commandFailed, frames, .status(status, command: opcode))))
    }

    /// Whether a command is refused for what a controller or the peer need not support, unless the host depends on it.
    private func isHarmless(_ status: HCI.ErrorCode, _ opcode: HCI.Opcode) -> Bool {
        switch status {
        case .unknownCommand, .unsupportedFeatureOrParameterValue: !opcode.isNeeded
        default: Self.harmless.contains(status)
        }
    }

    /// Statuses of commands for what a controller or the peer need not support, and for a connection that has just
    /// ended.
    private static let harmless: Set<HCI.ErrorCode> = [
        .unknownCommand, .unsupportedFeatureOrParameterValue, .unsupportedRemoteFeature, .unknownConnectionIdentifier,
    ]
    /// Statuses of an update that the peer does not support, that lost its connection, or that crossed another one.
    private static let harmlessUpdates: Set<HCI.ErrorCode> = harmless.union(
        [0x08, 0x13, 0x16, 0x23, 0x2A].map { HCI.ErrorCode(rawValue: $0) })
}

extension HCI.Opcode {
    /// Commands that begin a connection: LE Create Connection and LE Extended Create Connection, version 1 and 2.
    static let ofConnecting: Set<HCI.Opcode> = [
        .leCreateConnection, .leExtendedCreateConnection, HCI.Opcode(rawValue: 0x2085),
    ]

    /// Whether the first return parameter of the command is a status.
    fileprivate var returnsStatus: Bool { !isVendorSpecific && HCI.CommandRow.table[self] != nil }

    /// Whether hosts find out with it what the controller offers, or another part reports its refusal: attempts to
    /// connect, and the start of encryption.
    fileprivate var isProbe: Bool {
        if isVendorSpecific || isOfBTstack || [0, 4, 5, 6].contains(group) { return true }
        if Self.ofConnecting.contains(self) || [0x2019, 0x201A, 0x201B, 0x0405, 0x0411, 0x0413].contains(rawValue) {
            return true
        }
        guard let name else { return true }
        return name.hasPrefix("Read ") || name.hasPrefix("LE Read ")
    }

    /// Commands that do the same, legacy and extended: parameters of advertising, its start, parameters of scanning, its
    /// start.
    private static let alternatives: [Set<UInt16>] = [
        [0x2006, 0x2036, 0x207F], [0x200A, 0x2039], [0x200B, 0x2041], [0x200C, 0x2042],
    ]

    /// Whether a host that sends the command depends on it: it starts advertising or scanning, or is LE Set PHY, which
    /// hosts send for PHYs that the controller is known to support.
    fileprivate var isNeeded: Bool {
        rawValue == 0x2032 || Self.alternatives.contains { $0.contains(rawValue) }
    }

    /// Whether success of another command makes up for a refusal of this one: the same command, or its alternative.
    fileprivate func isReplaced(by other: Self) -> Bool {
        self == other || Self.alternatives.contains { $0.contains(rawValue) && $0.contains(other.rawValue) }
    }

    /// Whether the command stops or removes something, which may have ended by itself; `firstByte` is its first
    /// parameter.
    fileprivate func isUndoing(firstByte: UInt8?) -> Bool {
        switch rawValue {
        // Inquiry, Create Connection, LE Create Connection and LE Periodic Advertising Create Sync are cancelled.
        case 0x0402, 0x0408, 0x200E, 0x2045: true
        // Lists are cleared; devices and advertising sets are removed.
        case 0x2010, 0x2012, 0x2028, 0x2029, 0x203C, 0x203D, 0x2048, 0x2049: true
        // Disconnect.
        case 0x0406: true
        // Advertising and scanning, legacy and extended.
        case 0x200A, 0x200C, 0x2039, 0x2040, 0x2042: firstByte == 0
        default: false
        }
    }
}
