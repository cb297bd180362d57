import Bytes
import Captures
import Glibc
import Synchronization
import TestKit
import Testing
import Transports
import Workbench

@testable import Web

/// A capture whose properties are unknown until it begins, like a pipe without data.
private final class LateCapture: LiveCapture, Sendable {
    let name = "late"
    let encapsulation: Encapsulation? = nil
    let canWait = true
    let lost = 0
    private let isBegun = Mutex(false)
    private let ended = Mutex(false)

    func begin() { isBegun.withLock { $0 = true } }
    var hasEnded: Bool { ended.withLock { $0 } }

    func run(_ sink: CaptureSink) throws {
        defer { ended.withLock { $0 = true } }
        var number = 0
        while true {
            usleep(20_000)
            var batch = PacketBatch()
            if isBegun.withLock({ $0 }) {
                number += 1
                let time = Timestamp(seconds: 1_772_366_400 + Int64(number), nanoseconds: 0)
                batch.append(h4: [4, 0xFF, 1, 7], direction: .received, number: number, time: time)
            }
            guard try sink.take(batch) else { return }
        }
    }
}

/// Captures that grow while pages display them.
struct LiveTests {
    @Test func aCaptureThatBeginsLateIsShown() async throws {
        let capture = LateCapture()
        let server = try await ServerUnderTest([]) { $0.live = OpenedCapture(capture) }
        #expect(try await server.ask("/api/files/1").json["packets"] == .integer(0))
        #expect(try await server.ask("/api/files/1/filters", sending: #"{"expression": "bthci_evt"}"#).status == 201)
        try await Task.sleep(for: .milliseconds(200))
        capture.begin()
        var matches = 0.0
        while matches < 5 {
            try await Task.sleep(for: .milliseconds(50))
            let filter = try await server.ask("/api/files/1/filters/1").json
            #expect(["running", "complete"].contains(filter["state"]?.string))
            matches = filter["matches"]?.number ?? 0
        }
        #expect(try await server.ask("/api/files/1").json["state"]?.string == "running")
        await server.stop()
    }

    @Test func aClosedTabEndsItsCapture() async throws {
        let capture = LateCapture()
        let server = try await ServerUnderTest([]) { ($0.live, $0.twin) = (OpenedCapture(capture), "aquavate") }
        #expect(try await server.ask("/api/twin").status == 200)
        #expect(!capture.hasEnded)
        for file in 1...2 { #expect(try await server.ask("/api/files/\(file)", "DELETE").status == 204) }
        #expect(try await server.ask("/api/twin").status == 404)
        for _ in 0..<200 where !capture.hasEnded { try await Task.sleep(for: .milliseconds(50)) }
        #expect(capture.hasEnded)
        await server.stop()
    }

    @Test func eventsTellWhatHasChanged() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        let events = try RawConnection(to: server.base)
        events.send(
            "GET /api/events HTTP/1.1\r\nHost: \(server.base.dropFirst(7))\r\nX-Gattbench-Token: \(server.token)\r\n\r\n"
        )
        #expect(await events.read(until: "\r\n\r\n").lowercased().contains("content-type: text/event-stream\r\n"))
        _ = try await server.ask("/api/files/1/filters", sending: #"{"expression": "btatt"}"#)
        _ = try await server.ask("/api/files/1/verdicts")
        #expect(await events.read(until: #""what":"verdicts","state":"complete""#).contains("event: filter"))
        _ = try await server.ask("/api/files/1", "DELETE")
        #expect(await events.read(until: "event: closed").contains("event: closed"))
        await server.stop()
        let text = await events.read(until: "event: end")
        let wanted = ["event: file", "event: filter", "event: progress", #""state":"complete""#, "event: end"]
        for part in wanted { #expect(text.contains(part), "\(part)") }
    }

    @Test func aTwinIsShownWhileItRunsAndIsDriven() async throws {
        let server = try await ServerUnderTest([]) { $0.twin = "aquavate" }
        let stimuli = try await server.ask("/api/twin").json["stimuli"]?.elements ?? []
        #expect(stimuli.contains { $0["name"]?.string == "sip" })
        var lines: [String] = []
        repeat {
            let display = try await server.ask("/api/twin/display").json["lines"]?.elements ?? []
            lines = display.compactMap(\.string)
            try #require(lines.count == 9)
        } while !lines.contains { $0.contains("Current: ") }
        #expect(lines.contains { $0.contains("Today:   0ml") })
        var file = JSONValue.null
        repeat {
            file = try await server.ask("/api/files/1").json
            try await Task.sleep(for: .milliseconds(50))
        } while (file["packets"]?.number ?? 0) < 20
        #expect(file["live"] == .boolean(true))
        #expect(file["state"]?.string == "running")
        #expect(try await server.ask("/api/twin", sending: #"{"sip": {"ml": 40}}"#).status == 200)
        #expect(try await server.ask("/api/twin", sending: #"{"sip": {"ml": "much"}}"#).status == 422)
        #expect(try await server.ask("/api/twin", sending: #"{"spi": {}}"#).status == 422)
        #expect(try await server.ask("/api/twin", sending: #"{"sip": []}"#).status == 422)
        #expect(try await server.ask("/api/twin", sending: #"{"history": 20}"#).status == 200)
        // Several pages may control it at the same time.
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await server.ask("/api/twin", sending: #"{"motion": {}}"#).status }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(answers == [200])
        #expect(try await server.ask("/api/twin", sending: #"{}"#).status == 400)
        let rows = try await server.ask("/api/files/1/packets?count=20").json["rows"]?.elements ?? []
        #expect(rows.count == 20)
        // Its results include the devices that appeared after the first checkpoint.
        var series: [JSONValue] = []
        repeat {
            try await Task.sleep(for: .milliseconds(100))
            series = try await server.ask("/api/files/1/series").json["series"]?.elements ?? []
        } while !series.contains { $0["group"]?.string?.hasPrefix("Aquavate") == true }
        var products: [JSONValue] = []
        repeat {
            try await Task.sleep(for: .milliseconds(100))
            products = try await server.ask("/api/files/1/products").json["products"]?.elements ?? []
        } while products.isEmpty
        #expect(products.first?["device"]?.string?.hasPrefix("Aquavate") == true)
        await server.stop()
    }
}
