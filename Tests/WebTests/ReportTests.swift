import Bluetooth
import Bytes
import Captures
import Causes
import Conformance
import Foundation
import FoundationXML
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

@testable import Web

/// Reports of captures as a single HTML page.
struct ReportTests {
    private static let captures = Repository.files(in: Repository.path("captures"))
        .filter { $0.split(separator: "/").last?.hasPrefix("capture.") == true }

    private func report(_ path: String, _ change: (inout ReportOptions) -> Void = { _ in }) async throws
        -> PageOfCapture
    {
        var options = ReportOptions(file: path, checking: CheckOptions(day: .today))
        options.plugins = try PluginLibrary.builtIn().plugins
        change(&options)
        return try await WebServer.report(options) { _ in }
    }

    /// Faults of a page that must be self-contained.
    private func faults(in html: String) -> [String] {
        let reader = PageReader()
        let parser = XMLParser(data: Data(html.utf8))
        parser.delegate = reader
        var faults = parser.parse() ? [] : ["not well formed"]
        faults += reader.elements.intersection(["script", "img", "link", "iframe", "object", "form"]).sorted()
        faults += reader.attributes.filter { $0.hasPrefix("on") || ["src", "action", "style"].contains($0) }.sorted()
        faults += reader.links.filter { !$0.hasPrefix("#") }
        if reader.policy?.hasPrefix("default-src 'none';") != true { faults.append("no policy") }
        if reader.style.contains("url(") || reader.style.contains("@import") { faults.append("a style from elsewhere") }
        if html.utf8.count > 2_000_000 { faults.append("\(html.utf8.count) bytes") }
        return faults
    }

    private func count(_ text: String, in html: String) -> Int { html.components(separatedBy: text).count - 1 }

    @Test(arguments: captures)
    func aPageStandsAlone(_ capture: String) async throws {
        let html = try await report(Repository.path("captures/\(capture)")).html
        #expect(faults(in: html) == [])
        // Each finding in a sample refers to packets.
        #expect(count("class=\"finding\"", in: html) == count("class=\"ladder\"", in: html))
        #expect(count("class=\"finding\"", in: html) <= count("class=\"own\"", in: html))
    }

    @Test func whatBrokeIsThereWithItsSourceItsPacketsAndTheCommand() async throws {
        let path = Repository.capture("service-changed")
        let html = try await report(path).html
        for text in [
            "✕ failed, 4 rules failed, 30 passed", "<code>CORE-GATT-01</code>",
            "Vol 3, Part G, 3.3.3.3 and 4.10.1", "nothing was written there",
            "<td class=\"number\">20 <span>0.142500</span></td>", "from the peripheral: </span>",
            "Handle Value Notification  Battery Level: 98 %", "Follows from it",
            "gattbench decode -V -Y &#39;connection == 1 &amp;&amp; frame.number &gt;= 15", "gattbench check \(path)",
        ] { #expect(html.contains(text), "\(text)") }
    }

    @Test func aRedactedPageHasTheSameVerdictsWithoutNamesAndAddresses() async throws {
        let path = Repository.capture("aquavate-sync")
        let (plain, redacted) = (try await report(path).html, try await report(path) { $0.isRedacted = true }.html)
        #expect(plain.contains("Aquavate-A3F2") && !redacted.contains("A3F2"))
        for text in ["Aquavate-", "<td>0x0016</td>", "<td>1100 ml</td>"] { #expect(redacted.contains(text), "\(text)") }
        #expect(count("class=\"finding\"", in: redacted) == count("class=\"finding\"", in: plain))
        #expect(!redacted.contains("/proc/"))
    }

    private func incident(_ number: Int, text: String = "nothing was heard", frames: [Int] = [40, 44]) -> Incident {
        Incident(
            connection: number, device: "Puck <\(number)>", what: .disconnected, cause: "supervision_timeout",
            confidence: .certain, frames: frames, text: text, advice: "Look at the signal strength.",
            considered: [.init(cause: "remote_user_terminated", against: "the reason is 0x08 & not 0x13")])
    }

    private func section(_ list: IncidentList) -> String {
        IncidentSection(list: list) { "gattbench decode -Y '\($0)' a.btsnoop" }.html
    }

    @Test func incidentsHaveTheirCauseFramesAndAdvice() {
        var list = IncidentList(file: "a.btsnoop", frames: 50)
        #expect(section(list).isEmpty)
        var other = incident(2)
        (other.cause, other.confidence, other.considered, other.advice) = (nil, nil, [], "")
        list.incidents = [incident(1), other]
        let html = section(list)
        for text in [
            "✕ disconnected</span> <code>supervision_timeout</code> (certain)</h4>", "<bdi>nothing was heard</bdi>",
            "<dd><bdi>connection 1, Puck &lt;1&gt;</bdi></dd>", "<dd><bdi>40, 44</bdi></dd>",
            "<dt>Advice</dt><dd><bdi>Look at the signal strength.</bdi></dd>",
            "<summary>1 other cause considered</summary>",
            "<li><code>remote_user_terminated</code>: <bdi>the reason is 0x08 &amp; not 0x13</bdi></li>",
            "gattbench decode -Y &#39;frame.number in {40, 44}&#39; a.btsnoop",
            "△ disconnected</span> no cause found</h4>",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(count("<details>", in: html) == 1 && count("<dt>Advice</dt>", in: html) == 1)
    }

    @Test func incidentsBeyondTheRoomOfThePageAreCounted() {
        var list = IncidentList(file: "a.btsnoop", frames: 50)
        list.incidents = (1...150).map { incident($0) }
        list.omitted = 5
        let few = section(list)
        #expect(count("<article", in: few) == 100 && few.contains("and 55 more incidents"))
        let text = String(repeating: "&", count: 5000)
        list.incidents = (1...100).map { incident($0, text: text, frames: Array(1...500)) }
        let long = section(list)
        let shown = count("<article", in: long)
        #expect((1..<100).contains(shown) && long.utf8.count < 121_000)
        #expect(long.contains("and \(105 - shown) more incidents") && long.contains(", 32 and 468 more"))
    }

    /// The section is there, before the verdicts, exactly if something went wrong.
    @Test(arguments: ["aquavate-sync", "aquavate-first-firmware", "malformed-pdus", "long-write"])
    func whyIsBeforeTheVerdicts(_ name: String) async throws {
        var job = WhyJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        let list = try await job.run(CaptureReader(path: Repository.capture(name))) { _ in true }
        let html = try await report(Repository.capture(name)).html
        let parts = html.components(separatedBy: "<section id=\"why\">")
        #expect(parts.count == (list.incidents.isEmpty ? 1 : 2))
        #expect(parts.last?.contains("<section id=\"verdicts\">") == true)
        #expect(count("incident\">", in: html) == min(list.incidents.count, 100))
    }

    @Test func aDeviceOfAPluginHasItsTableItsValuesAndItsPlots() async throws {
        let html = try await report(Repository.capture("aquavate-sync")).html
        for text in [
            "<td>0x0016</td>", "<td>1100 ml</td>", ">Daily Total</text>",
            "Current State, Aquavate-A3F2</bdi></figcaption>",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(count("<svg", in: html) > 10)
    }

    @Test func aPageShowsTheDifferencesFromAnotherCapture() async throws {
        let (before, path) = (Repository.capture("aquavate-sync"), Repository.capture("aquavate-prd"))
        let html = try await report(path) { $0.against = before }.html
        #expect(faults(in: html) == [])
        for text in [
            "<h2>Differences</h2>", "A is <bdi>\(before)</bdi>, B is <bdi>\(path)</bdi>", "Connection 1 of A, 1 of B",
            "--against \(before)", "gattbench diff \(before) \(path)",
        ] { #expect(html.contains(text), "\(text)") }
        let same = try await report(path) { $0.against = path }.html
        #expect(same.contains("<p>No differences."))
        #expect(!(try await report(path).html).contains("Differences"))
    }

    @Test func theSameCaptureMakesTheSamePage() async throws {
        let path = Repository.capture("lifecount-session")
        #expect(try await report(path).html == report(path).html)
    }

    @Test func aLongSessionIsBoundedAndItsFindingsAreCounted() async throws {
        let capture = try LongCapture(repeating: 118)
        #expect(capture.packets > 10_000)
        let html = try await report(capture.path).html
        #expect(faults(in: html) == [])
        #expect(html.contains("and 113 more times"))
        #expect((3...20).contains(count("class=\"ladder\"", in: html)))
    }

    @Test func theGoodPartOfADamagedFileIsReported() async throws {
        let folder = try TemporaryFolder()
        let bytes = try Array(Data(contentsOf: URL(filePath: Repository.capture("service-changed"))))
        let path = try folder.file("cut.btsnoop", bytes.dropLast())
        let page = try await report(path)
        #expect(page.warnings.count == 1)
        #expect(page.html.contains("Damaged: <bdi>\(path): offset "))
        #expect(page.html.contains("<dd><bdi>47, "))
        for content in [[], Array("hello".utf8), [0x1F, 0x8B, 8, 0]] as [[UInt8]] {
            let path = try folder.file("junk", content)
            await #expect(throws: CaptureError.self) { try await report(path) }
        }
        let empty = try await report(try folder.file("header.btsnoop", bytes.prefix(16)))
        #expect(faults(in: empty.html) == [] && empty.html.contains("<dd><bdi>0, 0 bytes"))
    }

    @Test func aPackedFileIsReportedAsThePlainOne() async throws {
        let packed = try await report(Repository.capture("format-gzip"))
        #expect(packed.warnings == [] && packed.html.contains(Repository.capture("format-gzip")))
        #expect(!packed.html.contains("/proc/self/fd/"))
    }

    @Test func whatDevicesCallThemselvesIsText() async throws {
        let names = [
            "<img src=x onerror=alert(1)>", "</bdi></td><script>", "\u{202E}gnp.exe\u{2067}", "a\nb\u{0}\u{1B}[31m",
            "'\"`${7*7}", String(repeating: "עברית", count: 20), "]]>&amp;<!--",
        ]
        let session = HCISession()
        for (place, name) in names.enumerated() {
            let address = DeviceAddress(try #require(Address("c0:00:00:00:00:0\(place + 1)")), .random)
            session.report(address, [.init(.completeLocalName, Array(name.utf8.prefix(200)))])
            let link = session.connect(to: address)
            link.exchangeMTU(client: 517, server: 517)
            // Longer than the maximum length of a value, so that a finding shows it.
            link.read(0x0003, Array(String(repeating: name, count: 520 / name.utf8.count + 1).utf8))
            link.disconnect()
        }
        let folder = try TemporaryFolder()
        let path = try folder.file("<b>&'\u{202E}.btsnoop", session.recording.btsnoop())
        let html = try await report(path).html
        #expect(faults(in: html) == [])
        #expect(count("class=\"ladder\"", in: html) >= names.count)
        let harmful = html.unicodeScalars.filter {
            $0.properties.generalCategory == .format || $0.value < 0x20 && $0 != "\n"
        }
        #expect(harmful.map(\.value) == [])
    }

    @Test func keysAreMasked() async throws {
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(try #require(Address("c0:00:00:00:00:01")), .random))
        let key: UInt128 = 0xA0A1_A2A3_A4A5_A6A7_A8A9_AAAB_ACAD_AEAF
        link.security(SMP.IdentityInformation(identityResolvingKey: key), .received)
        // An unsolicited response: a finding next to the key.
        link.respond(ATT.ReadResponse(value: [1]))
        let folder = try TemporaryFolder()
        let html = try await report(try folder.file("keys.btsnoop", session.recording.btsnoop())).html
        #expect(html.contains("Identity Information") && html.contains("class=\"ladder\""))
        #expect(!html.contains("a0a1a2") && !html.contains("aeadac"))
    }

    @Test func waiversAreAppliedAndNamed() async throws {
        let folder = try TemporaryFolder()
        let text = "waivers:\n  - rule: CORE-GATT-01\n    reason: <known>\n  - rule: CORE-ATT-99\n    reason: none\n"
        let waivers = try folder.file("waivers.yaml", text.utf8)
        let excuses = try CheckOptions.readWaivers(waivers)
        let html = try await report(Repository.capture("service-changed")) {
            ($0.waivers, $0.checking.waivers) = (waivers, excuses)
        }.html
        #expect(html.contains("1 waived rule") && html.contains("waived: &lt;known&gt;"))
        #expect(html.contains("Unused waivers") && html.contains("--waivers \(waivers)"))
    }

    @Test func aTwinPredictsWhatADeviceShould() async throws {
        let path = Repository.capture("lifecount-session")
        #expect(!(try await report(path).html.contains("<code>LC-030</code>")))
        let html = try await report(path) {
            $0.asksOracle = true
            $0.ruleArguments = ["--oracle"]
        }.html
        #expect(html.contains("<code>LC-030</code>") && html.contains("<dd><bdi>sequence_number 44</bdi></dd>"))
        #expect(html.contains("gattbench check --oracle \(path)"))
    }

    @Test func tablesOfAFileNameAttributesAndLetRulesApply() async throws {
        let path = Repository.capture("aquavate-truncated-chunk")
        let tables = Repository.path("captures/aquavate-truncated-chunk/gatt.json")
        #expect(!(try await report(path).html.contains("<code>AQ-212</code>")))
        let known = try GATTFiles.read(tables)
        let html = try await report(path) {
            ($0.tables, $0.deviceArguments) = (known, ["--gatt", tables])
        }.html
        for text in [
            "<code>AQ-212</code>", "Write Request  Drink Data / Client Characteristic Configuration",
            "gattbench stats --gatt \(tables) \(path)",
        ] { #expect(html.contains(text), "\(text)") }
    }

    @Test func aSideAndWarningsThatCountAreChosen() async throws {
        let path = Repository.capture("lifecount-session")
        #expect(try await report(path).html.contains("✓ passed"))
        #expect(try await report(path) { $0.checking.isStrict = true }.html.contains("✕ failed"))
        let broken = Repository.capture("service-changed")
        #expect(try await report(broken) { $0.checking.role = .client }.html.contains("CORE-GATT-01") == false)
    }

    @Test(arguments: [
        ("session.btsnoop", "session.btsnoop"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#),
        ("$(x)", "'$(x)'"), ("ä", "'ä'"), ("it'\u{301}s", "'it'\\''\u{301}s'"),
    ])
    func wordsOfCommandsAreQuoted(_ word: String, _ quoted: String) { #expect(word.shellWord == quoted) }

    @Test func whatDoesNotFitIsCounted() {
        var part = BoundedMarkup(limit: 10)
        #expect(part.add("12345") && !part.add("678901") && part.add("67890") && !part.add("x"))
        #expect(part.html == "1234567890" && part.leftOut == 2)
    }
}

/// The content of a page, from an XML parser.
private final class PageReader: NSObject, XMLParserDelegate {
    var elements: Set<String> = []
    var attributes: Set<String> = []
    var links: Set<String> = []
    var policy: String?
    var style = ""
    private var isStyle = false

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        elements.insert(name)
        self.attributes.formUnion(attributes.keys)
        if let link = attributes["href"] { links.insert(link) }
        if attributes["http-equiv"] == "Content-Security-Policy" { policy = attributes["content"] }
        isStyle = name == "style"
    }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        isStyle = false
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { if isStyle { style += text } }
}
