extension L2CAP {
    /// One way of a BR/EDR channel: frames to the endpoint of one device (Vol 3, Part A, 2.3).
    public struct ConnectionOrientedEndpoint: Hashable, Sendable {
        /// The CID that frames to this endpoint carry.
        public let cid: ChannelID
        /// The direction of frames to this endpoint.
        public let direction: Direction
        /// The endpoint of the other device.
        public fileprivate(set) var partner: ChannelID?
        public let psm: PSM
        /// Longest SDU that the owner takes, in bytes.
        public fileprivate(set) var mtu = L2CAP.defaultMTU
        /// Whether frames carry SDUs without a control field.
        public fileprivate(set) var isInBasicMode = true
    }

    /// MTU of a BR/EDR channel that configuration does not change, in bytes (Vol 3, Part A, 5.1).
    public static let defaultMTU = 672

    /// The channels of one BR/EDR connection that Connection Requests open (Vol 3, Part A, 4.2 to 4.7).
    public struct ConnectionOrientedChannels: Sendable {
        /// Endpoints that are followed at the same time; the oldest makes room for one more.
        public static let capacity = 128

        private var endpoints: [ConnectionOrientedEndpoint] = []

        public init() {}

        /// The endpoint that frames of this direction and CID go to; nil where no request for it was captured.
        public func endpoint(_ cid: ChannelID, _ direction: Direction) -> ConnectionOrientedEndpoint? {
            index(cid, direction).map { endpoints[$0] }
        }

        /// The longest SDU that both ends of the open channel of a PSM take, in bytes; nil where none is open.
        public func mtu(of psm: PSM) -> Int? {
            endpoints.filter { $0.psm == psm && $0.partner != nil }.map(\.mtu).min()
        }

        /// Applies a signaling command: channels that open, are configured and close.
        public mutating func observe(_ signal: Signal, _ direction: Direction) {
            switch signal.command {
            case let request as ConnectionRequest where request.source.isDynamic:
                add(ConnectionOrientedEndpoint(cid: request.source, direction: direction.reversed, psm: request.psm))
            case let response as ConnectionResponse: open(response, direction)
            case let request as ConfigurationRequest: configure(request, direction)
            case let response as DisconnectionResponse:
                remove(response.source, direction)
                remove(response.destination, direction.reversed)
            default: break
            }
        }

        private func index(_ cid: ChannelID, _ direction: Direction) -> Int? {
            endpoints.firstIndex { $0.cid == cid && $0.direction == direction }
        }

        private mutating func add(_ endpoint: ConnectionOrientedEndpoint) {
            remove(endpoint.cid, endpoint.direction)
            if endpoints.count >= Self.capacity { endpoints.removeFirst() }
            endpoints.append(endpoint)
        }

        private mutating func remove(_ cid: ChannelID, _ direction: Direction) {
            endpoints.removeAll { $0.cid == cid && $0.direction == direction }
        }

        private mutating func open(_ response: ConnectionResponse, _ direction: Direction) {
            guard let index = index(response.source, direction) else { return }
            switch response.result {
            case .successful where response.destination.isDynamic:
                endpoints[index].partner = response.destination
                let psm = endpoints[index].psm
                add(
                    ConnectionOrientedEndpoint(
                        cid: response.destination, direction: direction.reversed, partner: response.source, psm: psm))
            case .pending: break
            default: endpoints.remove(at: index)
            }
        }

        /// Applies what the sender of a request takes: the receiver's endpoint is named, the sender's is its partner.
        private mutating func configure(_ request: ConfigurationRequest, _ direction: Direction) {
            guard let receiver = index(request.destination, direction), let own = endpoints[receiver].partner,
                let index = index(own, direction.reversed)
            else { return }
            for option in request.options {
                switch option.value {
                case .mtu(let mtu): endpoints[index].mtu = Int(mtu)
                case .retransmission(let retransmission):
                    endpoints[index].isInBasicMode = retransmission.mode == 0
                    endpoints[receiver].isInBasicMode = retransmission.mode == 0
                default: break
                }
            }
        }
    }
}
