extension TextWriter {
    /// Writes the `size` low bytes of a number in decimal with dots between them, the highest first: 0x0102 as `1.2`.
    package mutating func writeDotted(_ value: UInt64, bytes size: Int) {
        for index in (0..<max(1, min(size, 8))).reversed() {
            writeDecimal(value >> (8 * UInt64(index)) & 0xFF)
            if index > 0 { write(UInt8(ascii: ".")) }
        }
    }

    /// Writes a point in time in steps of so many nanoseconds since an epoch as ISO 8601 in UTC; as the number where it
    /// is too far away.
    package mutating func writeTimestamp(_ raw: UInt64, epoch: Int64, step: Int64) {
        let raw = Int64(bitPattern: raw)
        guard let time = ISO8601.nanoseconds(raw, epoch: epoch, step: step) else { return writeDecimal(raw) }
        writeISO8601(Timestamp(nanoseconds: time), decimals: ISO8601.decimals(step: step))
    }

    /// Writes a number that was decoded from an IEEE 754 number of 2, 4 or 8 bytes with the digits that such a number
    /// needs: 0.1 as `0.1`, not as the many digits that the next wider format would have.
    package mutating func writeShortest(_ number: Double, bytes size: Int) {
        switch size {
        case 2: write(String(Float(number).shortestOfHalf))
        case 4: write(String(Float(number)))
        default: write(String(number))
        }
    }
}

extension Float {
    /// The number with the fewest digits that a binary16 takes for the same.
    package var shortestOfHalf: Float { Float(String(Float16(self))) ?? self }
}
