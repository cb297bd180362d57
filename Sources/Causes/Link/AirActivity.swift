import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// When each side of the connections on the air was heard last, empty PDUs and repetitions included.
final class AirActivity {
    /// The packets of one connection.
    struct Link {
        private(set) var central: FrameReference?
        private(set) var peripheral: FrameReference?
        /// Packets of damaged or unknown origin.
        private(set) var unknown: FrameReference?
        private(set) var countOfCentral = 0
        private(set) var countOfPeripheral = 0
        private(set) var countOfUnknown = 0
        /// New packets of the central since the last one of the peripheral, repetitions not counted: more than one mean
        /// that the central has received acknowledgements, which the sniffer did not hear.
        private(set) var newSincePeripheral = 0
        /// The packet that failed its integrity check, as a sniffer with the key states, and its direction; nil once its
        /// sender goes on to another packet, as the receiver has acknowledged it.
        private(set) var failed: (frame: FrameReference, direction: Direction)?
        /// Whether a sniffer with the key found a packet intact.
        private var hasValidMIC = false

        mutating func record(_ direction: Direction, _ frame: FrameReference, isRepeated: Bool) {
            if !isRepeated, direction == failed?.direction { failed = nil }
            switch direction {
            case .sent:
                (central, countOfCentral) = (frame, countOfCentral + 1)
                if !isRepeated { newSincePeripheral += 1 }
            case .received: (peripheral, countOfPeripheral, newSincePeripheral) = (frame, countOfPeripheral + 1, 0)
            default: (unknown, countOfUnknown) = (frame, countOfUnknown + 1)
            }
        }

        /// Records the integrity check of the last packet. Without the key, sniffers report each one as failed: it counts
        /// if the sniffer has decrypted the packet, or has found another one intact.
        mutating func record(_ capture: LL.CaptureHeader, _ direction: Direction, _ frame: FrameReference) {
            if capture.mic == .valid { hasValidMIC = true }
            guard capture.mic == .invalid, failed == nil, capture.isDecrypted || hasValidMIC else { return }
            failed = (frame, direction)
        }
    }

    private var links: [Int: Link] = [:]
    /// Connections of a merged file that another capture shows better: PDUs of them have no events here.
    private var secondViews: Set<Int> = []
    /// Connections that are followed at one time; beyond that, the one that began first is forgotten.
    private static let limit = 1024

    /// Records the data channel PDUs of a batch, and which connections it shows less well than another capture.
    func observe(_ batch: borrowing TrackedBatch) {
        for index in batch.metadata.indices {
            let connection = batch.metadata[index].connection
            guard connection >= 0 else { continue }
            if batch.metadata[index].notes.contains(.secondView), secondViews.count < Self.limit {
                secondViews.insert(Int(connection) + 1)
            }
            if batch.metadata[index].hci != nil { continue }
            switch batch.metadata[index].kind {
            case .data, .control, .empty, .damaged: break
            default: continue
            }
            let number = Int(connection) + 1
            if links[number] == nil, links.count >= Self.limit, let oldest = links.keys.min() { links[oldest] = nil }
            let packet = batch.metadata[index].packet
            let isDamaged = batch.metadata[index].kind == .damaged
            let direction = isDamaged ? .unknown : batch.metadata[index].direction
            let frame = FrameReference(frame: packet.number, time: packet.time, connection: number)
            links[number, default: Link()].record(
                direction, frame, isRepeated: batch.metadata[index].notes.contains(.retransmission))
            if !isDamaged, batch.metadata[index].kind != .empty,
                let capture = batch.linkLayer(of: batch.metadata[index])?.capture
            {
                links[number]?.record(capture, direction, frame)
            }
        }
    }

    /// Whether another capture of a merged file shows a connection better.
    func isSecondView(_ connection: Int) -> Bool { secondViews.contains(connection) }

    /// Returns the packets of a connection that has ended, and forgets them.
    func take(_ connection: Int) -> Link? { links.removeValue(forKey: connection) }
}

/// The end of a connection on the air without LL_TERMINATE_IND: silence, while the sniffer heard other packets.
struct AirSilence {
    enum Kind {
        /// The peripheral never sent on the connection.
        case neverAnswered
        /// Both sides were heard, and then one or both no more.
        case vanished
    }

    let kind: Kind
    /// The last packets of each side, and of both.
    let lastOfCentral: FrameReference?
    let lastOfPeripheral: FrameReference?
    let last: FrameReference
    /// Packets of the central on the connection.
    let countOfCentral: Int
    /// Time between the last packet and the end of the capture, in seconds.
    let lasted: Double
    /// The supervision timeout, in seconds.
    let timeout: Double
    /// The first advertisement of the peripheral after the last packet.
    let advertised: FrameReference?
    /// The packet before the silence that failed its integrity check and was not acknowledged.
    let failed: FrameReference?
    /// The change with which the peripheral fell silent, and which the central repeated beyond its instant.
    private(set) var overdue: InstantHistory.Change?

    /// The central ends an attempt after this number of connection events (Vol 6, Part B, 4.5.2).
    static let attempts = 6.0

    /// Nil if the connection may have gone on, or ended with a PDU that was not captured.
    init?(_ link: AirActivity.Link, _ session: Session, at time: Timestamp) {
        let connection = session.connection
        guard let parameters = connection.parameters,
            let last = [link.central, link.peripheral, link.unknown, connection.opened].compactMap({ $0 }).max()
        else { return nil }
        let change = session.link.instants.last.flatMap { change in
            link.peripheral.map { $0 < change.frame } ?? true ? change : nil
        }
        // Parameters that the peripheral has not acknowledged are not in effect.
        timeout = Double(change?.parameters.timeout ?? parameters.timeout) / 100
        lasted = (time - last.time as TimeSpan).seconds
        (lastOfCentral, lastOfPeripheral, self.last) = (link.central, link.peripheral, last)
        countOfCentral = link.countOfCentral
        let history = session.link.peripheral.flatMap { session.capture.advertising.history(of: $0) }
        advertised = history?.resumed.flatMap { $0 > last ? $0 : nil }
        failed = link.failed?.frame
        guard connection.isBeginningCaptured || link.countOfPeripheral > 0 else { return nil }
        if link.countOfPeripheral == 0 {
            kind = .neverAnswered
            // A sniffer that did not follow the connection hears nothing of it; a central that goes on has an answer
            // that the sniffer did not hear.
            let attempts = Self.attempts * Double(parameters.interval) * 0.00125
            guard let tried = link.central, link.countOfUnknown == 0, lasted > attempts,
                tried.seconds(since: connection.opened) < 2 * attempts
            else { return nil }
            return
        }
        kind = .vanished
        let silenceOfPeripheral = lastOfPeripheral.map { last.seconds(since: $0) } ?? 0
        let events = Double(parameters.latency) + Self.attempts
        // After a failed integrity check, the receiver falls silent at once.
        if failed != nil, lasted > events * Double(parameters.interval) * 0.00125 { return }
        guard lasted > timeout || isOver(link), link.unknown.map({ $0 < last }) ?? true else { return nil }
        if let change, let lastOfCentral, change.isOverdue(at: lastOfCentral),
            change.frame.seconds(since: lastOfPeripheral ?? connection.opened) <= change.answerTime
        {
            overdue = change
        }
        // A peripheral that advertises earlier has received an LL_TERMINATE_IND.
        if silenceOfPeripheral < timeout / 2 {
            guard connection.isComplete else { return nil }
            if let advertised, advertised.seconds(since: last) < timeout * 0.9 { return nil }
        } else if silenceOfPeripheral > timeout * 1.3, overdue == nil {
            // A central that goes on for longer hears the peripheral, which the sniffer does not. One that repeats a
            // change goes on for the timeout after its instant.
            return nil
        }
    }

    /// Whether the supervision timeout is over by the last packet already: the central repeated its packet for so long.
    private func isOver(_ link: AirActivity.Link) -> Bool { hasTimedOut && link.newSincePeripheral <= 1 }

    /// How long the central went on alone, in seconds.
    var centralAlone: Double {
        guard let lastOfCentral, let lastOfPeripheral else { return 0 }
        return max(0, lastOfCentral.seconds(since: lastOfPeripheral))
    }

    /// Whether the central was heard until its supervision timeout: in 90 % of it, as it skips events under load.
    var hasTimedOut: Bool { centralAlone >= timeout * 0.9 }
}
