import Bytes

/// Writes the records of a file format. One type per format.
protocol RecordWriter {
    /// Writes the file header.
    mutating func begin(_ output: inout OutputBuffer)

    /// Writes one packet: `header`, then the packet's range of `body`.
    mutating func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter)
}

/// Bytes to be written to a file.
struct OutputBuffer {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func append(littleEndian value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends zeros up to a multiple of four; `count` is the length to pad.
    mutating func pad(_ count: Int) {
        for _ in count..<Pcapng.padded(count) { bytes.append(0) }
    }

    /// Overwrites the integer at `offset`, such as a length field written before the length was known.
    mutating func patch(littleEndian value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}

extension OutgoingPacket {
    /// The time in microseconds since 1970, truncated; counts a loss if it was finer.
    func microseconds(_ losses: inout LossCounter) -> Int64 {
        let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1000)
        if rest != 0 { losses.add(.nanoseconds, frame: number) }
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The time as 32-bit seconds and a remainder in units of `unit` nanoseconds; counts a loss if the time does not
    /// fit.
    func seconds(unit: Int64, _ losses: inout LossCounter) -> (seconds: UInt32, rest: UInt32) {
        let latest = Int64(UInt32.max) * 1_000_000_000 + 999_999_999
        let nanoseconds = min(max(time.nanoseconds, 0), latest)
        if nanoseconds != time.nanoseconds { losses.add(.timeOutOfRange, frame: number) }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if !rest.isMultiple(of: unit) { losses.add(.nanoseconds, frame: number) }
        return (UInt32(seconds), UInt32(rest / unit))
    }
}
