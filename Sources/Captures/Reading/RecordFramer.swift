import Bytes

/// Finds the records of one file format in a stream of bytes: one for each format.
protocol RecordFramer: Sendable {
    var format: CaptureFormat { get }

    /// Whether the times may be finer than a microsecond.
    var hasNanoseconds: Bool { get }

    /// The interfaces that the file has told of so far; empty for a format without.
    var interfaces: [CaptureInterface] { get }

    /// Frames all records that lie wholly in `bytes`, from `pass.position` on, and says there how far it came.
    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass)
}

extension RecordFramer {
    var hasNanoseconds: Bool { false }
    var interfaces: [CaptureInterface] { [] }
}

/// One walk of a framer over one buffer: where it is and what it found.
struct FramingPass {
    /// Offset in the buffer of the first byte that is not framed; past the end to skip bytes that are yet to come.
    var position: Int
    /// Number of the frame that was found last.
    var number: Int
    /// Offset of the buffer's first byte in the content.
    let offset: Int
    /// The file, for messages.
    let file: String

    var packets: [CapturedPacket] = []
    var comments: [[String]] = []
    var warnings: [CaptureWarning] = []
    /// Why nothing after `position` can be read.
    private(set) var fault: CaptureError?
    /// Whether there is a fault: a question for each block, so it must not copy one.
    private(set) var hasFailed = false
    /// Bytes from `position` on that must be there to go on.
    private(set) var needed = 1
    /// What those bytes are.
    private(set) var awaited: StaticString = "record"
    /// Records by kind that were passed over: what a conversion loses.
    var skipped: [String: Int] = [:]

    init(position: Int, number: Int, offset: Int, file: String) {
        self.position = position
        self.number = number
        self.offset = offset
        self.file = file
    }

    /// Stops until `count` bytes from `position` on are there.
    mutating func wait(for count: Int, _ what: StaticString) {
        needed = count
        awaited = what
    }

    /// Stops for good: what lies at `position`, plus `distance`, makes no sense.
    mutating func fail(
        _ text: String, kind: CaptureError.Kind = .damaged, distance: Int = 0,
        advice: String = "the part before was read"
    ) {
        hasFailed = true
        fault = CaptureError(kind, file: file, offset: offset + position + distance, text, advice: advice)
    }

    /// Notes what lies at `position` and goes on.
    mutating func warn(_ text: String, advice: String = "") {
        warnings.append(CaptureWarning(file: file, offset: offset + position, text, advice: advice))
    }
}

/// Limits that no sane capture reaches.
enum CaptureLimit {
    /// Captured bytes of one packet; what tcpdump, Wireshark and btmon set too.
    static let packet = 256 * 1024
    /// A pcapng block that is held whole.
    static let block = 1024 * 1024
    /// Interfaces of a pcapng capture, over all its sections.
    static let interfaces = 65_536
    /// Adapters of which it is known how their recorder wrote directions.
    static let adapters = 256
    /// Bytes of an interface's name or description that are kept.
    static let name = 256
    /// Warnings that are kept.
    static let warnings = 100

    /// What is said of a packet that is larger.
    static func refusal(of length: UInt32) -> String {
        "a record of \(length) bytes was expected to have \(packet) at most"
    }
}
