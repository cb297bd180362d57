import Bytes

/// Why a capture cannot be read or written: which file, where, what is wrong and what to do about it.
public struct CaptureError: Error, Sendable, Hashable {
    /// The kinds of failure that callers tell apart.
    public enum Kind: Sendable, Hashable {
        /// The file is missing, a directory, or closed to us.
        case cannotOpen
        /// The operating system failed to read.
        case cannotRead
        /// There are no bytes.
        case empty
        /// The content is no capture that we know.
        case notACapture
        /// A capture of something that we do not decode, or a variant of a format that we do not know.
        case unsupported
        /// The content contradicts itself before the first packet.
        case damaged
        /// The format or link type that the user asked for cannot hold the packets.
        case wrongTarget
        /// The file cannot be created, or the disk is full.
        case cannotWrite
    }

    public var kind: Kind
    /// What was found, and where.
    public var finding: CaptureWarning

    public init(_ kind: Kind, file: String, offset: Int? = nil, _ text: String, advice: String = "") {
        self.kind = kind
        self.finding = CaptureWarning(file: file, offset: offset, text, advice: advice)
    }

    public init(_ kind: Kind, _ finding: CaptureWarning) {
        self.kind = kind
        self.finding = finding
    }
}

extension CaptureError: CustomStringConvertible {
    public var description: String { finding.description }
}

/// Something wrong with a capture that did not keep its good part from being read.
public struct CaptureWarning: Sendable, Hashable {
    /// Path of the file, or "standard input".
    public var file: String
    /// Where, in bytes from the start (of the unpacked content, if the file is compressed).
    public var offset: Int?
    /// What was found and what was expected.
    public var text: String
    /// What to do about it; empty where there is nothing to do.
    public var advice: String

    public init(file: String, offset: Int? = nil, _ text: String, advice: String = "") {
        self.file = file
        self.offset = offset
        self.text = text
        self.advice = advice
    }
}

extension CaptureWarning: CustomStringConvertible {
    /// For example `a.pcap: offset 4096: the record needs 60 bytes, 12 are left; the file was cut short`.
    public var description: String {
        let place = offset.map { "offset \($0): " } ?? ""
        return "\(file.quotedIfEmpty): \(place)\(text)" + (advice.isEmpty ? "" : "; \(advice)")
    }
}
