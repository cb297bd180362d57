import HCI

/// How long packets take (Vol 6, Part B, 2.1 and 2.2).
enum AirTime {
    /// From the end of a packet to the beginning of its answer.
    static let interFrameSpace = 150 * Span.microsecond

    /// Nanoseconds that a data channel PDU with so many bytes of payload takes.
    static func nanoseconds(payload: Int, encrypted: Bool, on phy: HCI.PHY) -> Int64 {
        let bits = Int64(8 * (2 + payload + (encrypted && payload > 0 ? 4 : 0) + 3))
        let microseconds: Int64 =
            switch phy {
            // Preamble and access address: 1 + 4 bytes.
            case .le1M: 40 + bits
            // 2 + 4 bytes at twice the speed.
            case .le2M: 24 + bits / 2
            // S=8: preamble, access address, coding indicator, terminations, then 8 symbols a bit.
            default: 80 + 256 + 16 + 24 + bits * 8 + 24
            }
        return microseconds * Span.microsecond
    }
}
