import Bytes

/// Tells the format of a capture by its first bytes; names never count.
enum FormatRecognition {
    /// Bytes that recognition wants; fewer do where the content has no more.
    static let needed = PacketLogger.headerSize

    /// The framer for content that starts with `bytes`.
    static func framer(for bytes: [UInt8], of source: ByteSource) throws(CaptureError) -> any RecordFramer {
        guard !bytes.isEmpty else {
            if let warning = source.compressionWarning { throw CaptureError(.damaged, warning) }
            throw CaptureError(.empty, file: source.name, "is empty", advice: "a capture was expected")
        }
        if bytes.starts(with: Btsnoop.magic) { return BtsnoopFramer() }
        if let framer = PcapFramer(magic: bytes) { return framer }
        if bytes.starts(with: Pcapng.magic) { return PcapngFramer() }
        if let order = PacketLogger.recognize(bytes.span.rawBytes) { return PacketLoggerFramer(order: order) }
        let (text, advice) = guess(bytes)
        throw CaptureError(.notACapture, file: source.name, offset: 0, text, advice: advice)
    }

    /// What content that is no capture seems to be, and what to do with it.
    private static func guess(_ bytes: [UInt8]) -> (text: String, advice: String) {
        for (magic, name, advice) in others where bytes.starts(with: magic) {
            return ("\(name), not a capture", advice)
        }
        if bytes.prefix(512).allSatisfy({ (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) || $0 >= 0x80 }) {
            return ("text, not a capture", expected)
        }
        return ("not a capture of a known format", expected)
    }

    private static let expected = "supported are btsnoop, PacketLogger, pcap and pcapng, also gzip-compressed"

    /// Content that people hand over by mistake.
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
