package import Bytes
import Emulation
package import Host
import PluginKit
package import Transports

/// The lower tester's host on a controller behind a transport, in real time.
package final class TransportBed: TestBed {
    private let link: SimulatedNodeLink
    private let hands: any UpperTester
    /// Reports that arrived during an action of the upper tester.
    private var pending: [HostReport] = []
    /// The user who answers pairing prompts; nil for none.
    private let user: PairingUser?

    /// Opens the transport. Throws `TransportError`.
    package init(
        _ spec: TransportSpec, seed: UInt64, pairing: PairingSettings = PairingSettings(), user: PairingUser? = nil,
        hands: any UpperTester, isInterrupted: @escaping () -> Bool
    ) throws {
        self.hands = hands
        self.user = user
        link = try SimulatedNodeLink(spec, keyboard: hands.keyboard, isInterrupted: isInterrupted)
        link.press = { key in
            if let user, user.isAsking { user.press(key) } else { hands.press(key) }
        }
        try link.attach(.host(DrivenHost(.lowerTester(seed: seed, pairing: pairing))))
    }

    package var now: Timestamp { link.now }
    package var hostCount: Int { 1 }
    package var isVirtual: Bool { false }
    package var packets: [RecordedPacket] { link.packets }
    package func host(_ index: Int) -> Host { link.host ?? .lowerTester(seed: 1) }
    package func close() { link.close() }

    package func begin() throws {
        pending = []
        try link.begin()
    }

    package func perform(_ request: Host.Request, host index: Int) {
        link.handle { $0.handle(Host.Input.request(request), at: $1) }
    }

    package func perform(_ action: HandAction) throws {
        try hands.perform(action, now: { link.now }, wait: { limit in pending += try wait(until: limit) })
    }

    package func answer(_ prompt: Pairing.Prompt, within limit: Duration) throws -> Pairing.Answer? {
        guard let user else { return nil }
        user.begin(prompt, hasKeys: hands.keyboard != nil)
        defer { user.end() }
        let end = link.now + limit
        while user.isAsking, link.now < end {
            pending += try wait(until: link.now + .milliseconds(50))
            if let answer = user.poll() { return answer }
        }
        return nil
    }

    package func events(until limit: Timestamp) throws -> [HostReport] {
        defer { pending = [] }
        return pending.isEmpty ? try wait(until: limit) : pending
    }

    private func wait(until limit: Timestamp) throws -> [HostReport] {
        try link.outputs(until: limit).compactMap { output in
            if case .report(let event) = output { HostReport(host: 0, event: event) } else { nil }
        }
    }
}

/// The upper tester: performs actions on the device for a case.
package protocol UpperTester: AnyObject {
    /// Begins an action; throws `TestStop.notApplicable` where it cannot be performed.
    func begin(_ action: HandAction) throws
    /// Whether the action is done. Polled repeatedly.
    func isDone() throws -> Bool
    /// Cancels the action because it took too long.
    func cancel()
    /// Handles a key pressed on the terminal.
    func press(_ key: UInt8)
    /// The terminal to read keys from; nil for none.
    var keyboard: Keyboard? { get }
}

extension UpperTester {
    /// Performs an action; `wait` advances time to a given time.
    func perform(_ action: HandAction, now: () -> Timestamp, wait: (Timestamp) throws -> Void) throws {
        let end = now() + action.limit
        try begin(action)
        while try !isDone() {
            guard now() < end else {
                cancel()
                throw TestStop.inconclusive("nobody did \"\(action.stimulus.name)\" within \(action.limit.words)")
            }
            try wait(now() + .milliseconds(100))
        }
    }

    package func cancel() {}
    package func press(_ key: UInt8) {}
    package var keyboard: Keyboard? { nil }
}

/// An upper tester that cannot perform any action.
package final class NoUpperTester: UpperTester {
    private let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package func begin(_ action: HandAction) throws {
        throw TestStop.notApplicable("needs \"\(action.stimulus.name)\": \(reason)")
    }

    package func isDone() -> Bool { true }
}

/// An upper tester that asks a person at the terminal.
package final class AskingUpperTester: UpperTester {
    package let keyboard: Keyboard?
    private let say: (String) -> Void
    private var answer: UInt8?
    private var question: String?

    package init(_ keyboard: Keyboard, say: @escaping (String) -> Void) {
        self.keyboard = keyboard
        self.say = say
    }

    package func begin(_ action: HandAction) {
        answer = nil
        question = action.isQuestion ? action.text : nil
        let done = action.isQuestion ? "Enter: yes, n: no" : "Enter: done"
        say("\(action.text)  [\(done), s: skip; \(action.limit.words)]")
    }

    package func isDone() throws -> Bool {
        if let question, answer == UInt8(ascii: "n") { throw TestStop.failed(expected: question, observed: "no") }
        if answer == UInt8(ascii: "s") { throw TestStop.notApplicable("skipped at the terminal") }
        return answer == UInt8(ascii: "\n") || answer == UInt8(ascii: "\r") || answer == UInt8(ascii: " ")
    }

    package func press(_ key: UInt8) { answer = key }
}

/// An upper tester that runs a program for each action: a robot, a relay. The arguments are the action and its amount,
/// or `ask` and a question, which exit status 0 answers with yes and 1 with no.
package final class CommandUpperTester: UpperTester {
    private let command: String
    private var process: ChildProcess?
    private var question: String?

    package init(_ command: String) {
        self.command = command
    }

    package func begin(_ action: HandAction) throws {
        question = action.isQuestion ? action.text : nil
        let amount = question ?? action.stimulus.amount.map(StimulusDefinition.Amount.digits)
        process = try ChildProcess(command, arguments: [action.stimulus.name] + [amount].compactMap(\.self))
    }

    package func isDone() throws -> Bool {
        guard let process, let status = process.exitStatus() else { return process == nil }
        self.process = nil
        if status == 0 { return true }
        if let question, status == 1 { throw TestStop.failed(expected: question, observed: "no") }
        throw TestStop.inconclusive("\(command) ended with status \(status)")
    }

    package func cancel() {
        process?.kill()
        process = nil
    }
}
