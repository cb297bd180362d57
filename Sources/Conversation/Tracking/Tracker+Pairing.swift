import Bluetooth
import Bytes
import Captures

// Pairing of responses with the requests of a bearer.
extension Tracker {
    /// Records a request that is sent before the previous one was answered, and keeps the previous one.
    @inline(__always)
    mutating func noteOverlap(_ metadata: inout FrameMetadata, _ place: DirectionIndex) {
        if directions[place].bearer.request.isOpen { keepOverlapped(&metadata, place) }
    }

    private mutating func keepOverlapped(_ metadata: inout FrameMetadata, _ place: DirectionIndex) {
        if directions[place].bearer.isPairingUncertain {
            // A client that waits sends its next request after the response, so the last response answered the last
            // request.
            directions[place].bearer.isPairingUncertain = false
            directions[place].bearer.olderRequests.removeAll()
            directions[place].bearer.isOverlapped = false
            return
        }
        directions[place].bearer.isOverlapped = true
        metadata.notes.insert(.overlapping)
        if directions[place].bearer.olderRequests.count >= Self.overlapLimit {
            directions[place].bearer.olderRequests.removeFirst()
        }
        directions[place].bearer.olderRequests.append(directions[place].bearer.request.metadata)
    }

    /// Unanswered requests that a bearer keeps besides the last one.
    private static let overlapLimit = 7

    /// Closes and returns the request that a response answers; nil if none is pending. A response answers no request
    /// that was sent after the response's first fragment.
    @inline(__always)
    mutating func takeRequest(
        answeredBy response: RawSpan, _ metadata: FrameMetadata, _ connection: OpenConnection.Index
    ) -> RequestFacts? {
        let asked = DirectionIndex(connection, metadata.direction.opposite)
        let start =
            metadata.pdu.place == .reassembled && !metadata.isPDUDecrypted
            ? directions[connection, metadata.direction].firstFragment : metadata.packet.number
        if !directions[asked].bearer.olderRequests.isEmpty {
            return takeOverlapped(answeredBy: response, from: start, metadata, connection)
        }
        guard directions[asked].bearer.request.isOpen, directions[asked].bearer.request.metadata.frame <= start,
            Self.answers(response, directions[asked].bearer.request.metadata.opcode)
        else { return nil }
        let time = metadata.packet.time
        directions[asked].bearer.request.close()
        directions[asked].bearer.isPairingUncertain = false
        directions[asked].bearer.lastResponse = time
        directions[asked].bearer.shortestLatency = min(
            directions[asked].bearer.shortestLatency,
            max(.zero, time - directions[asked].bearer.request.metadata.time))
        return directions[asked].bearer.request.metadata
    }

    /// Does the same if several requests are pending: a server answers in order (Vol 3, Part F, 3.3.2), so the response
    /// belongs to the oldest request that it fits, unless the response to that one is missing from the capture.
    private mutating func takeOverlapped(
        answeredBy response: RawSpan, from start: Int, _ metadata: FrameMetadata, _ connection: OpenConnection.Index
    ) -> RequestFacts? {
        let asked = DirectionIndex(connection, metadata.direction.opposite)
        let open = directions[asked].bearer.olderRequests + [directions[asked].bearer.request.metadata]
        var places = open.indices.filter { open[$0].frame <= start && Self.answers(response, open[$0].opcode) }
        let fitting = places.filter { Self.fits(response, open[$0]) }
        if !fitting.isEmpty { places = fitting }
        guard var place = places.first else { return nil }
        var isCertain = true
        let lastLoss = max(lastDrop, openConnections[connection].lastLoss)
        for next in places.dropFirst() {
            let patience = directions[asked].bearer.patience(for: open[next], answeredAt: metadata.packet.time)
            let wait: TimeSpan = open[next].time - max(open[place].time, directions[asked].bearer.lastResponse)
            guard lastLoss > open[place].frame || wait > patience else {
                isCertain = wait < patience / 2
                break
            }
            place = next
        }
        directions[asked].bearer.lastResponse = metadata.packet.time
        if place == open.count - 1 {
            directions[asked].bearer.request.close()
            directions[asked].bearer.olderRequests.removeAll()
        } else {
            directions[asked].bearer.olderRequests.removeFirst(place + 1)
        }
        directions[asked].bearer.isPairingUncertain = place < open.count - 1 && !isCertain
        return open[place]
    }

    /// Whether a response matches a request's opcode; an Error Response matches the request that it names.
    @inline(__always)
    private static func answers(_ response: RawSpan, _ request: ATT.Opcode) -> Bool {
        let opcode = ATT.Opcode(rawValue: response.byte(at: 0))
        if opcode == .errorResponse { return response.byteCount >= 2 && response.byte(at: 1) == request.rawValue }
        return ATT.Opcode.table.shape(of: request)?.response == opcode
    }

    /// Whether the handle in a response is possible for a request.
    private static func fits(_ response: RawSpan, _ request: RequestFacts) -> Bool {
        let place: Int
        switch ATT.Opcode(rawValue: response.byte(at: 0)) {
        case .errorResponse, .readByTypeResponse, .readByGroupTypeResponse, .findInformationResponse: place = 2
        case .findByTypeValueResponse, .prepareWriteResponse: place = 1
        default: return true
        }
        guard response.byteCount >= place + 2 else { return true }
        let handle = response.littleEndian(at: place, as: UInt16.self)
        if let range = request.range { return range.start <= handle && handle <= range.end }
        return request.handle.rawValue == handle || request.handle.rawValue == 0
    }
}

extension BearerState {
    /// Longest wait of a client before its next request with the response to the previous one still pending. A client
    /// that has waited longer has received that response, and the capture lacks it.
    fileprivate func patience(for next: RequestFacts, answeredAt time: Timestamp) -> TimeSpan {
        shortestLatency < .longest ? shortestLatency : time - next.time
    }
}
