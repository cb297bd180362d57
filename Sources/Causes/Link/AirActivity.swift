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

        mutating func record(_ direction: Direction, _ frame: FrameReference) {
            switch direction {
            case .sent: (central, countOfCentral) = (frame, countOfCentral + 1)
            case .received: (peripheral, countOfPeripheral) = (frame, countOfPeripheral + 1)
            default: (unknown, countOfUnknown) = (frame, countOfUnknown + 1)
            }
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
            links[number, default: Link()].record(
                isDamaged ? .unknown : batch.metadata[index].direction,
                FrameReference(frame: packet.number, time: packet.time, connection: number))
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

    /// The central ends an attempt after this number of connection events (Vol 6, Part B, 4.5.2).
    static let attempts = 6.0

    /// Nil if the connection may have gone on, or ended with a PDU that was not captured.
    init?(_ link: AirActivity.Link, _ session: Session, at time: Timestamp) {
        let connection = session.connection
        guard let parameters = connection.parameters,
            let last = [link.central, link.peripheral, link.unknown, connection.opened].compactMap({ $0 }).max()
        else { return nil }
        timeout = Double(parameters.timeout) / 100
        lasted = (time - last.time as TimeSpan).seconds
        (lastOfCentral, lastOfPeripheral, self.last) = (link.central, link.peripheral, last)
        countOfCentral = link.countOfCentral
        let history = session.link.peripheral.flatMap { session.capture.advertising.history(of: $0) }
        advertised = history?.resumed.flatMap { $0 > last ? $0 : nil }
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
        guard lasted > timeout, link.unknown.map({ $0 < last }) ?? true else { return nil }
        // A peripheral that advertises earlier has received an LL_TERMINATE_IND.
        if silenceOfPeripheral < timeout / 2 {
            guard connection.isComplete else { return nil }
            if let advertised, advertised.seconds(since: last) < timeout * 0.9 { return nil }
        } else if silenceOfPeripheral > timeout * 1.3 {
            // A central that goes on for longer hears the peripheral, which the sniffer does not.
            return nil
        }
    }

    /// How long the central went on alone, in seconds.
    var centralAlone: Double {
        guard let lastOfCentral, let lastOfPeripheral else { return 0 }
        return max(0, lastOfCentral.seconds(since: lastOfPeripheral))
    }

    /// Whether the central was heard until its supervision timeout: in 90 % of it, as it skips events under load.
    var hasTimedOut: Bool { centralAlone >= timeout * 0.9 }
}
