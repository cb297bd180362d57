public import Bytes

/// The used channels among the 37 general-purpose channels (Vol 6, Part B, 1.4.1 and 2.3.3.1).
public struct ChannelMap: Hashable, Sendable {
    /// Bit n is channel index n, 0 to 36; bits 37 to 39 are reserved or belong to another field.
    public var bits: UInt64

    /// The low 40 bits of `bits`.
    public init(bits: UInt64) {
        self.bits = bits & 0xFF_FFFF_FFFF
    }

    /// Whether the channel with this index, 0 to 36, is used.
    public func contains(_ index: Int) -> Bool {
        (0..<Self.channelCount).contains(index) && bits >> UInt64(index) & 1 == 1
    }

    /// Number of used channels; a connection needs at least two.
    public var usedCount: Int { (bits & Self.all.bits).nonzeroBitCount }

    /// Number of general-purpose channels.
    public static let channelCount = 37
    /// All channels used.
    public static let all = ChannelMap(bits: 0x1F_FFFF_FFFF)
}

extension ChannelMap {
    /// One field per bit of the map in bit order, including the reserved bits.
    public static let bitFields: [Field] = (0..<40)
        .map { index in
            let mask = UInt64(1) << UInt64(index % 8)
            guard index < channelCount else {
                return Field("btcommon.le_channel_map.\(index)", "Reserved", .boolean, mask: mask)
            }
            // The advertising channels are RF channels 0, 12 and 39.
            let radio = index < 11 ? index + 1 : index + 2
            let label = "RF Channel \(radio) (\(2402 + 2 * radio) MHz - Data - \(index))"
            return Field("btcommon.le_channel_map.\(index)", label, .boolean, mask: mask)
        }
}

extension ByteReader {
    /// Reads a channel map of five bytes and records its channels as nested fields.
    ///
    /// - Parameter bits: number of bits that belong to the map; SyncInfo uses the upper bits for another field.
    @_lifetime(self: copy self)
    public mutating func readChannelMap(
        _ field: @autoclosure () -> Field, bits: Int = 40
    ) throws(DecodeError) -> ChannelMap {
        let value = try read(field(), bytes: 5)
        recordChannels(value, bits: bits)
        return ChannelMap(bits: value)
    }

    /// Records the channels of the map in the five bytes just read, as nested fields.
    public func recordChannels(_ value: UInt64, bits: Int = 40) {
        guard let recorder else { return }
        let start = offset - 5
        recorder.nested {
            for (index, field) in ChannelMap.bitFields.prefix(bits).enumerated() {
                recorder.add(field, value: value >> UInt64(index) & 1, offset: start + index / 8, length: 1)
            }
        }
    }
}

extension ByteWriter {
    public mutating func write(_ map: ChannelMap) {
        write(map.bits, bytes: 5)
    }
}
