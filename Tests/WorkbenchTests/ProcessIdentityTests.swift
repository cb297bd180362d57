import Foundation
import PluginKit
import Profile
import Testing

@testable import Workbench

/// Processes that are recognized after their end.
struct ProcessIdentityTests {
    private func own() throws -> ProcessIdentity { try #require(ProcessIdentity.own) }

    @Test func thisProcessRuns() throws {
        let own = try own()
        #expect(own.isRunning == true)
        #expect(ProcessIdentity(own.text) == own)
        #expect(
            ProcessIdentity("") == nil && ProcessIdentity("a b c 0 1") == nil && ProcessIdentity("a b c x 1") == nil)
    }

    /// The number of an ended process may belong to another one, which started later.
    @Test func anotherStartIsAnotherProcess() throws {
        var former = try own()
        former.start = "1"
        #expect(former.isRunning == false)
    }

    @Test func anEndedProcessDoesNotRun() throws {
        let child = Process()
        child.executableURL = URL(filePath: "/bin/true")
        try child.run()
        child.waitUntilExit()
        var former = try own()
        former.number = child.processIdentifier
        #expect(former.isRunning == false)
    }

    /// A boot ends all processes of the machine; those of other machines and containers are not visible.
    @Test func onlyProcessesOfThisMachineAreKnown() throws {
        var other = try own()
        other.machine = "0123456789abcdef"
        other.boot = "00000000-0000-0000-0000-000000000000"
        #expect(other.isRunning == nil)
        var before = try own()
        before.machine = "0123456789abcdef"
        before.boot = other.boot
        #expect(before.isRunning == nil)
        before.machine = try own().machine
        #expect(before.isRunning == (before.machine == "-" ? nil : false))
        var container = try own()
        container.namespace = "pid:[1]"
        #expect(container.isRunning == nil)
    }

    @Test func aSessionShowsWhetherItsProgramRuns() throws {
        let text = try own().text
        func state(_ end: Value, _ process: Value) -> Int64? {
            let session: Record = ["ended_at": end, "process": process]
            return session.withProgramState.integer("is_running")
        }
        #expect(state(.absent, .text(text)) == 1)
        #expect(state(.integer(5), .text(text)) == 0)
        #expect(state(.absent, .absent) == nil)
    }
}
