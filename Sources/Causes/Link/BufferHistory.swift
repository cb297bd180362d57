import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// The controllers' buffers for ACL data, which Number Of Completed Packets frees (Vol 4, Part E, 4.1.1 and 7.7.19).
final class BufferHistory {
    /// Buffers that a controller has not freed.
    struct Stall {
        /// The first packet that was not completed, the last one, and the last event that completed one; nil for none.
        var first: FrameReference
        var last: FrameReference
        var completed: FrameReference?
        /// The packets that are known to wait, and the controller's buffers; nil where they are not known.
        var waiting: Int
        var buffers: Int?
        /// The last PDU from the peer after the first packet: the connection was alive.
        var received: FrameReference?
        /// Whether the log contains completions of the controller at all.
        var isProven = true
        /// Whether the capture ended before the supervision timeout, after longer than any packet had waited before.
        var isCutShort = false
    }

    private struct Place: Hashable {
        var adapter: UInt16
        var handle: UInt16
    }

    /// The packets of a connection that are known to wait: there may be more, as a host may divide PDUs.
    private struct Waiting {
        /// The frame of each packet.
        var frames: [FrameReference] = []
        var completed: FrameReference?
        var received: FrameReference?
        /// Whether more packets than are kept have waited, so that completions were not captured.
        var isOverfull = false
        /// The longest time that a packet waited for its completion, in seconds.
        var longest = 0.0
    }

    private var waiting: [Place: Waiting] = [:]
    /// Number and size in bytes of each controller's buffers for LE data.
    private var buffers: [UInt16: (count: Int, size: Int)] = [:]
    /// Adapters whose logs contain completions.
    private var completing: Set<UInt16> = []
    private(set) var stalls: [Int: Stall] = [:]

    private static let placeLimit = 1024
    private static let stallLimit = 128
    /// Packets that are kept for each connection.
    private static let packetLimit = 4096
    /// Time for which no packet was completed, in seconds, that no delay of the link layer explains.
    private static let shortest = 2.0
    /// The same where the number of buffers is not known, and the packets that must wait then.
    private static let (shortestOfUnknown, packetsOfUnknown) = (10.0, 3)
    /// Connection events in which a packet is acknowledged as a rule.
    private static let events = 3.0

    func handle(_ event: Event, on session: Session) {
        guard let adapter = event.frame.metadata.hci?.adapter else { return }
        switch event.content {
        case .att, .smp, .signal, .channel: record(event, session)
        case .event(.numberOfCompletedPackets, _):
            guard let completed = try? HCI.NumberOfCompletedPackets(decoding: Array(event.payload)) else { return }
            if completing.count < Self.placeLimit { completing.insert(adapter) }
            for entry in completed.entries where entry.count > 0 {
                let place = Place(adapter: adapter, handle: entry.handle.rawValue & 0x0FFF)
                guard var state = waiting[place] else { continue }
                if let first = state.frames.first {
                    state.longest = max(state.longest, event.moment.seconds(since: first))
                }
                state.frames.removeFirst(min(Int(entry.count), state.frames.count))
                (state.completed, state.received) = (event.moment, nil)
                waiting[place] = state
            }
        case .event(.commandComplete, _): readSize(event, adapter)
        default: break
        }
    }

    private func readSize(_ event: Event, _ adapter: UInt16) {
        guard let complete = try? HCI.CommandComplete(decoding: Array(event.payload)) else { return }
        let size: (count: Int, size: Int)
        switch complete.opcode {
        case .leReadBufferSize, .leReadBufferSizeV2:
            let parameters = Array(complete.returnParameters.prefix(4))
            guard let returned = try? HCI.LEReadBufferSize.Returned(decoding: parameters), returned.status == .success
            else { return }
            size = (Int(returned.packetCount), Int(returned.packetLength))
        case .readBufferSize:
            guard let returned = HCI.ReadBufferSize.Returned(complete.returnParameters), buffers[adapter] == nil else {
                return
            }
            size = (Int(returned.packetCount), Int(returned.packetLength))
        default: return
        }
        guard size.count > 0, size.size > 0, buffers[adapter] != nil || buffers.count < Self.placeLimit else { return }
        buffers[adapter] = size
    }

    /// Counts the packets of a PDU: at least as many as its length needs.
    private func record(_ event: Event, _ session: Session) {
        guard case .host(let adapter, let handle) = session.link.view else { return }
        let place = Place(adapter: adapter, handle: handle.rawValue & 0x0FFF)
        guard waiting[place] != nil || waiting.count < Self.placeLimit else { return }
        var state = waiting[place] ?? Waiting()
        if event.direction == .sent {
            // The ATT PDU of an enhanced bearer is in the PDU of its channel, which has an event of its own.
            if state.frames.last?.frame == event.moment.frame { return }
            let (length, size) = (event.frame.metadata.pdu.count, buffers[adapter]?.size ?? Int.max)
            let packets = max(1, length / size + (length % size == 0 ? 0 : 1))
            if state.frames.count + packets > Self.packetLimit {
                state.isOverfull = true
            } else {
                state.frames += [FrameReference](repeating: event.moment, count: packets)
            }
        } else if !state.frames.isEmpty {
            state.received = event.moment
        }
        waiting[place] = state
    }

    /// Adds the failure of a connection whose packets were not completed until it ended.
    func finish(_ session: Session, _ adapter: UInt16, _ handle: ConnectionHandle, at time: Timestamp) {
        let others = waiting.filter { $0.key.adapter == adapter && $0.key.handle != handle.rawValue & 0x0FFF }
        let state = waiting.removeValue(forKey: Place(adapter: adapter, handle: handle.rawValue & 0x0FFF))
        let size = buffers[adapter]?.count
        guard let state, let first = state.frames.first, let last = state.frames.last,
            completing.contains(adapter) || size != nil && state.received == nil
        else { return }
        let lasted = (time - last.time as TimeSpan).seconds
        let timeout = session.connection.parameters.map { Double($0.timeout) / 100 } ?? 0
        let isCutShort = lasted < max(timeout, size == nil ? Self.shortestOfUnknown : Self.shortest)
        if isCutShort {
            let waited = (time - first.time as TimeSpan).seconds
            guard session.link.end == nil, size != nil, state.completed != nil, waited > 2 * state.longest,
                waited > Self.events * Double(session.connection.parameters?.interval ?? 0) * 0.00125
            else { return }
        }
        let used = others.values.reduce(state.frames.count) { $0 + $1.frames.count }
        // A host that sends more than the controller can hold has received events that the log lacks.
        let isFull = size.map { used == $0 } ?? (state.frames.count >= Self.packetsOfUnknown)
        guard isFull, !state.isOverfull, stalls.count < Self.stallLimit else { return }
        stalls[session.connection.number] = Stall(
            first: first, last: last, completed: state.completed, waiting: used, buffers: size,
            received: state.received, isProven: completing.contains(adapter), isCutShort: isCutShort)
        session.add(Failure(.dataStalled, Set([first, last]).sorted()))
    }
}
