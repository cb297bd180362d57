import Bluetooth

/// Replaces by zeros the keys that the Security Manager distributes: Long Term Key, Identity Resolving Key and
/// Connection Signature Resolving Key (Vol 3, Part H, 3.6).
///
/// Everything that writes plain text of encrypted packets passes the fragments of L2CAP PDUs through it, in order:
/// a fragmented PDU is masked as a whole one.
package struct SMPKeyMask: Sendable {
    /// One direction of a connection.
    package struct Stream: Hashable, Sendable {
        package var connection: Int
        package var isFromCentral: Bool

        package init(connection: Int, isFromCentral: Bool) {
            self.connection = connection
            self.isFromCentral = isFromCentral
        }
    }

    /// The PDU in progress of a stream, or its last one.
    private struct Progress: Sendable {
        /// L2CAP header and command code, as far as they were received.
        var head: [UInt8] = []
        /// Bytes of the PDU before the last fragment, and with it.
        var last = 0
        var next = 0

        /// The bytes of the PDU that are a key; empty unless the head is complete and that of such a command.
        var key: Range<Int> {
            guard head.count == SMPKeyMask.headLength else { return 0..<0 }
            let length = Int(head[0]) | Int(head[1]) << 8
            let channel = L2CAP.ChannelID(rawValue: UInt16(head[2]) | UInt16(head[3]) << 8)
            guard channel == .smp || channel == .bredrSMP,
                SMPKeyMask.distributing.contains(SMP.Opcode(rawValue: head[4]))
            else {
                return 0..<0
            }
            return SMPKeyMask.headLength..<max(SMPKeyMask.headLength, SMPKeyMask.headerLength + length)
        }
    }

    private var streams: [Stream: Progress] = [:]

    /// Number of keys that were masked.
    package private(set) var count = 0

    /// Streams kept; the rest of a PDU whose stream was dropped is unknown.
    private static let limit = 4096
    /// The L2CAP header (Vol 3, Part A, 3.1), and with it the command code.
    private static let headerLength = 4
    private static let headLength = headerLength + 1
    /// The commands whose only parameter is a key.
    private static let distributing: Set<SMP.Opcode> = [
        .encryptionInformation, .identityInformation, .signingInformation,
    ]

    package init() {}

    /// Masks a fragment of an L2CAP PDU; returns whether that changed it.
    ///
    /// - Parameters:
    ///   - isFirst: whether a PDU begins with the fragment.
    ///   - isRepeated: whether it is the stream's last fragment again.
    package mutating func mask(
        _ fragment: inout [UInt8], isFirst: Bool, isRepeated: Bool = false, of stream: Stream
    ) -> Bool {
        let known = isFirst ? Progress() : streams[stream]
        guard var progress = known else { return false }
        if isRepeated, !isFirst { progress.next = progress.last }
        progress.last = progress.next
        progress.next += fragment.count
        let missing = Self.headLength - progress.head.count
        if missing > 0, progress.head.count == progress.last { progress.head += fragment.prefix(missing) }
        if streams.count >= Self.limit, streams[stream] == nil { streams.removeAll() }
        streams[stream] = progress
        let secret = progress.key.clamped(to: progress.last..<progress.next)
        if secret.isEmpty { return false }
        if secret.lowerBound == Self.headLength, !isRepeated { count += 1 }
        var hasChanged = false
        for place in secret where fragment[place - progress.last] != 0 {
            fragment[place - progress.last] = 0
            hasChanged = true
        }
        return hasChanged
    }

    /// Masks the key in a whole L2CAP PDU; returns whether that changed it.
    package static func mask(_ pdu: inout [UInt8]) -> Bool {
        var mask = SMPKeyMask()
        return mask.mask(&pdu, isFirst: true, of: Stream(connection: 0, isFromCentral: true))
    }
}
