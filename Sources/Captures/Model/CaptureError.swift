import Bytes

/// An error that prevents reading or writing a capture: the file, the offset, the problem and the advice.
public struct CaptureError: Error, Sendable, Hashable {
    /// Kinds of failure that callers distinguish.
    public enum Kind: Sendable, Hashable {
        /// The file is missing, is a directory, or may not be opened.
        case cannotOpen
        /// The operating system failed to read.
        case cannotRead
        /// The file is empty.
        case empty
        /// The content is not in a known capture format.
        case notACapture
        /// The capture has an unsupported link type, or uses an unsupported variant of its format.
        case unsupported
        /// The content is inconsistent before the first packet.
        case damaged
        /// The requested format or link type cannot hold the packets.
        case wrongTarget
        /// The file cannot be created, or the disk is full.
        case cannotWrite
    }

    public var kind: Kind
    /// The problem and its location.
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

/// A problem in a capture, of which the valid part was still read.
public struct CaptureWarning: Sendable, Hashable {
    /// Path of the file, or "standard input".
    public var file: String
    /// Offset in bytes from the start (of the decompressed content, if the file is compressed).
    public var offset: Int?
    /// The problem and the expected state.
    public var text: String
    /// How to fix it; empty if nothing can be done.
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
