extension L2CAP {
    /// One direction of a BR/EDR channel: the frames to one device's endpoint (Vol 3, Part A, 2.3).
    public struct ConnectionOrientedEndpoint: Hashable, Sendable {
        /// The CID in frames to this endpoint.
        public let cid: ChannelID
        /// The direction of frames to this endpoint.
        public let direction: Direction
        /// The other device's endpoint; nil until the connection response.
        public fileprivate(set) var partner: ChannelID?
        public let psm: PSM
        /// Maximum SDU length that the endpoint accepts, in bytes.
        public fileprivate(set) var mtu = L2CAP.defaultMTU
        /// Whether the channel is in Basic mode: frames carry SDUs without a control field.
        public fileprivate(set) var isInBasicMode = true
    }

    /// Default MTU of a BR/EDR channel, in bytes (Vol 3, Part A, 5.1).
    public static let defaultMTU = 672

    /// Tracks the channels of one BR/EDR connection opened by Connection Requests (Vol 3, Part A, 4.2 to 4.7).
    public struct ConnectionOrientedChannels: Sendable {
        /// Maximum number of tracked endpoints. Beyond it, a new endpoint replaces the oldest.
        public static let capacity = 128

        private var endpoints: [ConnectionOrientedEndpoint] = []

        public init() {}

        /// The receiving endpoint of frames with this CID and direction; nil if the capture does not contain its
        /// request.
        public func endpoint(_ cid: ChannelID, _ direction: Direction) -> ConnectionOrientedEndpoint? {
            index(cid, direction).map { endpoints[$0] }
        }

        /// The smaller MTU of both endpoints of the open channels of a PSM, in bytes; nil if none is open.
        public func mtu(of psm: PSM) -> Int? {
            endpoints.filter { $0.psm == psm && $0.partner != nil }.map(\.mtu).min()
        }

        /// Applies a signaling command: channels that open, are configured or close.
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

        /// Applies a configuration request. It names the receiver's endpoint, but configures the sender's, which is the
        /// partner.
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
