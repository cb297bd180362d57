import Bytes
import Cloud
import Foundation
import PDUTestKit
import PluginKit
import Store
import Synchronization
import TestKit
import Testing
import Workbench

/// Publishing to a database double that enforces Firestore's documented REST API.
struct FirestoreTests {
    private static let destination = "firestore:door/(default)"

    private func options(_ store: CounterStore, _ double: FirestoreDouble) throws -> PublishOptions {
        var options = try store.options()
        options.firestore = .init(base: double.address, project: "door", database: "(default)")
        return options
    }

    @Test func entriesStatesAndDevicesAreDocuments() async throws {
        let store = try CounterStore(entries: 30)
        let double = try FirestoreDouble()
        #expect(try await publish(options(store, double)) == [])
        let contents = try await double.contents()
        #expect(contents.commits == 2)
        #expect(contents.collection("entries").count == 30)
        #expect(
            contents.collection("entries")["hardware-7-1-2-1772449202000"] == [
                "id": "hardware-7-1-2-1772449202000", "locationId": "3", "deviceId": "7", "delta": "-1",
                "timestamp": "2026-03-02T11:00:02Z", "source": "hardware", "sequenceNumber": "2",
                "gatewaySessionId": "1",
            ])
        #expect(
            contents.collection("counterStates")["3"] == [
                "currentCount": "10", "lastUpdated": "2026-03-02T11:00:29.050Z", "status": "ok",
                "lastEventAt": "2026-03-02T11:00:29Z", "conflict": "false",
            ])
        let ledger = contents.collection("publications").values
        #expect(Set(ledger.map { $0["first"] }) == ["hardware-7-1-0-1772449200000", "hardware-7-1-20-1772449220000"])
        #expect(ledger.map { $0["rows"] }.sorted { ($0 ?? "") < ($1 ?? "") } == ["10", "20"])
        #expect(try store.position(of: Self.destination) == PublishingPosition(confirmed: 30))
        // All rows are published, so only new ones are sent.
        #expect(try await publish(options(store, double)) == [])
        try store.add(30..<31)
        #expect(try await publish(options(store, double)) == [])
        #expect(try await double.contents().commits == 3)
    }

    /// For a function in the cloud that computes the state, also of locations whose state changes without an entry.
    @Test func entriesAloneAreDocuments() async throws {
        let store = try CounterStore(entries: 30)
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.isEntriesOnly = true
        #expect(try await publish(options) == [])
        let contents = try await double.contents()
        #expect(contents.collection("entries").count == 30 && contents.collection("publications").count == 2)
        #expect(contents.collection("entries")["hardware-7-1-2-1772449202000"]?["locationId"] == "3")
        #expect(contents.documents.keys.allSatisfy { $0.contains("/entries/") || $0.contains("/publications/") })
    }

    /// Each commit takes effect exactly once, despite faults.
    @Test(arguments: [
        (["500"], "500 INTERNAL planned"), (["503"], "503 UNAVAILABLE planned"),
        (["429"], "429 RESOURCE_EXHAUSTED planned"), (["409"], "409 ABORTED Too much contention on these documents."),
        (["drop"], "Empty reply from server"), (["drop-after"], "Empty reply from server"),
        (["429 nan"], "429 RESOURCE_EXHAUSTED planned"), (["302"], "302"),
        (["html"], "200, but the answer is not one of Firestore"), (["half"], "bytes remaining to read"),
        (["stall"], "no answer within 2 s"),
    ])
    func aCommitThatFailsIsRepeated(_ faults: [String], _ reason: String) async throws {
        let store = try CounterStore(entries: 25)
        let double = try FirestoreDouble()
        try await double.plan(faults[0])
        var options = try options(store, double)
        options.firestore?.timeLimit = .seconds(2)
        let failures = try await publish(options)
        #expect(failures.count == 1 && failures[0].hasSuffix(reason), "\(failures)")
        let contents = try await double.contents()
        #expect(contents.commits == 2 && contents.collection("entries").count == 25)
        #expect(contents.rewritten == [])
        #expect(contents.collection("counterStates")["3"]?["currentCount"] == "9")
    }

    /// The state is counted from a day's entries: the batches of a backlog share it.
    @Test func theStateIsCountedOnceForABacklog() async throws {
        let store = try CounterStore(entries: 90)
        let double = try FirestoreDouble()
        var options = try options(store, double)
        let states = options.publication.states
        options.stateInterval = .seconds(3600)
        let counter = CallCounter()
        options.publication.states = { input throws(CommandError) in
            counter.calls.withLock { $0 += 1 }
            return try states(input)
        }
        #expect(try await publish(options) == [])
        let contents = try await double.contents()
        #expect(contents.commits == 5 && contents.collection("entries").count == 90)
        #expect(contents.collection("counterStates")["3"]?["currentCount"] == "30")
        // For the first batch, and for the last one, which is not full.
        #expect(counter.calls.withLock { $0 } == 2)
    }

    /// The program stopped after the commit and before recording it; more entries have been added since.
    @Test func aBatchThatWasSentBeforeACrashIsTheSame() async throws {
        let store = try CounterStore(entries: 10)
        let double = try FirestoreDouble()
        _ = try await publish(options(store, double))
        try store.setPosition(PublishingPosition(confirmed: 0, pending: 10), of: Self.destination)
        try store.add(10..<14)
        #expect(try await publish(options(store, double)) == [])
        let contents = try await double.contents()
        #expect(contents.commits == 2 && contents.collection("entries").count == 14)
        #expect(contents.collection("publications").count == 2)
    }

    @Test func theTokenIsReadAnewForEachAttempt() async throws {
        let store = try CounterStore(entries: 1)
        let double = try FirestoreDouble(token: "secret-2")
        let token = try store.folder.file("token", "secret-1\n".utf8)
        var options = try options(store, double)
        options.firestore?.tokenFile = token
        options.attempts = 1
        let fault = try #require(await fault(of: options))
        #expect("\(fault)" == "firestore:door/(default): 401 UNAUTHENTICATED no valid credentials")
        try Data("secret-2\n".utf8).write(to: URL(filePath: token))
        #expect(try await publish(options) == [])
        #expect(try await double.contents().commits == 1)
    }

    /// Nothing is sent over an unencrypted connection to another machine.
    @Test(arguments: [
        "http://firestore.example", "http://localhost.example", "http://localhost:x@firestore.example",
        "http://127.0.0.1@firestore.example", "http:///firestore.example", "ftp://localhost.example",
    ])
    func aTokenIsSentByTLSOrToThisMachine(_ base: String) async throws {
        let store = try CounterStore(entries: 1)
        var options = try store.options()
        options.firestore = .init(
            base: base, project: "door", database: "(default)",
            tokenFile: try store.folder.file("token", "secret-1\n".utf8))
        options.attempts = 1
        let fault = try #require(await fault(of: options))
        #expect("\(fault)".hasSuffix("an access token is sent by https only, or to localhost"))
    }

    /// The limit includes the headers, since a server can send many.
    @Test(arguments: [16, 1 << 20])
    func aResponseHasALimit(_ limit: Int) async throws {
        let double = try FirestoreDouble()
        var request = HTTPRequest(double.address + "/documents")
        request.responseLimit = limit
        let response = try? await request.response()
        #expect(response?.status == (limit > 16 ? 200 : nil))
    }

    /// The environment may name a proxy, which cannot reach a server on this machine.
    @Test func noProxyStandsBeforeThisMachine() async throws {
        let store = try CounterStore(entries: 1)
        let double = try FirestoreDouble()
        setenv("http_proxy", "http://127.0.0.1:1", 1)
        defer { unsetenv("http_proxy") }
        #expect(try await publish(options(store, double)) == [])
    }

    /// A server that quotes the request's headers, complete or truncated, does not leak the token into a message.
    @Test func aQuotedTokenIsRedacted() async throws {
        let store = try CounterStore(entries: 1)
        let secret = "ya29.a0AfH6SMBx-quoted-secret-token"
        let double = try FirestoreDouble(token: secret)
        var options = try options(store, double)
        options.firestore?.tokenFile = try store.folder.file("token", "\(secret)\n".utf8)
        try await double.plan("quote")
        let failures = try await publish(options)
        let reason = try #require(failures.first)
        #expect(reason.contains("Authorization: Bearer [redacted]") && reason.contains("Bearer [redacted]"))
        #expect(!reason.contains("ya29.a0A") && !reason.contains("secret-t"))
        try store.add(1..<2)
        try await double.plan("quote")
        options.attempts = 1
        let fault = try #require(await fault(of: options))
        #expect("\(fault)".contains("[redacted]") && !"\(fault)".contains("ya29.a0A"))
    }

    @Test func aPermanentRefusalEndsIt() async throws {
        let store = try CounterStore(entries: 1)
        let double = try FirestoreDouble()
        try await double.plan("400")
        let fault = try #require(await fault(of: options(store, double)))
        #expect("\(fault)".hasSuffix("400 INVALID_ARGUMENT planned"))
        #expect(try store.position(of: Self.destination) == PublishingPosition(confirmed: 0, pending: 1))
    }

    /// SQLite numbers the rows of an emptied table from 1.
    @Test func entriesAfterADeletionArePublished() async throws {
        let store = try CounterStore(entries: 5)
        let double = try FirestoreDouble()
        _ = try await publish(options(store, double))
        try store.delete()
        try store.add(5..<8)
        _ = try await publish(options(store, double))
        #expect(try await double.contents().collection("entries").count == 8)
    }

    /// A request has at most 10 MiB.
    @Test func aBatchIsDividedUntilItFits() async throws {
        let store = try CounterStore()
        try store.add(0..<25, user: String(repeating: "é", count: 400_000))
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.batchSize = 25
        #expect(try await publish(options) == [])
        let contents = try await double.contents()
        #expect(contents.collection("entries").count == 25 && contents.rewritten == [])
        #expect(contents.sizes.count > 1 && contents.sizes.allSatisfy { $0 <= 10 << 20 })
    }

    /// A commit has at most 500 writes, including those of states and devices.
    @Test func aBatchHasNoMoreWritesThanACommitMay() async throws {
        let store = try CounterStore()
        for number in 0..<400 { try store.add(number..<number + 1, location: number) }
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.batchSize = 400
        #expect(try await publish(options) == [])
        let contents = try await double.contents()
        #expect(contents.commits == 2 && contents.collection("entries").count == 400)
        #expect(contents.collection("counterStates").count == 400)
    }

    @Test func aRowThatIsTooLargeIsNamed() async throws {
        let store = try CounterStore()
        try store.add(0..<1, user: String(repeating: "x", count: 11 << 20))
        let double = try FirestoreDouble()
        let fault = try #require(await fault(of: options(store, double)))
        #expect("\(fault)".hasSuffix("row 1 of lifecount_entries is larger than a request may be"))
    }

    /// Two gateways write the state of the same location.
    @Test func aStateThatAnotherGatewayWritesIsAConflict() async throws {
        let store = try CounterStore(entries: 1)
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.endsWhenDone = false
        let conflicts = Mutex<[String]>([])
        let running = options
        let publishing = Task {
            try await Publisher.publish(running) { event in
                if case .conflict(_, let document) = event { conflicts.withLock { $0.append(document) } }
            }
        }
        func published(_ count: Int64) async throws {
            while try store.position(of: Self.destination).confirmed < count {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await published(1)
        #expect(try await double.contents().collection("counterStates")["3"]?["conflict"] == "false")
        try await double.write("counterStates/3", "currentCount", "99")
        try store.add(1..<2)
        try await published(2)
        #expect(try await double.contents().collection("counterStates")["3"]?["conflict"] == "true")
        // The conflict does not persist.
        try store.add(2..<3)
        try await published(3)
        #expect(try await double.contents().collection("counterStates")["3"]?["conflict"] == "false")
        publishing.cancel()
        try await publishing.value
        #expect(conflicts.withLock(\.self) == ["counterStates/3"])
    }

    /// An operational day that begins, like a device that is out of range, changes the state and adds no entry.
    @Test func aStateThatChangesByItselfIsPublished() async throws {
        let store = try CounterStore(entries: 2)
        let double = try FirestoreDouble()
        let now = Mutex(CounterStore.now)
        var options = try options(store, double)
        options.endsWhenDone = false
        options.stateInterval = .milliseconds(100)
        options.makeInput = { CommandInput(now: now.withLock(\.self)) }
        let running = options
        let publishing = Task { try await Publisher.publish(running) { _ in } }
        func count() async throws -> String? {
            try await double.contents().collection("counterStates")["3"]?["currentCount"]
        }
        while try await count() != "2" { try await Task.sleep(for: .milliseconds(20)) }
        now.withLock { $0 = Timestamp(seconds: 1_772_452_800, nanoseconds: 0) }
        while try await count() != "0" { try await Task.sleep(for: .milliseconds(20)) }
        now.withLock { $0 = CounterStore.now }
        while try await count() != "2" { try await Task.sleep(for: .milliseconds(20)) }
        publishing.cancel()
        try await publishing.value
        let contents = try await double.contents()
        #expect(contents.collection("entries").count == 2 && contents.collection("publications").count == 1)
        #expect(contents.collection("counterStates")["3"]?["conflict"] == "false")
    }

    /// Entries keep the order of arrival, whatever their device times.
    @Test func clocksThatJumpDoNotChangeTheOrder() async throws {
        let store = try CounterStore()
        try store.add(5000..<5003)
        try store.add(0..<3)
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.batchSize = 2
        #expect(try await publish(options) == [])
        let contents = try await double.contents()
        #expect(contents.collection("entries").count == 6)
        #expect(
            Set(contents.collection("publications").values.map { $0["first"] }) == [
                "hardware-7-1-5000-1772454200000", "hardware-7-1-5002-1772454202000", "hardware-7-1-1-1772449201000",
            ])
    }

    @Test func aSecondPublisherIsRefused() async throws {
        let store = try CounterStore(entries: 1)
        let double = try FirestoreDouble()
        var options = try options(store, double)
        options.endsWhenDone = false
        let running = options
        let publishing = Task { try await publish(running) }
        while try store.position(of: Self.destination).confirmed < 1 { try await Task.sleep(for: .milliseconds(20)) }
        let fault = try #require(await fault(of: options))
        #expect("\(fault)".contains("another program publishes"))
        publishing.cancel()
        _ = try await publishing.value
        options.endsWhenDone = true
        #expect(try await publish(options) == [])
    }
}

/// Counts calls.
private final class CallCounter: Sendable {
    let calls = Mutex(0)
}
