import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit

/// The credits of L2CAP credit-based channels, enhanced ATT bearers included (Vol 3, Part A, 10.1).
struct CreditHistory {
    /// A side that has no credit left.
    struct Exhaustion {
        var cid: L2CAP.ChannelID
        var spsm: L2CAP.SPSM
        /// The K-frame that used the last credit, or the frame that opened the channel without any.
        var frame: FrameReference
        /// Whether that K-frame does not end its SDU, so that more must follow.
        var isWithinSDU: Bool
        /// The request on the bearer that waits for a response of this side.
        var request: FrameReference?
        /// Whether the capture ended too early to show that no credits follow.
        var isCutShort = false
    }

    private struct Place: Hashable {
        var cid: L2CAP.ChannelID
        var direction: L2CAP.Direction
    }

    /// Exhaustions that lasted until the end of the connection or of the channel.
    private(set) var stalled: [Exhaustion] = []
    private static let stalledLimit = 64
    private var channels = L2CAP.CreditBasedChannels()
    private var exhausted: [Place: Exhaustion] = [:]
    /// Requests on enhanced bearers that wait for their response: by the bearer, and the direction of the response.
    private var requests: [UInt8: (direction: L2CAP.Direction, frame: FrameReference)] = [:]

    /// Times without a credit after which a channel has stalled, in seconds: within an SDU, and between SDUs.
    private static let (shortestWithin, shortestBetween) = (2.0, 5.0)

    mutating func handle(_ event: Event) {
        let direction: L2CAP.Direction = event.direction == .received ? .received : .sent
        switch event.content {
        case .signal: for signal in event.signals { handle(signal, direction, event.moment) }
        case .channel(let cid):
            guard channels.isCreditBased(cid, direction) else { return }
            _ = channels.lose(
                payload: Array(event.payload.prefix(2)), length: event.payload.count, on: cid, direction)
            guard let endpoint = channels.endpoint(cid, direction) else { return }
            let place = Place(cid: cid, direction: direction)
            guard endpoint.credits == 0 else {
                exhausted[place] = nil
                return
            }
            exhausted[place] = Exhaustion(
                cid: cid, spsm: endpoint.spsm, frame: event.moment, isWithinSDU: !endpoint.expectsFirstFrame)
        case .att(let att) where att.bearer > 0:
            switch att.kind {
            case .request: requests[att.bearer] = (direction.reversed, event.moment)
            case .response: requests[att.bearer] = nil
            default: break
            }
        default: break
        }
    }

    private mutating func handle(_ signal: L2CAP.Signal, _ direction: L2CAP.Direction, _ frame: FrameReference) {
        _ = channels.observe(signal, direction)
        switch signal.command {
        case let credit as L2CAP.FlowControlCredit:
            // Credits for frames to the sender's endpoint.
            exhausted[Place(cid: credit.cid, direction: direction.reversed)] = nil
        case let request as L2CAP.DisconnectionRequest:
            // Frames to the receiver of the request, and frames to its sender.
            for place in [
                Place(cid: request.destination, direction: direction),
                Place(cid: request.source, direction: direction.reversed),
            ] { settle(place, at: frame.time) }
        case is L2CAP.DisconnectionResponse, is L2CAP.LECreditBasedConnectionResponse,
            is L2CAP.CreditBasedConnectionResponse:
            exhausted = exhausted.filter { channels.endpoint($0.key.cid, $0.key.direction) != nil }
        default: break
        }
    }

    /// Adds the failures of channels that had no credit until the end of the connection.
    mutating func finish(_ session: Session, at time: Timestamp) {
        for (place, _) in exhausted.sorted(by: { $0.value.frame < $1.value.frame }) {
            settle(place, at: time, isOpen: session.link.end == nil)
        }
        for exhaustion in stalled { session.add(Failure(.dataStalled, [exhaustion.frame])) }
    }

    /// Ends the time in which a side had no credit, and keeps it if it lasted too long.
    private mutating func settle(_ place: Place, at time: Timestamp, isOpen: Bool = false) {
        guard var exhaustion = exhausted.removeValue(forKey: place), stalled.count < Self.stalledLimit else { return }
        let number = channels.endpoint(place.cid, place.direction)?.number ?? 0
        if let request = requests[number], request.direction == place.direction { exhaustion.request = request.frame }
        let isWaiting = exhaustion.isWithinSDU || exhaustion.request != nil
        let lasted = (time - exhaustion.frame.time as TimeSpan).seconds
        exhaustion.isCutShort = lasted < (isWaiting ? Self.shortestWithin : Self.shortestBetween)
        if exhaustion.isCutShort, !isOpen || !exhaustion.isWithinSDU { return }
        stalled.append(exhaustion)
    }
}
