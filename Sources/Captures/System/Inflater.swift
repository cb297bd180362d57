import CZlib

/// Decompresses data in pieces: zlib's, or gzip's with concatenated members, as from `cat a.gz b.gz`.
@safe
final class Inflater {
    /// What surrounds the compressed data.
    enum Wrapping: CInt {
        case zlib = 0
        /// The number is what zlib adds to the window bits for gzip.
        case gzip = 16
    }

    /// How the compressed data ended.
    enum End: Hashable {
        /// Complete, after the last member.
        case complete
        /// The data ended within a member.
        case cutShort
        /// zlib rejected the data at this offset.
        case broken(offset: Int)
        /// Complete, but bytes that are not gzip follow at this offset.
        case trailingBytes(offset: Int)
    }

    /// Set when no more output follows.
    private(set) var end: End?

    /// Compressed bytes, consumed up to `inputPosition`.
    private var input: [UInt8] = []
    private var inputPosition = 0
    /// Number of compressed bytes before `input`.
    private var inputOffset = 0
    /// Whether the current position is inside a member.
    private var isInsideMember = false
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ wrapping: Wrapping = .gzip) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let windowBits: CInt = 15
        unsafe inflateInit2_(stream, windowBits + wrapping.rawValue, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Whether data is gzip, from its first bytes.
    static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    /// Resets the state, to decompress from the start.
    func restart() {
        unsafe inflateReset(stream)
        input = []
        inputPosition = 0
        inputOffset = 0
        isInsideMember = false
        end = nil
    }

    /// Appends decompressed bytes to `output`: at least `minimum`, fewer only at the end, and at most `maximum`.
    /// `refill` returns the next compressed bytes, none at their end.
    func append(
        to output: inout [UInt8], atLeast minimum: Int, atMost maximum: Int, refill: () throws(SystemError) -> [UInt8]
    ) throws(SystemError) {
        try output.append(addingCapacity: maximum) { unpacked throws(SystemError) in
            while unpacked.count < minimum, end == nil {
                if inputPosition == input.count {
                    inputOffset += input.count
                    input = try refill()
                    inputPosition = 0
                    if input.isEmpty {
                        end = isInsideMember ? .cutShort : .complete
                        break
                    }
                }
                if !isInsideMember, !startMember() { break }
                unpack(into: &unpacked)
            }
        }
    }

    /// Begins a member at the current input position; false at padding or at bytes that are not gzip.
    private func startMember() -> Bool {
        if inputOffset + inputPosition > 0 {
            // Between members: tapes and some tools leave zero padding at the end.
            while inputPosition < input.count, input[inputPosition] == 0 { inputPosition += 1 }
            if inputPosition == input.count { return true }
            if input[inputPosition] != 0x1F {
                end = .trailingBytes(offset: inputOffset + inputPosition)
                return false
            }
        }
        unsafe inflateReset(stream)
        isInsideMember = true
        return true
    }

    private func unpack(into unpacked: inout OutputSpan<UInt8>) {
        guard isInsideMember else { return }
        let available = input.count - inputPosition
        let status = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe unpacked.withUnsafeMutableBufferPointer { target, count in
                unsafe stream.pointee.next_in = source.baseAddress! + inputPosition
                unsafe stream.pointee.avail_in = UInt32(available)
                unsafe stream.pointee.next_out = target.baseAddress! + count
                unsafe stream.pointee.avail_out = UInt32(target.count - count)
                let status = unsafe inflate(stream, Z_NO_FLUSH)
                unsafe count = target.count - Int(stream.pointee.avail_out)
                return status
            }
        }
        inputPosition += unsafe available - Int(stream.pointee.avail_in)
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isInsideMember = false
        default: end = .broken(offset: inputOffset + inputPosition)
        }
    }
}
