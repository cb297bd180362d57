public import Bytes

extension L2CAP {
    /// Direction of a packet, as seen from the recording host or from the central.
    public enum Direction: UInt8, Sendable, Hashable {
        /// From the recording host; on the air: from the central.
        case sent
        /// To the recording host; on the air: from the peripheral.
        case received

        public var reversed: Direction { self == .sent ? .received : .sent }
    }

    /// One direction of a credit-based channel: the frames that an endpoint receives (Vol 3, Part A, 10).
    public struct CreditBasedEndpoint: Hashable, Sendable {
        /// The CID in frames to this endpoint.
        public let cid: ChannelID
        /// The direction of frames to this endpoint.
        public let direction: Direction
        /// The other device's endpoint.
        public let partner: ChannelID
        public let spsm: SPSM
        /// Channel number within the connection, from 1, the same for both endpoints. A number is reused only after 254
        /// other channels.
        public let number: UInt8
        /// Maximum SDU length that the endpoint accepts, in bytes.
        public fileprivate(set) var mtu: Int
        /// Maximum K-frame payload that the endpoint accepts, in bytes; includes the SDU length in the first frame.
        public fileprivate(set) var mps: Int
        /// K-frames that the peer may still send.
        public fileprivate(set) var credits: Int
        /// The partially received SDU; nil if the next frame begins one.
        fileprivate var assembly: Assembly?

        fileprivate struct Assembly: Hashable, Sendable {
            /// SDU length stated in the first frame, in bytes.
            let length: Int
            var bytes: [UInt8]
            /// Number of bytes transferred so far, including lost bytes.
            var received: Int
        }

        /// Whether the next frame begins an SDU and therefore carries the SDU length.
        public var expectsFirstFrame: Bool { assembly == nil }
    }

    /// A violation of the rules of credit-based channels (Vol 3, Part A, 10.1 and 3.4.3).
    public enum ChannelFault: Hashable, Sendable {
        /// The SDU length exceeds the receiver's MTU.
        case sduExceedsMTU(length: Int, mtu: Int)
        /// The frame's payload exceeds the receiver's MPS.
        case frameExceedsMPS(length: Int, mps: Int)
        /// The frames contain more bytes than the SDU length in the first frame.
        case sduOverrun(announced: Int, received: Int)
        /// The frame was sent without a credit.
        case noCredit
        /// The sum of credits exceeds 65535.
        case creditOverflow(total: Int)
        /// Credits, a reconfiguration or a disconnection for an unknown channel.
        case unknownChannel(ChannelID)
        /// More channels are open than the tracker can follow.
        case tooManyChannels
    }
}

extension L2CAP.ChannelFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sduExceedsMTU(let length, let mtu): "SDU of \(length) bytes is longer than the MTU, \(mtu)"
        case .frameExceedsMPS(let length, let mps): "K-frame of \(length) bytes is longer than the MPS, \(mps)"
        case .sduOverrun(let announced, let received):
            "SDU of \(announced) bytes was announced, its K-frames hold \(received)"
        case .noCredit: "K-frame was sent without a credit"
        case .creditOverflow(let total): "credits add up to \(total), more than 65535"
        case .unknownChannel(let cid): "no channel is known with CID 0x\(String(cid.rawValue, radix: 16))"
        case .tooManyChannels: "more credit-based channels are open than are followed"
        }
    }
}

extension L2CAP {
    /// Tracks the credit-based channels of one connection from its signaling, and reassembles their SDUs.
    ///
    /// Memory is bounded: at most `capacity` channels, with two SDUs of 65535 bytes each.
    public struct CreditBasedChannels: Sendable {
        /// Maximum number of channels tracked at the same time.
        public static let capacity = 32
        /// Maximum number of pending requests.
        private static let pendingCapacity = 32
        /// Maximum number of channels in a request (Vol 3, Part A, 4.25 and 4.27); further ones are ignored.
        private static let channelsOfRequest = 5

        private var endpoints: [CreditBasedEndpoint] = []
        private var pending: [Pending] = []
        /// Number of the last opened channel.
        private var lastNumber: UInt8 = 0

        private struct Pending: Sendable {
            let identifier: UInt8
            let direction: Direction
            let request: Request
        }

        private enum Request: Sendable {
            case connection(CreditBasedConnectionRequest)
            case reconfiguration(CreditBasedReconfigureRequest)
        }

        public init() {}

        /// The receiving endpoint of frames with this CID and direction; nil if no credit-based channel is known.
        public func endpoint(_ cid: ChannelID, _ direction: Direction) -> CreditBasedEndpoint? {
            index(cid, direction).map { endpoints[$0] }
        }

        /// The smaller MTU of both endpoints of each open channel of an SPSM, in bytes, by channel number.
        public func mtus(of spsm: SPSM) -> [UInt8: Int] {
            var mtus: [UInt8: Int] = [:]
            for endpoint in endpoints where endpoint.spsm == spsm {
                mtus[endpoint.number] = min(mtus[endpoint.number] ?? .max, endpoint.mtu)
            }
            return mtus
        }

        /// Whether frames with this CID and direction are K-frames.
        public func isCreditBased(_ cid: ChannelID, _ direction: Direction) -> Bool {
            cid.isDynamic && index(cid, direction) != nil
        }

        private func index(_ cid: ChannelID, _ direction: Direction) -> Int? {
            endpoints.firstIndex { $0.cid == cid && $0.direction == direction }
        }
    }
}

// MARK: - Frames

extension L2CAP.CreditBasedChannels {
    /// The reassembly state after a K-frame.
    public enum Progress: Hashable, Sendable {
        /// The frame contains a complete SDU: the reader's remaining bytes.
        case whole
        /// The frame contains part of an SDU: the reader's remaining bytes.
        case part(received: Int, of: Int)
        /// The frame ends an SDU, given here in full. The last part remains in the reader.
        case complete([UInt8])
        /// The frame ends an SDU with lost bytes, or does not fit its SDU. Its bytes remain in the reader.
        case discarded
    }

    /// The result of receiving a K-frame.
    public struct Reception: Hashable, Sendable {
        public var spsm: L2CAP.SPSM
        public var progress: Progress
        public var faults: [L2CAP.ChannelFault]
    }

    /// Reads a K-frame's SDU length, if present, and adds its payload to the SDU (Vol 3, Part A, 3.4). The payload
    /// remains in the reader. Nil for an unknown channel.
    public mutating func receive(
        _ reader: inout ByteReader, on cid: L2CAP.ChannelID, _ direction: L2CAP.Direction
    ) throws(DecodeError) -> Reception? {
        guard let index = index(cid, direction) else { return nil }
        var faults = takeCredit(at: index, payload: reader.remaining)
        let spsm = endpoints[index].spsm
        let progress: Progress
        if endpoints[index].assembly == nil {
            let length = Int(try reader.read(L2CAP.Fields.sduLength, as: UInt16.self))
            progress = begin(at: index, length: length, part: reader, faults: &faults)
        } else {
            progress = add(reader, at: index, faults: &faults)
        }
        return Reception(spsm: spsm, progress: progress, faults: faults)
    }

    /// Accounts for a K-frame that was captured only in part: its SDU will be discarded.
    public mutating func lose(
        payload: [UInt8], length: Int, on cid: L2CAP.ChannelID, _ direction: L2CAP.Direction
    ) -> [L2CAP.ChannelFault] {
        guard let index = index(cid, direction) else { return [] }
        let faults = takeCredit(at: index, payload: length)
        if endpoints[index].assembly == nil {
            guard payload.count >= 2 else { return faults }
            let announced = Int(payload[0]) | Int(payload[1]) << 8
            if announced > length - 2 {
                endpoints[index].assembly = .init(length: announced, bytes: [], received: max(0, length - 2))
            }
        } else {
            endpoints[index].assembly?.received += length
            if let assembly = endpoints[index].assembly, assembly.received >= assembly.length {
                endpoints[index].assembly = nil
            }
        }
        return faults
    }

    private mutating func takeCredit(at index: Int, payload: Int) -> [L2CAP.ChannelFault] {
        var faults: [L2CAP.ChannelFault] = []
        if endpoints[index].credits == 0 { faults.append(.noCredit) } else { endpoints[index].credits -= 1 }
        let mps = endpoints[index].mps
        if payload > mps { faults.append(.frameExceedsMPS(length: payload, mps: mps)) }
        return faults
    }

    private mutating func begin(
        at index: Int, length: Int, part: borrowing ByteReader, faults: inout [L2CAP.ChannelFault]
    ) -> Progress {
        let mtu = endpoints[index].mtu
        if length > mtu { faults.append(.sduExceedsMTU(length: length, mtu: mtu)) }
        if part.remaining == length { return .whole }
        if part.remaining > length {
            faults.append(.sduOverrun(announced: length, received: part.remaining))
            return .discarded
        }
        endpoints[index].assembly = .init(length: length, bytes: part.restBytes, received: part.remaining)
        return .part(received: part.remaining, of: length)
    }

    private mutating func add(
        _ part: borrowing ByteReader, at index: Int, faults: inout [L2CAP.ChannelFault]
    ) -> Progress {
        guard var assembly = endpoints[index].assembly else { return .discarded }
        endpoints[index].assembly = nil
        assembly.received += part.remaining
        guard assembly.received <= assembly.length else {
            faults.append(.sduOverrun(announced: assembly.length, received: assembly.received))
            return .discarded
        }
        assembly.bytes += part.restBytes
        if assembly.received < assembly.length {
            let progress = Progress.part(received: assembly.received, of: assembly.length)
            endpoints[index].assembly = assembly
            return progress
        }
        return assembly.bytes.count == assembly.length ? .complete(assembly.bytes) : .discarded
    }
}

extension L2CAP.CreditBasedChannels {
    /// Number of buffered bytes of incomplete SDUs.
    public var heldBytes: Int { endpoints.reduce(0) { $0 + ($1.assembly?.bytes.count ?? 0) } }

    /// Frees the bytes of incomplete SDUs, which will be discarded.
    public mutating func dropHeldBytes() {
        for index in endpoints.indices { endpoints[index].assembly?.bytes = [] }
    }
}

// MARK: - Signaling

extension L2CAP.CreditBasedChannels {
    /// Applies a signaling command: channels that open, are reconfigured, close or receive credits.
    public mutating func observe(_ signal: L2CAP.Signal, _ direction: L2CAP.Direction) -> [L2CAP.ChannelFault] {
        switch signal.command {
        case let request as L2CAP.LECreditBasedConnectionRequest:
            let single = L2CAP.CreditBasedConnectionRequest(
                spsm: request.spsm, mtu: request.mtu, mps: request.mps, initialCredits: request.initialCredits,
                sources: [request.source])
            remember(.connection(single), signal, direction)
        case var request as L2CAP.CreditBasedConnectionRequest:
            request.sources = Array(request.sources.prefix(Self.channelsOfRequest))
            remember(.connection(request), signal, direction)
        case var request as L2CAP.CreditBasedReconfigureRequest:
            request.destinations = Array(request.destinations.prefix(Self.channelsOfRequest))
            remember(.reconfiguration(request), signal, direction)
        case let response as L2CAP.LECreditBasedConnectionResponse:
            return open(
                L2CAP.CreditBasedConnectionResponse(
                    mtu: response.mtu, mps: response.mps, initialCredits: response.initialCredits,
                    result: response.result, destinations: [response.destination]), signal, direction)
        case let response as L2CAP.CreditBasedConnectionResponse:
            return open(response, signal, direction)
        case let response as L2CAP.CreditBasedReconfigureResponse:
            return reconfigure(response, signal, direction)
        case let credit as L2CAP.FlowControlCredit:
            return add(credit, direction)
        case let response as L2CAP.DisconnectionResponse:
            close(response.source, direction)
            close(response.destination, direction.reversed)
        case is L2CAP.CommandReject:
            _ = request(answeredBy: signal, direction)
        default:
            break
        }
        return []
    }

    private mutating func remember(_ request: Request, _ signal: L2CAP.Signal, _ direction: L2CAP.Direction) {
        let identifier = signal.header.identifier
        pending.removeAll { $0.identifier == identifier && $0.direction == direction }
        if pending.count >= Self.pendingCapacity { pending.removeFirst() }
        pending.append(Pending(identifier: identifier, direction: direction, request: request))
    }

    /// Removes and returns the pending request that a response answers.
    private mutating func request(answeredBy signal: L2CAP.Signal, _ direction: L2CAP.Direction) -> Request? {
        let position = pending.firstIndex {
            $0.identifier == signal.header.identifier && $0.direction == direction.reversed
        }
        return position.map { pending.remove(at: $0).request }
    }

    private mutating func open(
        _ response: L2CAP.CreditBasedConnectionResponse, _ signal: L2CAP.Signal, _ direction: L2CAP.Direction
    ) -> [L2CAP.ChannelFault] {
        guard case .connection(let request) = request(answeredBy: signal, direction) else { return [] }
        for (source, destination) in zip(request.sources, response.destinations)
        where source.isDynamic && destination.isDynamic {
            close(source, direction)
            close(destination, direction.reversed)
            if endpoints.count >= 2 * Self.capacity { return [.tooManyChannels] }
            let number = nextNumber()
            endpoints.append(
                L2CAP.CreditBasedEndpoint(
                    cid: source, direction: direction, partner: destination, spsm: request.spsm, number: number,
                    mtu: Int(request.mtu), mps: Int(request.mps), credits: Int(request.initialCredits)))
            endpoints.append(
                L2CAP.CreditBasedEndpoint(
                    cid: destination, direction: direction.reversed, partner: source, spsm: request.spsm,
                    number: number, mtu: Int(response.mtu), mps: Int(response.mps),
                    credits: Int(response.initialCredits)))
        }
        return []
    }

    /// A number that no open channel uses.
    private mutating func nextNumber() -> UInt8 {
        repeat {
            lastNumber = lastNumber == .max ? 1 : lastNumber + 1
        } while endpoints.contains { $0.number == lastNumber }
        return lastNumber
    }

    private mutating func reconfigure(
        _ response: L2CAP.CreditBasedReconfigureResponse, _ signal: L2CAP.Signal, _ direction: L2CAP.Direction
    ) -> [L2CAP.ChannelFault] {
        guard case .reconfiguration(let request) = request(answeredBy: signal, direction),
            response.result == .successful
        else { return [] }
        var faults: [L2CAP.ChannelFault] = []
        for cid in request.destinations {
            guard let index = index(cid, direction) else {
                faults.append(.unknownChannel(cid))
                continue
            }
            endpoints[index].mtu = Int(request.mtu)
            endpoints[index].mps = Int(request.mps)
        }
        return faults
    }

    private mutating func add(
        _ credit: L2CAP.FlowControlCredit, _ direction: L2CAP.Direction
    ) -> [L2CAP.ChannelFault] {
        guard let index = index(credit.cid, direction.reversed) else { return [.unknownChannel(credit.cid)] }
        let total = endpoints[index].credits + Int(credit.credits)
        endpoints[index].credits = min(total, Int(UInt16.max))
        return total > Int(UInt16.max) ? [.creditOverflow(total: total)] : []
    }

    /// Removes a channel, given by the CID and direction of frames to one endpoint.
    private mutating func close(_ cid: L2CAP.ChannelID, _ direction: L2CAP.Direction) {
        guard let endpoint = endpoint(cid, direction) else { return }
        endpoints.removeAll {
            ($0.cid == cid && $0.direction == direction)
                || ($0.cid == endpoint.partner && $0.direction == direction.reversed)
        }
    }
}
