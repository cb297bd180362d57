import Bytes
import Captures
import Testing

/// The monitor protocol of firmware: frames in a stream without a sync word.
@Suite struct MonitorFramerTests {
    private let bootText = Array("*** Booting Zephyr OS build v3.7.0 ***\r\n".utf8)
    private let session = FirmwareFrame.session

    @Test(arguments: FirmwareFrame.Stack.allCases)
    func framesAreRead(of stack: FirmwareFrame.Stack) {
        var frames = session
        frames[3].drops = [2: 3, 4: 1]
        let found = FoundFrames(frames.flatMap { $0.bytes(stack) })
        #expect(found.bodies == frames.map(\.body))
        #expect(found.frames.map(\.opcode) == frames.map(\.opcode))
        #expect(found.frames.map(\.drops) == [0, 0, 0, 4, 0, 0, 0, 0, 0])
        #expect(found.frames.allSatisfy { $0.ticks == 10_000 })
        #expect(found.garbage == 0)
    }

    @Test func aFrameIsDeliveredAtOnce() {
        var framer = MonitorFramer()
        for frame in session { #expect(framer.take(frame.bytes()).count == 1) }
    }

    @Test func theSplitDoesNotMatter() {
        let stream =
            bootText + session.flatMap { $0.bytes() } + [1, 2, 3] + session.flatMap { $0.bytes(.nimble) }.dropLast(2)
            + session.flatMap { $0.bytes() }
        let whole = FoundFrames(stream)
        for size in [1, 2, 3, 5, 7, 64] { #expect(FoundFrames(stream, by: size).elements == whole.elements) }
        var framer = MonitorFramer()
        for end in 1..<stream.count {
            let halves = framer.take(Array(stream[..<end])) + framer.take(Array(stream[end...])) + framer.finish()
            #expect(halves == whole.elements, "split at \(end)")
        }
    }

    @Test func anEmptyNoteReportsDrops() {
        let note = FirmwareFrame(opcode: .systemNote, body: [], drops: [7: 9])
        let found = FoundFrames(note.bytes(.nimble))
        #expect(found.frames.map(\.drops) == [9])
        #expect(found.bodies == [[]])
    }

    @Test func aFirstFrameWithoutTimeWaitsForTheNext() {
        var frames = [FirmwareFrame.reset, .resetComplete]
        frames[0].ticks = nil
        frames[1].ticks = nil
        var framer = MonitorFramer()
        #expect(framer.take([0xFF] + frames[0].bytes()).isEmpty)
        #expect(framer.take(frames[1].bytes()).count == 3)
        #expect(FoundFrames(frames[0].bytes()).bodies == [frames[0].body])
    }

    /// What is no frame, in a stream between two good ones.
    @Test(arguments: [
        ("a flag", 4, 1), ("an unknown opcode", 2, 0x40), ("a record of the kernel", 2, 14), ("another length", 0, 13),
        ("another length in HCI", 13, 9), ("an unknown item of the header", 6, 9), ("a header beyond its items", 5, 6),
    ])
    func whatIsNoFrameIsSkipped(name: String, offset: Int, value: Int) {
        var bytes = FirmwareFrame.reset.bytes()
        bytes[offset] = UInt8(value)
        let stream = FirmwareFrame.note.bytes() + bytes + FirmwareFrame.resetComplete.bytes()
        let found = FoundFrames(stream)
        #expect(found.bodies == [FirmwareFrame.note.body, FirmwareFrame.resetComplete.body], "\(name)")
        #expect(found.garbage == bytes.count)
    }

    @Test func bootTextIsShown() throws {
        let found = FoundFrames(session.flatMap { $0.bytes() } + bootText + session.flatMap { $0.bytes() })
        #expect(found.bodies == (session + session).map(\.body))
        let text = found.elements.compactMap { element in
            if case .garbage(let garbage) = element { garbage.start } else { nil }
        }
        #expect(text == [bootText])
    }

    /// Loses, doubles or changes each byte of a session: only the frame with the byte may differ.
    @Test(arguments: ["lost", "doubled", "changed", "10 lost"])
    func damageCostsOneFrame(kind: String) {
        let frames = session + session
        let pieces = frames.map { $0.bytes() }
        for (damaged, piece) in pieces.enumerated() {
            for offset in piece.indices {
                var bytes = piece
                switch kind {
                case "lost": bytes.remove(at: offset)
                case "doubled": bytes.insert(piece[offset], at: offset)
                case "changed": bytes[offset] ^= 0xFF
                default: bytes.removeSubrange(offset..<min(offset + 10, bytes.count))
                }
                let stream = Array(pieces[..<damaged].joined()) + bytes + Array(pieces[(damaged + 1)...].joined())
                let found = FoundFrames(stream)
                var rest = found.bodies[...]
                for (index, frame) in frames.enumerated() where index != damaged {
                    guard let place = rest.firstIndex(of: frame.body) else {
                        Issue.record("byte \(offset) of frame \(damaged): frame \(index) is missing")
                        break
                    }
                    rest = rest[(place + 1)...]
                }
                #expect(found.frames.count <= frames.count, "byte \(offset) of frame \(damaged)")
            }
        }
    }

    @Test func aFrameInADamagedOneIsMarked() {
        let lost = FirmwareFrame.data(20).bytes().dropLast(3)
        let found = FoundFrames(
            FirmwareFrame.note.bytes() + lost + FirmwareFrame.reset.bytes() + FirmwareFrame.log.bytes())
        #expect(found.bodies.suffix(2) == [FirmwareFrame.reset.body, FirmwareFrame.log.body])
        #expect(found.overlapping == [false, false, true, false])
    }

    @Test func aRestartWithinAFrameCostsNoOther() {
        let stream =
            FirmwareFrame.note.bytes() + FirmwareFrame.data(120).bytes().dropLast(90) + bootText
            + session.flatMap { $0.bytes() }
        #expect(FoundFrames(stream).bodies.suffix(session.count) == session.map(\.body)[...])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func framesAreFoundInNoise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stream: [UInt8] = []
        var sent: [[UInt8]] = []
        for index in 0..<200 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                stream += (0..<Int.random(in: 1...300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            let frame = FirmwareFrame.data(index % 40, byte: UInt8(index))
            sent.append(frame.body)
            stream += frame.bytes(Bool.random(using: &random) ? .zephyr : .nimble)
        }
        let found = FoundFrames(stream, by: 100)
        #expect(found.bodies == sent)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func noiseHasNoFrames(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let found = FoundFrames(noise, by: 4096)
        #expect(found.frames.isEmpty)
        #expect(found.garbage == noise.count)
        #expect(found.mostPending < 80_000)
    }

    @Test(arguments: [0, 1, 4, 8, 0xFF] as [UInt8])
    func oneByteRepeatedHasNoFrames(byte: UInt8) {
        let found = FoundFrames([UInt8](repeating: byte, count: 20_000))
        #expect(found.frames.isEmpty)
        #expect(found.garbage == 20_000)
    }

    @Test func aFrameBecomesAMonitorRecord() {
        var batch = PacketBatch()
        var frames = [FirmwareFrame.reset, .log, .data(3)]
        frames[2].drops = [4: 2]
        for (index, frame) in FoundFrames(frames.flatMap { $0.bytes() }).frames.enumerated() {
            batch.append(
                frame, number: index + 1, time: Timestamp(nanoseconds: 7), comment: index == 1 ? "damaged" : nil)
        }
        #expect(batch.packets.map(\.recordType) == [2, 13, 5])
        #expect(batch.packets.map(\.adapter) == [0, MonitorRecord.noAdapter, 0])
        #expect(batch.packets.map(\.drops) == [0, 0, 2])
        #expect(batch.packets.map(\.direction) == [.sent, .unknown, .received])
        #expect(batch.packets.map { batch.comments(of: $0) } == [[], ["damaged"], []])
        #expect(batch.packets.map { Array(batch.bytes(of: $0)) } == frames.map(\.body))
    }
}
