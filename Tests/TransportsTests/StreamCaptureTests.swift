import Bytes
import Captures
import Glibc
import PDUTestKit
import Testing
import Transports

/// Captures that are streamed over a link.
@Suite struct StreamCaptureTests {
    /// A link that delivers bytes in chunks and then closes.
    private final class ChunkLink: Transport {
        let name = "wire"
        private var events: [TransportEvent]

        init(_ chunks: [[UInt8]]) {
            events = chunks.map { .packet($0, comment: nil) } + [.closed("the other end has closed")]
        }

        var interests: [Interest] { [] }
        var nextEvent: Timestamp? { Timestamp(nanoseconds: .min) }
        func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
            events.isEmpty ? [] : [events.removeFirst()]
        }
        func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] { [] }
        func close() {}
    }

    private let capture = CaptureBuilder.btsnoop(
        1002,
        [
            CaptureBuilder.btsnoopRecord(CaptureBuilder.reset),
            CaptureBuilder.btsnoopRecord(CaptureBuilder.resetComplete, flags: 3),
        ])

    /// The packets' numbers and bytes, and the reports, of a capture that is stopped after `limit` packets.
    private func run(
        _ capture: any LiveCapture, limit: Int = .max
    ) throws -> (numbers: [Int], bytes: [[UInt8]], reported: [String]) {
        var numbers: [Int] = []
        var bytes: [[UInt8]] = []
        var reported: [String] = []
        try capture.run(
            CaptureSink(
                take: { batch in
                    numbers += batch.packets.map(\.number)
                    bytes += batch.packets.map { Array(batch.bytes(of: $0)) }
                    return numbers.count < limit
                }, report: { reported.append($0) }))
        return (numbers, bytes, reported)
    }

    @Test(arguments: [1, 7, 16, 1000])
    func aCaptureIsReadInAnyChunks(size: Int) throws {
        let chunks = stride(from: 0, to: capture.count, by: size).map { start in
            Array(capture[start..<min(start + size, capture.count)])
        }
        let outcome = try run(StreamCapture(ChunkLink(chunks)))
        #expect(outcome.numbers == [1, 2])
        #expect(outcome.bytes == [CaptureBuilder.reset, CaptureBuilder.resetComplete])
        #expect(outcome.reported == ["wire: the other end has closed"])
    }

    @Test func aStreamThatComesBackContinues() throws {
        let again = capture
        let source = StreamCapture(ChunkLink([Array(capture.dropLast(3))])) { ChunkLink([again]) }
        let outcome = try run(source, limit: 3)
        #expect(outcome.numbers == [1, 2, 3])
        #expect(outcome.reported.first == "wire: the other end has closed")
        #expect(outcome.reported.contains("wire: waiting until it is back"))
    }

    @Test func whatIsNoCaptureIsAnError() throws {
        let text = Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8)
        #expect(throws: CaptureError.self) { try run(StreamCapture(ChunkLink([text]))) }
        #expect(throws: CaptureError.self) { try run(StreamCapture(ChunkLink([]))) }
    }

    @Test func aNamedPipeIsRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let source = try CaptureSource("stream:\(path)").open()
        let writer = Glibc.open(path, O_WRONLY)
        try #require(writer >= 0)
        #expect(Glibc.write(writer, capture, capture.count) == capture.count)
        Glibc.close(writer)
        #expect(try run(source).numbers == [1, 2])
    }

    @Test func aFileIsNoPipe() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a.btsnoop", capture)
        let source = try CaptureSource("stream:\(path)")
        #expect(throws: TransportError.self) { try source.open() }
        let missing = try CaptureSource("stream:\(path).missing")
        #expect(throws: TransportError.self) { try missing.open() }
    }
}
