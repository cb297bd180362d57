import Captures

/// What a file or a member of an archive is, by its first bytes and never by its name.
enum ContentKind: Hashable {
    /// zip, 7z, tar, or what xz has compressed.
    case archive
    /// A text, which may have a btsnooz log.
    case text
    /// A capture, or anything else.
    case other

    /// What gzip has compressed is recognised by what it contains.
    init(_ source: ByteSource) {
        let start = source.contentStart
        self = Self.isArchive(start) ? .archive : FormatRecognition.isText(start) ? .text : .other
    }

    private static func isArchive(_ start: [UInt8]) -> Bool {
        let magics: [[UInt8]] = [
            [0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6], [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C],
            [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
        ]
        return magics.contains { start.starts(with: $0) } || start.dropFirst(257).starts(with: "ustar".utf8)
    }
}
