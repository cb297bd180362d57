import Bytes

/// Finds the records of a file format in a stream of bytes. One type per format.
protocol RecordFramer: Sendable {
    var format: CaptureFormat { get }

    /// Whether the times may be finer than a microsecond.
    var hasNanoseconds: Bool { get }

    /// The interfaces read from the file so far; empty for formats without interfaces.
    var interfaces: [CaptureInterface] { get }

    /// Whether there were USB devices so far, but no Bluetooth adapter among them.
    var lacksAdapter: Bool { get }
    /// Whether the content has no records but is what was sent on a line. Its framer is called once more at the end.
    var isDump: Bool { get }

    /// Frames all complete records in `bytes` from `pass.position` on, and advances `pass.position`.
    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass)
}

extension RecordFramer {
    var hasNanoseconds: Bool { false }
    var interfaces: [CaptureInterface] { [] }
    var lacksAdapter: Bool { false }
    var isDump: Bool { false }
}

/// One pass of a framer over a buffer: its position and its results.
struct FramingPass {
    /// Offset in the buffer of the first unframed byte. It may lie past the end, to skip bytes that have not been read
    /// yet.
    var position: Int
    /// Number of the last frame.
    var number: Int
    /// Offset of the buffer's first byte in the content.
    let offset: Int
    /// The file, for messages.
    let file: String
    /// Whether the buffer ends where the content does; only stated to the framer of a dump.
    let isAtEnd: Bool

    var packets: [CapturedPacket] = []
    /// Bytes of packets that the file does not contain as they are, such as those that several records hold. In the
    /// batch, they follow the buffer.
    private(set) var made: [UInt8] = []
    var comments: [[String]] = []
    var warnings: [CaptureWarning] = []
    /// The reason why nothing after `position` can be read.
    private(set) var fault: CaptureError?
    /// Whether there is a fault. Checked for each block, where copying `fault` would be too slow.
    private(set) var hasFailed = false
    /// Bytes from `position` on that are needed to continue.
    private(set) var needed = 1
    /// Description of the needed bytes, for messages.
    private(set) var awaited: StaticString = "record"
    /// Skipped records by kind, which a conversion loses.
    var skipped: [String: Int] = [:]

    init(position: Int, number: Int, offset: Int, file: String, isAtEnd: Bool = false) {
        self.position = position
        self.number = number
        self.offset = offset
        self.file = file
        self.isAtEnd = isAtEnd
    }

    /// Pauses until `count` bytes from `position` on are available.
    mutating func wait(for count: Int, _ what: StaticString) {
        needed = count
        awaited = what
    }

    /// Ends framing: the bytes at `position` plus `distance` are invalid.
    mutating func fail(
        _ text: String, kind: CaptureError.Kind = .damaged, distance: Int = 0,
        advice: String = "the part before was read"
    ) {
        hasFailed = true
        fault = CaptureError(kind, file: file, offset: offset + position + distance, text, advice: advice)
    }

    /// Adds bytes of a packet that the buffer of `size` bytes does not contain as they are; returns where the packet
    /// starts.
    @discardableResult
    mutating func make(_ bytes: some Collection<UInt8>, after size: Int) -> Int {
        let start = size + made.count
        made += bytes
        return start
    }

    /// Adds a warning about the bytes at `position` and continues.
    mutating func warn(_ text: String, advice: String = "") {
        warnings.append(CaptureWarning(file: file, offset: offset + position, text, advice: advice))
    }
}

/// Limits that no valid capture reaches.
enum CaptureLimit {
    /// Captured bytes of a packet; tcpdump, Wireshark and btmon have the same limit.
    static let packet = 256 * 1024
    /// Bytes of a pcapng block that is buffered as a whole.
    static let block = 1024 * 1024
    /// Interfaces of a pcapng capture, over all its sections.
    static let interfaces = 65_536
    /// Adapters whose direction convention is tracked.
    static let adapters = 256
    /// Kept bytes of an interface's name or description.
    static let name = 256
    /// Devices of a USB capture.
    static let usbDevices = 1024
    /// Bytes of HCI packets of a USB capture of which more is to come.
    static let heldUSBBytes = 4 * 1024 * 1024
    /// Warnings that are kept.
    static let warnings = 100

    /// The message for a packet above the limit.
    static func refusal(of length: UInt32) -> String {
        "a record of \(length) bytes was expected to have \(packet) at most"
    }
}
