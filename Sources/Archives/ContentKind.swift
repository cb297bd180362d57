import Captures

/// What a file or a member of an archive is, by its first bytes.
enum ContentKind: Hashable {
    case capture, archive
    /// A text, which may have a btsnooz log.
    case text
    case other

    init(startingWith start: [UInt8], name: String) {
        guard let source = try? ByteSource(bytes: start, name: name) else {
            self = .other
            return
        }
        // What gzip has compressed is recognised by what it contains.
        let content = source.isCompressed ? (try? source.next()) ?? [] : start
        if ArchiveFormat(startingWith: content) != nil {
            self = .archive
        } else if (try? CaptureReader(source: ByteSource(bytes: start, name: name))) != nil {
            self = .capture
        } else if Self.isText(content.prefix(512)) {
            self = .text
        } else {
            self = .other
        }
    }

    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) || $0 >= 0x80 }
    }
}
