import Captures
import Causes
import Foundation
import PDUTestKit
import Testing
import Workbench

/// Faults that programs plant which know nothing of `Causes` (Tests/Faults), in the views of hosts and of the air.
struct PlantedFaultsTests {
    /// A capture of Tests/Faults/plant.py, with the fault that it has; nil for a session that went well.
    private struct Label: Decodable {
        let file: String
        let cause: String?
        let allowed: [String]?
    }

    /// A capture with what is said about it.
    private struct Judged {
        let label: Label
        let incidents: [Incident]

        var named: [Incident] { incidents.filter { $0.cause == label.cause } }
        var wrong: [Incident] {
            incidents.filter { $0.cause != label.cause && !(label.allowed ?? []).contains($0.cause ?? "") }
        }
        var isRight: Bool { wrong.isEmpty && !named.isEmpty }
        var isCertain: Bool { named.contains { $0.confidence == .certain } }
        var text: String {
            let all = incidents.map { "\($0.cause ?? "no cause") (\($0.confidence?.rawValue ?? "")): \($0.text)" }
            return "\(label.file): \(all.isEmpty ? "nothing" : all.joined(separator: "; "))"
        }
    }

    /// Plants faults, and explains each capture.
    private static func judge(_ script: String, _ arguments: [String], python: String = "python3") async throws
        -> [Judged]
    {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, Repository.path("Tests/Faults/\(script)")] + arguments + [folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let labels = try JSONDecoder().decode(
            [Label].self, from: Data(contentsOf: URL(filePath: folder.path("labels.json"))))
        var job = WhyJob()
        job.plugins = try PluginLibrary.builtIn().plugins
        var judged: [Judged] = []
        for label in labels {
            let list = try await job.run(CaptureReader(path: folder.path(label.file))) { _ in true }
            judged.append(Judged(label: label, incidents: list.incidents))
        }
        return judged
    }

    /// 95 % of the causes are right, 60 % of the right ones are certain, and none that is certain is wrong.
    private static func expectRight(_ judged: [Judged]) {
        let right = judged.filter(\.isRight)
        let wrong = judged.filter { !$0.isRight }.map(\.text).joined(separator: "\n")
        #expect(Double(right.count) >= 0.95 * Double(judged.count), "\(wrong)")
        #expect(Double(right.count(where: \.isCertain)) >= 0.6 * Double(right.count))
        for each in judged {
            #expect(each.wrong.allSatisfy { $0.confidence != .certain }, "\(each.text)")
        }
    }

    @Test func plantedFaultsAreNamed() async throws {
        let judged = try await Self.judge("plant.py", ["all", "--seeds", "1-2"])
        try #require(judged.count > 400)
        Self.expectRight(judged)
        let named = Set(judged.filter(\.isRight).compactMap(\.label.cause))
        #expect(Set(judged.compactMap(\.label.cause)).subtracting(named).isEmpty)
    }

    /// Hosts of Bumble, one of which is patched.
    @Test(.enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
    func faultsOfHostsAreNamed() async throws {
        let judged = try await Self.judge("bumble_faults.py", ["--seeds", "1-2"], python: #require(Bumble.python))
        try #require(judged.count > 200)
        Self.expectRight(judged.filter { $0.label.cause != nil })
        for each in judged where each.label.cause == nil { #expect(each.incidents.isEmpty, "\(each.text)") }
    }

    @Test func sessionsThatWentWellHaveNoIncident() async throws {
        let judged = try await Self.judge("plant.py", ["good", "--seeds", "1-40"])
        try #require(judged.count == 40)
        for each in judged { #expect(each.incidents.isEmpty, "\(each.text)") }
    }
}
