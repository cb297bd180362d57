package import Bytes
package import Captures

extension TrackedBatch {
    /// The bytes that a field of a frame was read from.
    package func bytes(of field: RecordedField, in facts: FrameFacts) -> ArraySlice<UInt8> {
        let (source, start, count) =
            switch field.buffer {
            case .frame: (packets.bytes, facts.packet.start, facts.packet.count)
            case .reassembled: (reassembled, facts.pdu.start, facts.pdu.count)
            case .sdu where facts.longValue.place == .reassembled:
                (reassembled, facts.longValue.start, facts.longValue.count)
            case .sdu: (reassembled, facts.sdu.start, facts.sdu.count)
            }
        let lower = min(Int(field.offset), count)
        let upper = min(lower + Int(field.length), count)
        return source[(start + lower)..<(start + upper)]
    }
}

extension TextWriter {
    /// Writes a field's value as tshark writes it in `-T fields`: numbers in the field's base, no names, no units.
    package mutating func writeValue(
        _ recorded: RecordedField, in facts: FrameFacts, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        let field = recorded.field
        switch field.format {
        case .group: write(field.label)
        case .decimal: writeDecimal(recorded.value)
        case .boolean: write(recorded.value == 0 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        case .signed: writeDecimal(recorded.signedValue)
        case .hex(let digits):
            write(UInt8(ascii: "0"))
            write(UInt8(ascii: "x"))
            writeHex(recorded.value, digits: digits)
        case .number: write(String(Double(bitPattern: recorded.value)))
        case .time: writeSeconds(nanoseconds: Int64(bitPattern: recorded.value))
        case .address: writeAddress(recorded.value)
        case .bytes: writeHex(batch.bytes(of: recorded, in: facts))
        case .uuid128: writeUUID(batch.bytes(of: recorded, in: facts))
        case .text:
            if recorded.isGenerated {
                write(texts[Int(recorded.value)])
            } else {
                writeText(batch.bytes(of: recorded, in: facts))
            }
        }
    }

    /// Writes `aa:bb:cc:dd:ee:ff`.
    package mutating func writeAddress(_ value: UInt64) {
        for shift in stride(from: 40 as UInt64, through: 0, by: -8) {
            writeHex(value >> shift & 0xFF, digits: 2)
            if shift > 0 { write(UInt8(ascii: ":")) }
        }
    }

    /// Writes a UUID, little-endian in `bytes`, in its usual order and grouping.
    package mutating func writeUUID(_ bytes: ArraySlice<UInt8>) {
        for (index, byte) in bytes.reversed().enumerated() {
            if bytes.count == 16, [4, 6, 8, 10].contains(index) { write(UInt8(ascii: "-")) }
            writeHex(UInt64(byte), digits: 2)
        }
    }

    /// Writes text up to its first NUL; control characters are escaped, what is not UTF-8 is replaced.
    package mutating func writeText(_ bytes: ArraySlice<UInt8>) {
        for scalar in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                write("\\x" as StaticString)
                writeHex(UInt64(scalar.value), digits: 2)
            } else {
                write(String(scalar))
            }
        }
    }
}

extension RecordedField {
    /// The value as a two's complement number of the field's length.
    package var signedValue: Int64 {
        guard length > 0, length < 8 else { return Int64(bitPattern: value) }
        let shift = 64 - 8 * UInt64(length)
        return Int64(bitPattern: value << shift) >> Int64(shift)
    }

    /// Scaled, in the field's unit.
    package var scaledValue: Double {
        let raw = field.format == .signed ? Double(signedValue) : Double(value)
        return raw * field.scale
    }
}
