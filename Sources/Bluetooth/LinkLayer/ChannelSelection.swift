extension LL {
    /// The hop sequence of a connection: the data channel of each connection event (Vol 6, Part B, 4.5.8).
    public enum ChannelSelection: Hashable, Sendable {
        /// Channel Selection Algorithm #1 with the hop increment of CONNECT_IND, 5 to 16.
        case algorithm1(hop: UInt8)
        /// Channel Selection Algorithm #2 with the connection's access address.
        case algorithm2(AccessAddress)

        /// The channel of a connection event.
        ///
        /// - Parameters:
        ///   - event: number of the event since the start of the connection; the event counter is its low 16 bits.
        ///   - map: the channels in use at this event; without any, the unmapped channel is the result.
        public func channel(ofEvent event: UInt64, in map: ChannelMap) -> Channel {
            let count = map.usedCount
            let unmapped: Int
            let remappingIndex: Int
            switch self {
            case .algorithm1(let hop):
                // Event 0 is one hop after channel 0.
                let hops = (event % UInt64(ChannelMap.channelCount) + 1) * UInt64(hop)
                unmapped = Int(hops % UInt64(ChannelMap.channelCount))
                remappingIndex = count == 0 ? 0 : unmapped % count
            case .algorithm2(let address):
                let random = Self.pseudoRandom(UInt16(truncatingIfNeeded: event), Self.identifier(of: address))
                unmapped = Int(random) % ChannelMap.channelCount
                remappingIndex = (count * Int(random)) >> 16
            }
            if map.contains(unmapped) || count == 0 { return Channel(rawValue: UInt8(unmapped)) }
            let used = (0..<ChannelMap.channelCount).filter { map.contains($0) }
            return Channel(rawValue: UInt8(used[remappingIndex]))
        }

        /// channelIdentifier of Algorithm #2.
        private static func identifier(of address: AccessAddress) -> UInt16 {
            UInt16(truncatingIfNeeded: address.rawValue >> 16 ^ address.rawValue)
        }

        /// prn_e of Algorithm #2: three rounds of permutation, multiplication and addition.
        private static func pseudoRandom(_ counter: UInt16, _ identifier: UInt16) -> UInt16 {
            var value = counter ^ identifier
            for _ in 0..<3 { value = permuted(value) &* 17 &+ identifier }
            return value ^ identifier
        }

        /// Both octets with their bits reversed.
        private static func permuted(_ value: UInt16) -> UInt16 {
            var value = (value & 0x5555) << 1 | value >> 1 & 0x5555
            value = (value & 0x3333) << 2 | value >> 2 & 0x3333
            return (value & 0x0F0F) << 4 | value >> 4 & 0x0F0F
        }
    }
}
