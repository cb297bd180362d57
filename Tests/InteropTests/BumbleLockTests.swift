import Conformance
import DeviceTesting
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// `test peripheral` against a Bumble lock that requires encryption and loses its bonds or the encryption midway:
/// bumble_lock.py. Every case has a verdict, whatever the lock does.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleLockTests {
    private static let profile = """
        profile:
          {id: lock, title: Lock, version: 1.0.0, format: 1, licence: Apache-2.0, sources: [a test]}
        match: [{name: '^Lock$', weight: 60}]
        types:
          code: {fields: [{name: code, type: u16}]}
        gatt:
          - service: 6F75616B-7661-7465-2D00-000000000077
            name: lock
            characteristics:
              - {uuid: 6F75616B-7661-7465-2D00-000000000078, name: code, properties: [read], value: code, length: 2,
                 security: encrypted}
        """

    /// The verdicts of the cases that read the code, and the number of pairings begun.
    private func run(_ habit: String) async throws -> (cases: [CaseResult], pairings: Int) {
        let folder = try TemporaryFolder()
        let path = try folder.file("lock/profile.yaml", Self.profile.utf8)
        let library = try PluginLibrary.load([path], environment: [:])
        let radio = try RunningRadio(isImmediate: true)
        let device = try Bumble.start("bumble_lock.py", [radio.clients[0], habit])
        var options = PeripheralTestOptions(
            plugin: try #require(library["lock"]?.plugin), transport: try TransportSpec(radio.clients[1]))
        options.selection.ids = ["read.code", "read.code.by_type"]
        options.record = folder.path("tester.btsnoop")
        var results: [CaseResult] = []
        let job = try PeripheralTestJob(options, library) { false }
        _ = try job.run(hands: NoUpperTester("a test")) { results.append($0) }
        device.stop()
        let output = device.finish().output
        #expect(output.isEmpty, "\(output)")
        try await radio.end()
        // Pairing Requests: seven bytes on the Security Manager channel, the first of which is the code (Vol 3, Part H,
        // 3.5.1).
        let pairings = try folder.bytes("tester.btsnoop").ranges(of: [0x07, 0x00, 0x06, 0x00, 0x01]).count
        return (results, pairings)
    }

    @Test func theBondIsUsedInEachConnection() async throws {
        let (cases, pairings) = try await run("none")
        #expect(cases.map(\.verdict) == [.pass, .pass])
        #expect(pairings == 1)
    }

    @Test func aLockThatForgetsItsBondsIsPairedAnew() async throws {
        let (cases, pairings) = try await run("forgets")
        #expect(cases.map(\.verdict) == [.pass, .pass])
        // Once in each connection; cases may open more than one.
        #expect(pairings >= 2)
    }

    @Test(arguments: ["leaves", "refuses"])
    func encryptionThatEndsInTheMiddleIsAVerdict(habit: String) async throws {
        let (cases, _) = try await run(habit)
        #expect(cases.count == 2)
        #expect(cases.contains { $0.verdict == .fail })
    }
}
