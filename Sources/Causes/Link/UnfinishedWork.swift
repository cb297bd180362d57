import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// What a connection has begun and not completed: without it, an end for reason 0x13 or 0x16 is a normal one.
struct UnfinishedWork {
    /// Something that was left undone.
    struct Item {
        enum Kind {
            case request(ATT.Opcode)
            case pairing
            case discovery
            case queuedWrites
            /// Nothing was sent at all.
            case nothing
        }

        var kind: Kind
        /// The frame that began it, or the last one of it; nil for `nothing`.
        var frame: FrameReference?
    }

    private struct Bearer: Hashable {
        var number: UInt8
        /// The side that sends the requests.
        var direction: Direction
    }

    private var requests: [Bearer: (opcode: ATT.Opcode, frame: FrameReference)] = [:]
    private var pairing: FrameReference?
    /// The last response of a discovery of all services, if it did not reach the last handle.
    private var discovery: FrameReference?
    private var queue: FrameReference?
    /// Whether the hosts have exchanged anything.
    private var hasTraffic = false

    /// Commands that hosts send on each connection: Disconnect, reads of versions, features and signal strength, data
    /// length and PHY (Vol 4, Part E, 7.1.6, 7.1.23, 7.5.4, 7.8.21, 7.8.33, 7.8.47 and 7.8.49).
    private static let routine: Set<UInt16> = [0x0406, 0x041D, 0x1405, 0x2016, 0x2022, 0x2030, 0x2032]
    /// A connection that ends later, without any traffic, was meant to be idle.
    private static let shortest = 1.5

    mutating func handle(_ event: Event) {
        switch event.content {
        case .att(let att):
            hasTraffic = true
            handle(att, event)
        case .smp(let opcode):
            hasTraffic = true
            switch opcode {
            case .pairingFailed: pairing = nil
            case .pairingRequest: pairing = event.moment
            // Keys are distributed once the connection is encrypted.
            case .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
                .signingInformation:
                pairing = nil
            default: if pairing != nil { pairing = event.moment }
            }
        case .encryption(let isOn): if isOn { (pairing, hasTraffic) = (nil, true) }
        case .event(.encryptionKeyRefreshComplete, _), .control(.startEncRsp): pairing = nil
        case .channel: hasTraffic = true
        // The host uses the connection for something that has no channel: isochronous streams, Channel Sounding, tests of
        // parameters.
        case .command(let opcode): if !Self.routine.contains(opcode.rawValue) { hasTraffic = true }
        default: break
        }
    }

    private mutating func handle(_ att: ATTTraffic, _ event: Event) {
        switch att.kind {
        case .request:
            discovery = nil
            requests[Bearer(number: att.bearer, direction: event.direction)] = (att.opcode, event.moment)
            if att.opcode == .prepareWriteRequest { queue = event.moment }
            if att.opcode == .executeWriteRequest { queue = nil }
        case .response:
            requests[Bearer(number: att.bearer, direction: event.direction.opposite)] = nil
            guard let last = event.att(ATT.ReadByGroupTypeResponse.self)?.groups.last else { return }
            discovery = last.end == Handle(0xFFFF) ? nil : event.moment
        default: break
        }
    }

    /// The most telling item at the end of a connection; nil if nothing was left to do, or if the capture does not show
    /// it.
    func item(at end: FrameReference, of connection: Connection) -> Item? {
        // Connections of BR/EDR have no such parameters: hosts open them to read a name, and close them.
        guard connection.parameters != nil else { return nil }
        // What completes the item may be missing in a gap after it.
        guard let item = candidate(at: end, of: connection), connection.lastGap <= item.frame?.frame ?? 0 else {
            return nil
        }
        return item
    }

    private func candidate(at end: FrameReference, of connection: Connection) -> Item? {
        if let pairing { return Item(kind: .pairing, frame: pairing) }
        if let request = requests.values.min(by: { $0.frame < $1.frame }) {
            return Item(kind: .request(request.opcode), frame: request.frame)
        }
        if let queue { return Item(kind: .queuedWrites, frame: queue) }
        if let discovery, end.seconds(since: discovery) < Self.shortest {
            return Item(kind: .discovery, frame: discovery)
        }
        let lasted = end.seconds(since: connection.opened)
        guard connection.isBeginningCaptured, !hasTraffic, lasted >= 0, lasted < Self.shortest else { return nil }
        return Item(kind: .nothing, frame: nil)
    }
}

extension UnfinishedWork.Item {
    /// What was left undone, after the end of the connection in words.
    var text: String {
        let at = frame.map { "in frame \($0.frame)" } ?? ""
        switch kind {
        case .request(let opcode): return "while the \(opcode.name ?? "request") \(at) was unanswered"
        case .pairing: return "during the pairing, whose last command is \(at)"
        case .discovery: return "during the discovery of services, whose last response is \(at)"
        case .queuedWrites: return "before the writes that were prepared \(at) were executed"
        case .nothing: return "before the hosts exchanged any data"
        }
    }

    /// Whether the end of the connection left a procedure incomplete, which no other cause need have stopped.
    var isEvident: Bool {
        switch kind {
        case .discovery, .nothing: false
        case .request, .pairing, .queuedWrites: true
        }
    }
}
