import Bytes
import Captures
import Conversation
import Dissection
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

@testable import Web

/// Rows at any position equal the output of `decode`.
struct IndexTests {
    /// The frame lines in the output of `decode`.
    private func lines(_ path: String, filter: String? = nil) async throws -> [String] {
        var options = DecodeOptions()
        options.plugins = try PluginLibrary.builtIn().plugins
        options.filter = filter
        var text = ""
        _ = try await DecodeJob(options).run(CaptureReader(path: path)) { span, _ in
            text += String(decoding: ByteReader(span).restBytes, as: UTF8.self)
            return true
        }
        // Comments and diagnoses follow on the lines below a frame.
        return text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init)
    }

    /// The output line of `decode` for a row.
    private func line(of row: JSONValue) throws -> String {
        let number = "\(Int(try #require(row["number"]?.number)))"
        var time = TextWriter()
        let seconds = try #require(row["time"]?.number)
        time.writeSeconds(nanoseconds: Int64((seconds * 1e9).rounded()), decimals: 6)
        let text = String(decoding: time.bytes, as: UTF8.self)
        let arrow = ["sent": " → ", "received": " ← "][row["direction"]?.string ?? ""] ?? "   "
        let peer = row["peer"]?.string ?? ""
        return number + String(repeating: " ", count: max(0, 7 - number.count))
            + String(repeating: " ", count: max(0, 12 - text.count)) + text + arrow + peer
            + String(repeating: " ", count: max(0, 18 - peer.utf8.count)) + " " + (row["info"]?.string ?? "")
    }

    private func rows(_ file: OpenFile, _ session: WebSession, _ places: Range<Int>) throws -> [JSONValue] {
        let writer = try RowWriter(file.index.plugins, FrameMarks(), fields: [], session.catalog)
        return try places.map { place in
            let window = try #require(try file.index.window(at: place))
            var text = TextWriter()
            writer.write(place - window.range.lowerBound, of: window, to: &text)
            return try JSONValue(reading: text.bytes)
        }
    }

    @Test(arguments: Repository.captures(in: "captures"))
    func rowsAreWhatDecodePrints(_ name: String) async throws {
        let expected = try await lines(Repository.path(name))
        let session = try await makeSession([Repository.path(name)])
        defer { session.closeAll() }
        let file = session.files[0]
        #expect(file.index.packets == expected.count)
        for place in (0..<expected.count).shuffled().prefix(60) {
            let row = try rows(file, session, place..<(place + 1))[0]
            #expect(try line(of: row) == expected[place])
            #expect(row["index"]?.number == Double(place))
        }
    }

    @Test func jumpsInALongCaptureAreWhatDecodePrints() async throws {
        let capture = try LongCapture(repeating: 300)
        let expected = try await lines(capture.path)
        let session = try await makeSession([capture.path])
        defer { session.closeAll() }
        let file = session.files[0]
        #expect(file.index.packets == capture.packets)
        #expect(file.index.progress.list.checkpoints.count > 3)
        for _ in 0..<40 {
            let start = Int.random(in: 0..<capture.packets)
            let rows = try rows(file, session, start..<min(start + 30, capture.packets))
            for (offset, row) in rows.enumerated() { #expect(try line(of: row) == expected[start + offset]) }
        }
        // By frame number too
        let number = Int.random(in: 1...capture.packets)
        let window = try #require(try file.index.window(atNumber: number))
        #expect(window.batch.metadata[window.offset(ofNumber: number)].packet.number == number)
    }

    @Test(arguments: ["btatt", "btatt.opcode == 0x1b || btsmp", "frame.number > 40 && frame.number < 60", "frame"])
    func filtersFindWhatDecodeFinds(_ expression: String) async throws {
        let names = Repository.captures(in: "captures").filter { !$0.hasSuffix(".gz") }.shuffled().prefix(12)
        let session = try await makeSession(names.map { Repository.path($0) })
        defer { session.closeAll() }
        for (name, file) in zip(names, session.files) {
            try await compare(expression, file, session, Repository.path(name))
        }
        let capture = try LongCapture(repeating: 100)
        let long = try await makeSession([capture.path])
        defer { long.closeAll() }
        try await compare(expression, long.files[0], long, capture.path)
    }

    private func compare(_ expression: String, _ file: OpenFile, _ session: WebSession, _ path: String) async throws {
        let run = try file.start(DisplayFilter(expression, catalog: session.catalog), session.catalog)
        while run.progress.state == .running { try await Task.sleep(for: .milliseconds(5)) }
        let numbers = try await lines(path, filter: expression).map { Int($0.prefix { $0.isNumber }) }
        #expect(run.progress.state == .complete)
        #expect(run.progress.matches == numbers.count)
        var found: [Int] = []
        while found.count < run.progress.matches { found += run.matches(found.count..<(found.count + 700)) }
        #expect(found == numbers)
        if let some = found.randomElement() { #expect(run.index(from: some) == found.firstIndex(of: some)) }
    }

    @Test func aFilterThatIsCancelledEnds() async throws {
        let capture = try LongCapture(repeating: 300)
        let session = try await makeSession([capture.path])
        defer { session.closeAll() }
        let run = try session.files[0].start(DisplayFilter("btatt", catalog: session.catalog), session.catalog)
        #expect(session.files[0].endFilter(run.id))
        #expect(run.progress.state == .cancelled)
        #expect(session.files[0].filter(run.id) == nil)
    }

    @Test func matchesAreFoundByPlaceAndByNumber() {
        var matches = MatchSet()
        let numbers = (1...400_000).filter { _ in Int.random(in: 0..<50) == 0 }
        for number in numbers { matches.append(number) }
        #expect(matches.count == numbers.count)
        for place in numbers.indices.shuffled().prefix(500) {
            #expect(matches[place] == numbers[place])
            #expect(matches.index(from: numbers[place]) == place)
            #expect(matches.index(from: numbers[place] + 1) == place + 1)
        }
        #expect(matches[numbers.count] == nil)
        #expect(matches[-1] == nil)
        #expect(MatchSet().index(from: 7) == 0)
    }

    @Test func checkpointsStayFew() throws {
        let reader = try CaptureReader(path: Repository.capture("aquavate-sync"))
        var list = CheckpointList()
        for place in 0..<200_000 {
            list.offer(
                Checkpoint(
                    place: Place(index: place * 4096, number: place * 4096), position: reader.position,
                    tracker: Tracker(), application: ApplicationTracker(.none)))
        }
        #expect(list.checkpoints.count < 20_000)
        #expect(list.checkpoints[0].place.index == 0)
        let found = try #require(list.last { $0.index <= 300_000_000 })
        #expect(found.place.index <= 300_000_000)
    }
}
