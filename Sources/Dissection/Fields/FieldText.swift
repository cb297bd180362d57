package import Bytes
package import Captures
package import Conversation

extension TrackedBatch {
    /// The bytes from which a field of a frame was read.
    package func bytes(of field: RecordedField, in metadata: FrameMetadata) -> ArraySlice<UInt8> {
        let (source, start, count) =
            switch field.buffer {
            case .frame: (packets.bytes, metadata.packet.start, metadata.packet.count)
            case .reassembled: (reassembly.bytes, metadata.pdu.start, metadata.pdu.count)
            case .sdu: (reassembly.bytes, metadata.assembled.start, metadata.assembled.count)
            case .decrypted: (reassembly.bytes, metadata.plain.start, metadata.plain.count)
            }
        let lower = min(Int(field.offset), count)
        let upper = min(lower + Int(field.length), count)
        return source[(start + lower)..<(start + upper)]
    }
}

extension TextWriter {
    /// Writes a field's value as tshark writes it in `-T fields`: numbers in the field's base, no names, no units.
    package mutating func writeValue(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        let field = recorded.field
        if recorded.isSecret { return write("(masked)" as StaticString) }
        if field.isMeasured { return writeScaled(recorded) }
        switch field.format {
        // A protocol is written as its label. A group inside a protocol has no value; like tshark, write its presence.
        case .group where !field.name.utf8.contains(UInt8(ascii: ".")): write(field.label)
        case .group: write(UInt8(ascii: "1"))
        case .decimal: writeDecimal(recorded.value)
        case .boolean: write(recorded.value == 0 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        case .signed: writeDecimal(recorded.signedValue)
        case .hex(let digits):
            write(UInt8(ascii: "0"))
            write(UInt8(ascii: "x"))
            writeHex(recorded.value, digits: digits)
        case .number: write(String(Double(bitPattern: recorded.value)))
        case .float(let size): writeShortest(Double(bitPattern: recorded.value), bytes: size)
        case .dotted: writeDotted(recorded.value, bytes: Int(recorded.length))
        case .timestamp(let epoch, let step): writeTimestamp(recorded.value, epoch: epoch, step: step)
        case .time: writeSeconds(nanoseconds: Int64(bitPattern: recorded.value))
        case .address: writeAddress(recorded.value)
        case .bytes: writeHex(batch.bytes(of: recorded, in: metadata))
        case .uuid128 where recorded.isGenerated: write(texts[Int(recorded.value)].filter { $0 != "-" })
        case .uuid128: writeUUID(batch.bytes(of: recorded, in: metadata), isGrouped: false)
        case .bigEndianUUID128: writeHex(batch.bytes(of: recorded, in: metadata))
        case .text:
            if recorded.isGenerated {
                writeText(texts[Int(recorded.value)])
            } else {
                writeText(batch.bytes(of: recorded, in: metadata))
            }
        }
    }

    /// Writes a frame number in the format of its field.
    package mutating func writeValue(
        _ number: FrameNumber, of packet: CapturedPacket, in batch: borrowing TrackedBatch
    ) {
        let value = number.value(of: packet, in: batch)
        if number.isTime { writeSeconds(nanoseconds: Int64(bitPattern: value)) } else { writeDecimal(value) }
    }

    /// Writes a little-endian UUID in canonical order, with dashes if `isGrouped`.
    package mutating func writeUUID(_ bytes: ArraySlice<UInt8>, isGrouped: Bool = true) {
        writeUUID(bigEndian: bytes.reversed(), isGrouped: isGrouped)
    }

    private mutating func writeUUID(bigEndian bytes: some Collection<UInt8>, isGrouped: Bool) {
        for (index, byte) in bytes.enumerated() {
            if isGrouped, bytes.count == 16, [4, 6, 8, 10].contains(index) { write(UInt8(ascii: "-")) }
            writeHex(UInt64(byte), digits: 2)
        }
    }

    /// Writes a field's UUID with dashes. The text of a generated UUID already has them.
    package mutating func writeGroupedUUID(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        if recorded.isGenerated {
            write(texts[Int(recorded.value)])
        } else if recorded.field.format == .bigEndianUUID128 {
            writeUUID(bigEndian: batch.bytes(of: recorded, in: metadata), isGrouped: true)
        } else {
            writeUUID(batch.bytes(of: recorded, in: metadata))
        }
    }

    /// Writes a text; nonprintable characters are escaped.
    package mutating func writeText(_ text: String) {
        // Most texts come from the program itself and are printable.
        if text.isPrintableASCII { write(text) } else { writeText(Array(text.utf8)[...]) }
    }

    /// Writes text up to its first NUL. Nonprintable characters are escaped, those of ASCII as in tshark; invalid UTF-8
    /// is replaced.
    package mutating func writeText(_ bytes: ArraySlice<UInt8>) {
        for scalar in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\t": write("\\t" as StaticString)
            case "\n": write("\\n" as StaticString)
            case "\r": write("\\r" as StaticString)
            case "\u{0}"..<" ", "\u{7F}":
                write("\\x" as StaticString)
                writeHex(UInt64(scalar.value), digits: 2)
            default: write(scalar.isLegible ? String(scalar) : scalar.escaped)
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
        return raw * field.scale + field.bias
    }
}

extension TextWriter {
    /// Writes a field's value for people: with its name or its unit.
    package mutating func writeDisplay(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        let field = recorded.field
        if let name = field.names?[recorded.value] {
            write(name)
            write(" (" as StaticString)
            writeValue(recorded, in: metadata, of: batch, texts: texts)
            write(UInt8(ascii: ")"))
            return
        }
        if field.isScaled {
            writeScaled(recorded)
        } else if field.format == .boolean {
            write(recorded.value == 0 ? "False" : "True" as StaticString)
        } else if field.format == .uuid128 || field.format == .bigEndianUUID128 {
            writeGroupedUUID(recorded, in: metadata, of: batch, texts: texts)
        } else {
            writeValue(recorded, in: metadata, of: batch, texts: texts)
        }
        if let unit = field.unit {
            write(UInt8(ascii: " "))
            write(unit)
        }
    }
}

extension RecordedField {
    /// The scaled value, rounded to the field's decimals: 23.4, not 23.400000000000002.
    package var roundedValue: Double {
        let factor = Double(Self.powersOfTen[field.decimals])
        let rounded = (scaledValue * factor).rounded() / factor
        return rounded.isFinite ? rounded : scaledValue
    }

    fileprivate static let powersOfTen: [10 of UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]
}

extension TextWriter {
    /// Writes the scaled value with as many decimals as its field has.
    package mutating func writeScaled(_ recorded: RecordedField) {
        let scaled = recorded.scaledValue
        let decimals = recorded.field.decimals
        let factor = RecordedField.powersOfTen[decimals]
        guard let shifted = UInt64(exactly: (abs(scaled) * Double(factor)).rounded()) else {
            return write(String(scaled))
        }
        if scaled < 0, shifted != 0 { write(UInt8(ascii: "-")) }
        let (whole, rest) = shifted.quotientAndRemainder(dividingBy: factor)
        writeDecimal(whole)
        guard decimals > 0 else { return }
        write(UInt8(ascii: "."))
        writeDecimal(rest, digits: decimals)
    }
}

extension Span where Element == RecordedField {
    /// Index after the last field below the one at `index`, at most `limit`.
    package func endOfTree(_ index: Int, before limit: Int) -> Int {
        let depth = self[index].depth
        var end = index + 1
        while end < limit, self[end].depth > depth { end += 1 }
        return end
    }
}

extension FrameMetadata {
    /// The remote device: the one that is not the local adapter; on the air, the peripheral or advertiser.
    package func peer(in batch: borrowing TrackedBatch) -> Device? { numberedPeer(in: batch).device }

    /// The remote device's number; -1 if unknown.
    package func peerNumber(in batch: borrowing TrackedBatch) -> Int32 { numberedPeer(in: batch).number }

    private func numberedPeer(in batch: borrowing TrackedBatch) -> (number: Int32, device: Device?) {
        let (sends, receives) = (batch.devices[sender], batch.devices[receiver])
        let (one, other) = ((sends == nil ? -1 : sender, sends), (receives == nil ? -1 : receiver, receives))
        if sends?.adapter != nil { return other }
        if receives?.adapter != nil { return one }
        return direction == .sent ? (receives == nil ? one : other) : (sends == nil ? other : one)
    }
}
