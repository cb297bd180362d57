import Bytes

/// Recognizes the format of a capture from its first bytes, never from its file name.
package enum FormatRecognition {
    /// Bytes needed at first; shorter content is accepted.
    static let needed = PacketLogger.headerSize

    /// Number of bytes needed from the start of the content to recognize it; nil if `bytes` are enough. PacketLogger
    /// and SmartRF Packet Sniffer have no magic number, so several of their records are checked.
    static func wanted(after bytes: [UInt8]) -> Int? {
        let hasMagic =
            bytes.starts(with: Btsnoop.magic) || PcapFramer(magic: bytes) != nil || bytes.starts(with: Pcapng.magic)
        if hasMagic { return nil }
        return [PacketLogger.wanted(after: bytes.span.rawBytes), SmartRF.wanted(after: bytes.span.rawBytes)]
            .compactMap(\.self).max()
    }

    /// The framer for content that starts with `bytes`.
    static func framer(
        for bytes: [UInt8], of source: ByteSource, as stated: StatedContent? = nil
    ) throws(CaptureError) -> any RecordFramer {
        guard !bytes.isEmpty else {
            if let warning = source.compressionWarning { throw CaptureError(.damaged, warning) }
            throw CaptureError(.empty, file: source.name, "is empty", advice: "a capture was expected")
        }
        if bytes.starts(with: Btsnoop.magic) { return BtsnoopFramer() }
        if let framer = PcapFramer(magic: bytes, as: stated) { return framer }
        if bytes.starts(with: Pcapng.magic) { return PcapngFramer(as: stated) }
        // One of its records alone looks like a record of PacketLogger.
        if SmartRF.isRecognized(bytes.span.rawBytes) { return SmartRFFramer() }
        if !isEventTrace(bytes), let order = PacketLogger.recognize(bytes.span.rawBytes) {
            return PacketLoggerFramer(order: order)
        }
        switch stated {
        case .h4: return H4DumpFramer()
        case .h5: return ThreeWireDumpFramer()
        case .linkType, nil: break
        }
        let (text, advice) = guess(bytes)
        throw CaptureError(.notACapture, file: source.name, offset: 0, text, advice: advice)
    }

    /// A guess at the kind of unrecognized content, and advice.
    private static func guess(_ bytes: [UInt8]) -> (text: String, advice: String) {
        for (magic, name, advice) in others where bytes.starts(with: magic) {
            return ("\(name), not a capture", advice)
        }
        if bytes.count > 262, bytes[257..<262].elementsEqual("ustar".utf8) {
            return ("a tar archive, not a capture", "unpack it with tar -xf, and name the capture in it")
        }
        if isSmartRF(bytes) {
            return (
                "a file of TI's SmartRF Packet Sniffer (.psd) without Bluetooth LE packets",
                "it is read if it was recorded as Bluetooth low energy, by a CC2540"
            )
        }
        if isEventTrace(bytes) {
            return (
                "an event trace of Windows (.etl), not a capture",
                "make a btsnoop file of it with btetlparse of Microsoft's Bluetooth Test Platform, or record with its BTVS"
            )
        }
        if bytes.prefix(512).contains(sequence: Array("Ellisys".utf8)) {
            return (
                "a trace of an Ellisys analyzer, not a capture of a known format",
                "export it in the analyzer's program as btsnoop or pcap"
            )
        }
        if isText(bytes) { return guess(text: bytes) }
        return (
            "not a capture of a known format",
            "\(expected); a dump of a UART is read with --as h4 or h5; what an analyzer keeps in a file of its own (Ellisys .btt, Frontline .cfax), its program exports"
        )
    }

    /// Whether content that starts with `bytes` is a text.
    package static func isText(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(512)
        return !start.isEmpty
            && start.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) || $0 >= 0x80 }
    }

    /// A guess at the kind of a text.
    private static func guess(text: [UInt8]) -> (text: String, advice: String) {
        if text.contains(sequence: Array("BTSNOOP_LOG_SUMMARY".utf8)) {
            return (
                "text with a btsnooz log, not a capture",
                "make a btsnoop file of it with btsnooz.py of the Android sources (packages/modules/Bluetooth)"
            )
        }
        if text.starts(with: "Bluetooth monitor ver".utf8)
            || text.prefix(4096).contains(sequence: Array("> HCI Event:".utf8))
        {
            return (
                "the text output of btmon, not a capture", "record with btmon -w FILE, which writes btsnoop"
            )
        }
        return ("text, not a capture", expected)
    }

    /// Whether the bytes are records of TI's SmartRF Packet Sniffer: 271 bytes each, beginning with a flag and a
    /// number.
    private static func isSmartRF(_ bytes: [UInt8]) -> Bool {
        let wanted = 2
        let numbers = (0..<3).map { SmartRF.recordSize * $0 }.filter { $0 + 5 <= bytes.count }.map { start in
            (1...4).reduce(0 as UInt32) { $0 | UInt32(bytes[start + $1]) << (8 * ($1 - 1)) }
        }
        return numbers.count >= wanted && zip(numbers, numbers.dropFirst()).allSatisfy { $0 &+ 1 == $1 }
    }

    /// Whether the bytes begin an event trace log: a buffer's header of 72 bytes, whose first field is the buffer's size,
    /// then the first event's header with version 2, type 1 or 2 (32 or 64 bits) and flags C0 (Microsoft's SDK: evntrace.h,
    /// EVENT_TRACE_HEADER).
    private static func isEventTrace(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 76, bytes[0] == 0, bytes[1] & 3 == 0 else { return false }
        return bytes[72] == 2 && bytes[73] == 0 && (1...2).contains(bytes[74]) && bytes[75] == 0xC0
    }

    private static let expected =
        "supported are btsnoop, PacketLogger, pcap, pcapng and SmartRF .psd, also gzip-compressed"

    /// Other file types that users pass by mistake.
    private static let others: [(magic: [UInt8], name: String, advice: String)] = [
        (
            Array("PK\u{3}\u{4}".utf8), "a zip archive",
            "unpack it; in an Android bug report the capture is FS/data/misc/bluetooth/logs/btsnoop_hci.log"
        ),
        (Array("snoop\0\0\0".utf8), "a Solaris snoop file", "convert it to pcap with editcap"),
        (Array("BZh".utf8), "bzip2 data", "unpack it with bunzip2"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz data", "unpack it with unxz"),
        ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data", "unpack it with unzstd"),
        (Array("\u{7F}ELF".utf8), "a program", expected),
    ]
}

extension RandomAccessCollection<UInt8> {
    /// Whether it contains `part` as a contiguous sequence.
    fileprivate func contains(sequence part: [UInt8]) -> Bool { firstIndex(ofSequence: part) != nil }

    /// The start of the first occurrence of `part`, which is not empty.
    func firstIndex(ofSequence part: [UInt8]) -> Index? {
        var rest = self[...]
        while let start = rest.firstIndex(of: part[0]) {
            rest = rest[start...]
            if rest.starts(with: part) { return start }
            rest = rest.dropFirst()
        }
        return nil
    }
}
