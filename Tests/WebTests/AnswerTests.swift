import Bluetooth
import Bytes
import Captures
import Foundation
import Output
import PDUTestKit
import Synchronization
import TestKit
import Testing
import Workbench

@testable import Web

/// The server's responses about captures.
struct AnswerTests {
    @Test func aPacketHasItsTreeItsBytesAndWhatItBelongsTo() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        _ = try await server.complete("/api/files/1")
        let answer = try await server.ask("/api/files/1/packets/70").json
        #expect(answer["row"]?["info"]?.string?.hasPrefix("Write Request  Sync Control") == true)
        let hex = try #require(answer["buffers"]?.elements.first?["hex"]?.string)
        #expect(hex.count == 2 * Int(answer["row"]?["length"]?.number ?? 0))
        #expect(answer["attribute"]?["name"]?.string == "Sync Control")
        let response = try #require(answer["response"]?.number)
        let reply = try await server.ask("/api/files/1/packets/\(Int(response))").json
        #expect(reply["request"]?.number == 70)
        // Each field's filter matches the packet.
        var filters: [String] = []
        func collect(_ nodes: [JSONValue]) {
            for node in nodes {
                if let filter = node["filter"]?.string { filters.append(filter) }
                collect(node["children"]?.elements ?? [])
            }
        }
        collect(answer["tree"]?.elements ?? [])
        #expect(filters.count > 20)
        for filter in filters {
            let body = JSONValue.members(["expression": .string("frame.number == 70 && (\(filter))")]).line
            let id = try #require(try await server.ask("/api/files/1/filters", sending: body).json["id"]?.string)
            let run = try await server.complete("/api/files/1/filters/\(id)")
            #expect(run["matches"]?.number == 1, "\(filter)")
        }
        await server.stop()
    }

    @Test func bitsOfANumberHaveTheirMask() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        _ = try await server.complete("/api/files/1")
        let answer = try await server.ask("/api/files/1/packets/69").json
        let hex = try #require(answer["buffers"]?.elements.first?["hex"]?.string)
        var checked = 0
        func check(_ nodes: [JSONValue]) throws {
            for node in nodes {
                if let mask = node["mask"]?.string, let offset = node["offset"]?.number, mask.count == 2 {
                    let start = hex.index(hex.startIndex, offsetBy: 2 * Int(offset))
                    let byte = try #require(UInt8(hex[start...].prefix(2), radix: 16))
                    let bits = try #require(UInt8(mask, radix: 16))
                    if case .boolean(let value)? = node["value"] {
                        #expect((byte & bits != 0) == value, "\(node)")
                        checked += 1
                    }
                }
                try check(node["children"]?.elements ?? [])
            }
        }
        try check(answer["tree"]?.elements ?? [])
        #expect(checked >= 3)
        await server.stop()
    }

    @Test func columnsAreThoseOfDecode() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        _ = try await server.complete("/api/files/1")
        let rows = try await server.ask("/api/files/1/packets?count=5&fields=frame.len,btatt.opcode").json["rows"]
        let columns = rows?.elements.map { $0["columns"]?.elements.compactMap(\.string) ?? [] } ?? []
        #expect(columns.map(\.count) == [2, 2, 2, 2, 2])
        #expect(columns[3] == ["12", "0x02"])
        await server.stop()
    }

    @Test func aSyncIsOneProcedureWithItsChunks() async throws {
        let server = try await ServerUnderTest(["aquavate-sync", "long-read", "long-write"])
        for file in 1...3 { _ = try await server.complete("/api/files/\(file)") }
        let rows = try await server.ask("/api/files/1/procedures?count=1000").json["rows"]?.elements ?? []
        let sync = try #require(rows.first { $0["kind"]?.string == "Message" })
        #expect(try #require(sync["count"]?.number) > 1)
        // Each packet is in at most one procedure, in the complete list and in the paged one.
        let packets = rows.flatMap { $0["packets"]?.elements.compactMap(\.number) ?? [] }
        #expect(Set(packets).count == packets.count)
        var paged: [Double] = []
        var next: Int? = 1
        while let from = next {
            let page = try await server.ask("/api/files/1/procedures?from=\(from)&count=3").json
            paged += page["rows"]?.elements.compactMap { $0["number"]?.number } ?? []
            next = page["next"]?.number.map { Int($0) }
        }
        #expect(paged == rows.compactMap { $0["number"]?.number })
        let read = try await server.ask("/api/files/2/procedures").json["rows"]?.elements ?? []
        #expect(read.contains { $0["kind"]?.string == "Long Read" })
        let write = try await server.ask("/api/files/3/procedures").json["rows"]?.elements ?? []
        #expect(write.contains { $0["kind"]?.string == "Long Write" })
        await server.stop()
    }

    /// Concurrent discovery on two ATT bearers is two procedures.
    @Test func eachBearerHasItsProcedures() async throws {
        let folder = try TemporaryFolder()
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.openBearers(2)
        for start in [1, 5] as [UInt16] {
            for bearer in 0..<2 {
                let request = ATT.FindInformationRequest(start: Handle(start), end: 0xFFFF)
                link.request(request, onBearer: bearer)
                link.carry(hex("05 01 0100 0028"), onBearer: bearer, .received)
            }
        }
        let server = try await ServerUnderTest([try folder.file("bearers.btsnoop", session.recording.btsnoop())])
        _ = try await server.complete("/api/files/1")
        let rows = try await server.ask("/api/files/1/procedures").json["rows"]?.elements ?? []
        #expect(rows.compactMap { $0["packets"]?.elements.compactMap(\.number) } == [[4, 5, 8, 9], [6, 7, 10, 11]])
        await server.stop()
    }

    @Test func devicesAndTablesAreThere() async throws {
        let server = try await ServerUnderTest(["aquavate-sync", "lifecount-session"])
        let devices = try await server.complete("/api/files/1/devices")
        #expect(devices["statistics"]?["frames"]?.number == 85)
        let tables = try await server.complete("/api/files/1/tables")
        let table = try #require(tables["servers"]?.elements.first)
        #expect(table["plugin"]?.string == "aquavate")
        let names = table["attributes"]?.elements.compactMap { $0["name"]?.string } ?? []
        #expect(names.contains("Current State"))
        // The complete answer also contains the last values and the advertisements.
        #expect(table["attributes"]?.elements.contains { $0["last"] != nil } == true)
        #expect(devices["advertised"]?.elements.isEmpty == false)
        let other = try await server.complete("/api/files/2/tables")["servers"]?.elements.first
        let ids = [table, other].compactMap { $0?["id"]?.number }.map { Int($0) }
        let same = try await server.ask("/api/tables/difference?a=1:\(ids[0])&b=1:\(ids[0])").json
        #expect(same["rows"]?.elements.count == 0)
        let difference = try await server.ask("/api/tables/difference?a=1:\(ids[0])&b=2:\(ids[1])").json
        #expect(try #require(difference["rows"]?.elements.count) > 5)
        await server.stop()
    }

    @Test func plotsHaveTheValuesOfTheirField() async throws {
        let capture = try LongCapture(repeating: 50)
        let server = try await ServerUnderTest([capture.path])
        let series = try await server.complete("/api/files/1/series")["series"]?.elements ?? []
        let total = try #require(series.first { $0["field"]?.string == "aquavate.current_state.daily_total" })
        let values = try await columns(["aquavate.current_state.daily_total"], capture.path).compactMap { Double($0) }
        #expect(total["count"]?.number == Double(values.count))
        let id = try #require(total["id"]?.string)
        let path = "/api/files/1/plots?series=\(id),throughput"
        var plots: [JSONValue] = []
        repeat {
            try await Task.sleep(for: .milliseconds(20))
            plots = try await server.ask(path + "&points=10000").json["plots"]?.elements ?? []
        } while plots.contains { $0["state"]?.string == "running" }
        let points = plots[0]["points"]?.elements ?? []
        #expect(points.reduce(0) { $0 + ($1.elements[5].number ?? 0) } == total["count"]?.number)
        #expect(points.compactMap { $0.elements[1].number }.min() == values.min())
        #expect(points.compactMap { $0.elements[2].number }.max() == values.max())
        let few = try await server.ask(path + "&points=7").json["plots"]?.elements.first?["points"]?.elements ?? []
        #expect(few.count <= 7)
        #expect(few.reduce(0) { $0 + ($1.elements[5].number ?? 0) } == total["count"]?.number)
        await server.stop()
    }

    /// Each report of an event belongs to its advertiser; reports without an address belong to no device.
    @Test func aSeriesHasTheValuesOfItsDevice() async throws {
        let session = HCISession()
        for place in 0..<5 as Range<Int8> {
            session.event(
                HCI.LEAdvertisingReport(
                    reports: [1, 2].map { number in
                        .init(
                            eventType: 0, addressType: .randomDevice,
                            address: Address(value: 0xC000_0000_0000 + UInt64(number)), data: [],
                            rssi: -40 * number - place)
                    }))
        }
        let folder = try TemporaryFolder()
        let reports = try folder.file("reports.btsnoop", session.recording.btsnoop())
        let server = try await ServerUnderTest([reports, "bad-crc"])
        var found: [String: [Double?]] = [:]
        for file in 1...2 {
            let series = try await server.complete("/api/files/\(file)/series")["series"]?.elements ?? []
            for one in series {
                guard let id = one["id"]?.string, id != SeriesName.throughput else { continue }
                let expected = [one["count"]?.number, one["min"]?.number, one["max"]?.number]
                #expect(try await values(of: id, file, server) == expected, "\(id)")
                if file == 1 {
                    let packets = try await columns(["frame.number"], reports, one["filter"]?.string)
                    #expect(packets.count == 5, "\(id)")
                }
                found[id] = expected
            }
        }
        #expect(found["bthci_evt.rssi@c0:00:00:00:00:01"] == [5, -44, -40])
        #expect(found["bthci_evt.rssi@c0:00:00:00:00:02"] == [5, -84, -80])
        #expect(found["btle_rf.signal_dbm@-1"] == [1, -60, -60])
        await server.stop()
    }

    /// The number of values in a series, the lowest and the highest.
    private func values(of id: String, _ file: Int, _ server: ServerUnderTest) async throws -> [Double?] {
        while true {
            let answer = try await server.ask("/api/files/\(file)/plots?series=\(id)&points=10000").json
            guard let plot = answer["plots"]?.elements.first else { return [] }
            let points = plot["points"]?.elements.map { $0.elements.compactMap(\.number) } ?? []
            if plot["state"]?.string != "running" {
                return [points.reduce(0) { $0 + $1[5] }, points.map { $0[1] }.min(), points.map { $0[2] }.max()]
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The output of `decode` with these columns, one line for each packet that has them.
    private func columns(_ fields: [String], _ path: String, _ filter: String? = nil) async throws -> [String] {
        var options = DecodeOptions()
        options.filter = filter
        options.format = .fields
        options.fields = fields
        options.plugins = try PluginLibrary.builtIn().plugins
        var text = ""
        _ = try await DecodeJob(options).run(CaptureReader(path: path)) { span, _ in
            text += String(decoding: ByteReader(span).restBytes, as: UTF8.self)
            return true
        }
        return text.split(separator: "\n").map(String.init)
    }

    @Test func envelopesKeepTheExtremesAndGapsAreLongerThanUsualTimes() {
        var series = PlotSeries()
        for place in 0..<600_000 {
            let time = Double(place) * 0.01 + (place >= 300_000 ? 500 : 0)
            let value = place == 123_456 ? 1000.0 : Double(place % 7)
            series.append(.init(time: time, lowest: value, highest: value, last: value, number: place + 1))
        }
        #expect(series.parts.count < 300_000)
        #expect((0.02...500).contains(series.gap))
        let whole = series.envelope(0...7000, points: 100)
        #expect(whole.count < 100 && whole.count > 80)
        #expect(whole.map(\.highest).max() == 1000)
        #expect(whole.first { $0.highest == 1000 }?.number == 123_457)
        #expect(whole.reduce(0) { $0 + $1.count } == 600_000)
        #expect(series.envelope(3100...3400, points: 10).isEmpty)
    }

    @Test func aLadderHasArrowsOrTheirDensity() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        _ = try await server.complete("/api/files/1")
        _ = try await server.complete("/api/files/1/devices")
        let ladder = try await server.ask("/api/files/1/ladder").json
        #expect(ladder["arrows"]?.elements.count == 81)
        #expect(ladder["density"]?.elements.count == 0)
        #expect(ladder["gaps"]?.elements.count ?? 0 > 0)
        let spans = try await spans(server)
        let kinds = spans.compactMap { $0["kind"]?.string }
        #expect(kinds.contains("connection") && kinds.contains("mtu"))
        let dense = try await server.ask("/api/files/1/ladder?limit=10").json
        #expect(dense["arrows"]?.elements.count == 0)
        #expect(dense["density"]?.elements.reduce(0) { $0 + ($1["count"]?.number ?? 0) } == 81)
        let part = try await server.ask("/api/files/1/ladder?from=5.5&to=5.52").json["arrows"]?.elements ?? []
        #expect(part.allSatisfy { (5.5...5.52).contains($0["time"]?.number ?? 0) } && part.count == 3)
        await server.stop()
    }

    @Test func theLadderShowsTheIntervalsInForce() async throws {
        let server = try await ServerUnderTest(["connection-parameters"])
        _ = try await server.complete("/api/files/1")
        _ = try await server.complete("/api/files/1/devices")
        let intervals = try await spans(server).filter { $0["kind"] == .string("interval") }
        #expect(
            intervals.map { $0["text"]?.string } == [
                "interval 30 ms", "interval 7.5 ms", "interval 30 ms", "interval 180 ms", "interval 30 ms",
            ])
        #expect(intervals.map { $0["connection"]?.number } == [1, 1, 1, 1, 2])
        #expect(intervals.prefix(4).map { $0["number"]?.number } == [1, 5, 8, 11])
        await server.stop()
    }

    /// A session of 81 PDUs begins every minute, each on a separate connection.
    @Test func theDensityOfALadderCountsItsPDUs() async throws {
        let capture = try LongCapture(repeating: 700)
        let server = try await ServerUnderTest([capture.path])
        _ = try await server.complete("/api/files/1")
        for (query, count) in [
            ("", 700 * 81), ("connection=5", 81), ("connection=701", 0), ("from=600&to=41399", 680 * 81),
            ("from=605.502&to=605.503&connection=11", 1), ("from=50&to=59", 0),
        ] {
            let ladder = try await server.ask("/api/files/1/ladder?limit=10&\(query)").json
            let arrows = ladder["arrows"]?.elements.count ?? 0
            let density = ladder["density"]?.elements ?? []
            #expect(density.count <= 400)
            let sum = Double(arrows) + density.reduce(0) { $0 + ($1["count"]?.number ?? 0) }
            #expect(sum == Double(count), "\(query)")
        }
        await server.stop()
    }

    @Test func fewPDUsAmongManyAdvertisementsAreArrows() async throws {
        let session = HCISession()
        let device = DeviceAddress(Address(value: 0xC000_0000_0001), .random)
        session.connect(to: device).notify(Handle(3), [1])
        for _ in 0..<60_000 { session.report(device, []) }
        session.connect(to: device).notify(Handle(3), [2])
        let folder = try TemporaryFolder()
        let server = try await ServerUnderTest([try folder.file("long.btsnoop", session.recording.btsnoop())])
        _ = try await server.complete("/api/files/1")
        for (query, connections) in [("", [1.0, 2]), ("?connection=2", [2]), ("?connection=3", [])] {
            let ladder = try await server.ask("/api/files/1/ladder\(query)").json
            #expect(ladder["arrows"]?.elements.map { $0["connection"]?.number } == connections)
            #expect(ladder["density"]?.elements.count == 0)
        }
        await server.stop()
    }

    /// The spans of the ladder, with complete statistics.
    private func spans(_ server: ServerUnderTest) async throws -> [JSONValue] {
        try await server.ask("/api/files/1/ladder").json["spans"]?.elements ?? []
    }

    /// The report is that of `why` for each capture.
    @Test func incidentsAreThoseOfWhy() async throws {
        let names = ["aquavate-sync", "malformed-pdus", "aquavate-first-firmware", "long-write"]
        let server = try await ServerUnderTest(names)
        for (place, name) in names.enumerated() {
            let answer = try await server.complete("/api/files/\(place + 1)/incidents")
            #expect(answer["state"]?.string == "complete" && answer["scanned"]?.number != nil)
            var job = WhyJob()
            job.plugins = try PluginLibrary.builtIn().plugins
            let list = try await job.run(CaptureReader(path: Repository.capture(name))) { _ in true }
            let expected = try JSONValue(reading: Array(IncidentJSON.text([list], isArray: false).utf8))
            #expect(answer["report"]?["incidents"] == expected["incidents"], "\(name)")
            #expect(answer["report"]?["frames"] == expected["frames"])
        }
        #expect(try await server.ask("/api/files/9/incidents").status == 404)
        await server.stop()
    }

    @Test func verdictsMarkTheirPackets() async throws {
        let folder = try TemporaryFolder()
        let waivers = folder.path("waivers.yaml")
        let server = try await ServerUnderTest(["malformed-pdus"]) { $0.waivers = waivers }
        let verdicts = try await server.complete("/api/files/1/verdicts")
        let results = verdicts["report"]?["results"]?.elements ?? []
        let broken = ["fail", "warning"]
        let failed = try #require(results.first { broken.contains($0["verdict"]?.string ?? "") })
        let frame = Int(try #require(failed["frames"]?.elements.last?.number))
        let rule = try #require(failed["rule"]?.string)
        let packet = try await server.ask("/api/files/1/packets/\(frame)").json
        #expect(packet["row"]?["verdict"]?.string == failed["verdict"]?.string)
        #expect(packet["findings"]?.elements.contains { $0["rule"]?.string == rule } == true)
        let body = JSONValue.members(["rule": .string(rule), "reason": .string("known: \"#1\"")]).line
        #expect(try await server.ask("/api/waivers", sending: body).status == 201)
        #expect(
            try await server.ask("/api/waivers", sending: #"{"rule": "X", "reason": "r", "expires": "soon-or-so"}"#)
                .status == 422)
        // Results completed from now on apply the waiver.
        let again = try await server.complete("/api/files/1/verdicts")["report"]?["results"]?.elements ?? []
        let verdict = again.first { $0["rule"]?.string == rule && $0["verdict"]?.string != "pass" }?["verdict"]?.string
        #expect(verdict == "waived")
        #expect(try folder.text("waivers.yaml").contains("known: \\\"#1\\\""))
        await server.stop()
    }

    /// The user's text in the file is kept, and a symbolic link remains one.
    @Test(arguments: [
        ("# ours\n", "# ours\nwaivers:\n"), ("# ours\nwaivers: []  # none\n", "# ours\nwaivers:  # none\n"),
        ("waivers:\n- rule: X\n  reason: y\n", "waivers:\n- rule: X\n  reason: y\n"),
    ])
    func aWaiverIsAddedToWhatIsThere(_ text: String, _ before: String) async throws {
        let folder = try TemporaryFolder()
        try folder.file("ours.yaml", text.utf8)
        let link = folder.path("link.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "ours.yaml")
        let server = try await ServerUnderTest(["malformed-pdus"]) { $0.waivers = link }
        let body = #"{"rule": "CORE-ATT-01", "reason": "known"}"#
        #expect(try await server.ask("/api/waivers", sending: body).status == 201)
        let blanks = text.contains("- rule") ? "" : "  "
        #expect(
            try folder.text("ours.yaml")
                == before + "\(blanks)- rule: \"CORE-ATT-01\"\n\(blanks)  reason: \"known\"\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "ours.yaml")
        await server.stop()
    }

    /// Files at the end of which no waiver can be appended.
    @Test(arguments: ["waivers: [{rule: X, reason: y}]\n", "waivers:\n  - rule: X\n    reason: y\n...\n"])
    func aListThatCannotBeContinuedStays(_ text: String) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("waivers.yaml", text.utf8)
        let server = try await ServerUnderTest(["malformed-pdus"]) { $0.waivers = path }
        #expect(try await server.ask("/api/waivers", sending: #"{"rule": "Y", "reason": "known"}"#).status == 409)
        let wrong = try await server.ask("/api/waivers", sending: #"{"rule": "no rule", "reason": "known"}"#)
        #expect(wrong.status == 422)
        #expect(try folder.text("waivers.yaml") == text)
        await server.stop()
    }

    @Test func waiversThatCannotBeReadAreSaid() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("waivers.yaml", "waivers:\n  - rule: X\n    reason: y\n".utf8)
        let server = try await ServerUnderTest(["malformed-pdus"]) { $0.waivers = path }
        try folder.file("waivers.yaml", "waivers:\n  - rule: X\n    reson: y\n".utf8)
        let refused = try await server.ask("/api/waivers", sending: #"{"rule": "Y", "reason": "known"}"#)
        #expect(refused.status == 422)
        await server.stop()
    }

    @Test func aJobThatIsForgottenIsNotComplete() async throws {
        let session = try await makeSession([Repository.capture("aquavate-sync")])
        let runs = Mutex(0)
        let release = Mutex(false)
        let job = BackgroundJob(session.files[0].index) { _ in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            while run == 1, !release.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
            return run
        }
        func complete() async throws -> Int? {
            while job.ask().state == .running { try await Task.sleep(for: .milliseconds(1)) }
            return job.ask().outcome
        }
        #expect(job.ask().state == .running)
        // The job is forgotten while running: its result must not be returned.
        job.forget()
        release.withLock { $0 = true }
        #expect(try await complete() == 2)
        job.forget()
        #expect(job.progress?.state == .running && job.progress?.outcome == 2)
        #expect(try await complete() == 3)
        session.closeAll()
    }

    /// A job started before a live capture ended does not cover all of it.
    @Test func aJobIsCompleteWithTheWholeCapture() async throws {
        let source = try LiveSource(path: Repository.capture("aquavate-sync"))
        let options = WebOptions()
        let index = CaptureIndex(
            path: source.path, plugins: options.plugins, tables: options.tables, keys: options.keys, source: source)
        let building = Task { await index.build() }
        let runs = Mutex(0)
        let job = BackgroundJob(index) { _ in
            source.end()
            await index.waitUntilBuilt()
            return runs.withLock { runs in
                runs += 1
                return runs
            }
        }
        while job.ask().outcome == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(job.progress?.state == .running)
        job.forget()
        while job.ask().state == .running { try await Task.sleep(for: .milliseconds(1)) }
        #expect(job.progress?.outcome == 2)
        await building.value
    }

    @Test func theOracleNamesItsRules() async throws {
        let server = try await ServerUnderTest(["lifecount-session"])
        let answer = try await server.complete("/api/files/1/verdicts?oracle=true")
        let rules = answer["oracle"]?.elements.compactMap(\.string) ?? []
        #expect(rules.contains("LC-030") && rules.contains("AQ-401") && !rules.contains("LC-005"))
        let result = answer["report"]?["results"]?.elements.first { $0["rule"]?.string == "LC-030" }
        #expect(result?["expected"]?.string == "sequence_number 44")
        #expect(result?["observed"]?.string == "sequence_number 46")
        #expect(try await server.complete("/api/files/1/verdicts")["oracle"] == nil)
        await server.stop()
    }

    @Test func aFileNamesItsFolder() async throws {
        let server = try await ServerUnderTest(["aquavate-sync", "format-gzip"])
        let folders = try await server.ask("/api/files").json["files"]?.elements.map { $0["folder"]?.string } ?? []
        #expect(folders == ["aquavate-sync", "format-gzip"].map { Repository.path("captures/\($0)") })
        await server.stop()
    }

    @Test func productsHaveTheirLastValues() async throws {
        let server = try await ServerUnderTest(["aquavate-sync"])
        let products = try await server.complete("/api/files/1/products")["products"]?.elements ?? []
        #expect(products.map { $0["plugin"]?.string } == ["aquavate"])
        let values = products.first?["values"]?.elements ?? []
        let total = try #require(values.first { $0["field"]?.string == "aquavate.current_state.daily_total" })
        #expect(total["text"]?.string == "1100 ml")
        await server.stop()
    }
}
