import Bluetooth
package import Bytes
import Captures
import Conversation
import Dissection

extension TextWriter {
    /// Right-pads the text written since `start` with blanks.
    mutating func pad(from start: Int, to width: Int) {
        write(UInt8(ascii: " "), times: width - (count - start))
    }

    /// Left-pads the text written since `start` with blanks.
    package mutating func padLeft(from start: Int, to width: Int) {
        insert(UInt8(ascii: " "), times: width - (count - start), at: start)
    }

    /// Writes a named value by its name alone, other values like `writeDisplay`.
    mutating func writeBrief(
        _ recorded: RecordedField, in metadata: FrameMetadata, of batch: borrowing TrackedBatch, texts: [String]
    ) {
        if let name = recorded.field.names?[recorded.value] {
            write(name)
        } else {
            writeDisplay(recorded, in: metadata, of: batch, texts: texts)
        }
    }

    /// Writes the first bytes in hexadecimal, and the total number if some are omitted.
    mutating func writeHexExcerpt(_ value: ArraySlice<UInt8>, limit: Int = 32) {
        writeHex(value.prefix(limit))
        guard value.count > limit else { return }
        write("… (" as StaticString)
        writeDecimal(UInt64(value.count))
        write(" bytes)" as StaticString)
    }

    /// Writes sixteen bytes per line: offset, hex, characters. Bytes at the offsets in `secrets` are masked.
    mutating func writeHexDump(_ dump: ArraySlice<UInt8>, masking secrets: [Range<Int>] = []) {
        var offset = 0
        while offset < dump.count {
            let row = dump.dropFirst(offset).prefix(16)
            write("    " as StaticString)
            writeHex(UInt64(offset), digits: 4)
            write("  " as StaticString)
            let start = count
            func isSecret(_ index: Int) -> Bool { secrets.contains { $0.contains(index - dump.startIndex) } }
            for (index, byte) in zip(row.indices, row) {
                if isSecret(index) {
                    write("** " as StaticString)
                } else {
                    writeHex(UInt64(byte), digits: 2)
                    write(UInt8(ascii: " "))
                }
            }
            pad(from: start, to: 49)
            for (index, byte) in zip(row.indices, row) {
                let isShown = (0x20..<0x7F).contains(byte) && !isSecret(index)
                write(isShown ? byte : UInt8(ascii: isSecret(index) ? "*" : "."))
            }
            write(UInt8(ascii: "\n"))
            offset += 16
        }
    }
}

extension Direction {
    /// ` → ` for packets from the host or the central.
    var arrow: StaticString {
        switch self {
        case .unknown: "   "
        case .sent: " → "
        case .received: " ← "
        }
    }
}

extension DissectedFrame.AttributeUse {
    /// The attribute's title in a line: its characteristic's name, followed for a descriptor by the descriptor's name.
    var title: String {
        guard let owner else { return name ?? (service.map { $0 + " / " } ?? "") + handleText }
        return owner + " / " + (name ?? handleText)
    }

    private var handleText: String {
        var text = TextWriter(capacity: 6)
        text.write("0x" as StaticString)
        text.writeHex(UInt64(attribute.handle.rawValue), digits: 4)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
