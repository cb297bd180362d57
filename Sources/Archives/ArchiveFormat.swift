import Captures

/// The archive formats that are unpacked, recognised by content and never by name.
enum ArchiveFormat: Hashable {
    case zip, sevenZip, tar
    /// Whatever xz has compressed: a tar archive, or one file.
    case xz

    /// Bytes needed to recognise all of them.
    static let needed = 263

    /// The format of content that starts with `bytes`; gzip is decompressed by the byte source.
    init?(startingWith bytes: some RandomAccessCollection<UInt8>) {
        func has(_ magic: [UInt8], at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(with: magic)
        }
        if has([0x50, 0x4B, 3, 4]) || has([0x50, 0x4B, 5, 6]) {
            self = .zip
        } else if has([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]) {
            self = .sevenZip
        } else if has([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) {
            self = .xz
        } else if has(Array("ustar".utf8), at: 257) {
            self = .tar
        } else {
            return nil
        }
    }
}
