package import Bytes
package import Host
import PluginKit
package import Transports

/// The lower tester's host on a controller that is reached by a transport, in real time.
package final class TransportBed: TestBed {
    private var loop = TransportLoop()
    private var driven: Host
    private let hands: any UpperTester
    private let isInterrupted: () -> Bool
    private var reports: [HostReport] = []
    package private(set) var packets: [RecordedPacket] = []
    /// Why the link is of no use any more; nil while it is.
    private var closing: String?

    /// Opens the transport. Throws `TransportError`.
    package init(
        _ spec: TransportSpec, seed: UInt64, hands: any UpperTester, isInterrupted: @escaping () -> Bool
    ) throws {
        driven = .lowerTester(seed: seed)
        self.hands = hands
        self.isInterrupted = isInterrupted
        loop.add(try TransportOpener().open(spec))
        if let keyboard = hands.keyboard { loop.add(keyboard) }
    }

    package var now: Timestamp { loop.now }
    package var hostCount: Int { 1 }
    package var isVirtual: Bool { false }
    package func host(_ index: Int) -> Host { driven }

    /// Resets the controller and closes the transport.
    package func close() {
        _ = loop.transports[0].send([0x01, 0x03, 0x0C, 0x00], at: loop.now)
        loop.close()
    }

    package func begin() throws {
        packets = []
        reports = []
        if let closing {
            throw TransportError(loop.transports[0].name, closing, advice: "check the log of the controller")
        }
    }

    package func perform(_ request: Host.Request, host index: Int) { give(.request(request)) }

    package func events(until limit: Timestamp) throws -> [HostReport] {
        while reports.isEmpty {
            if isInterrupted() { throw TestStop.interrupted }
            if let closing {
                throw TransportError(loop.transports[0].name, closing, advice: "check the log of the controller")
            }
            if let deadline = driven.deadline, deadline <= loop.now { give(.time) }
            if !reports.isEmpty || loop.now >= limit { break }
            let due = [driven.deadline, limit].compactMap(\.self).min()
            for (link, event) in loop.wait(until: due) { take(event, of: link) }
        }
        defer { reports = [] }
        return reports
    }

    package func perform(_ action: HandAction) throws {
        var kept: [HostReport] = []
        try hands.perform(action, now: { now }, wait: { limit in kept += try events(until: limit) })
        reports = kept + reports
    }

    private func take(_ event: TransportEvent, of link: Int) {
        if link > 0 {
            if case .packet(let key, _) = event { hands.press(key[0]) }
            return
        }
        switch event {
        case .connected: give(.request(.start))
        case .packet(let packet, _):
            packets.append(RecordedPacket(bytes: packet, isSent: false, host: 0, time: now))
            give(.packet(packet))
        case .note: break
        case .disconnected(let text), .closed(let text): closing = text
        }
    }

    private func give(_ input: Host.Input) {
        for action in driven.handle(input, at: now) {
            switch action {
            case .send(let packet):
                packets.append(RecordedPacket(bytes: packet, isSent: true, host: 0, time: now))
                for event in loop.transports[0].send(packet, at: now) { take(event, of: 0) }
            case .tell(let event): reports.append(HostReport(host: 0, event: event))
            }
        }
    }
}

/// The upper tester: does to the device what a case wants done by hand.
package protocol UpperTester: AnyObject {
    /// Begins an action; throws `TestStop.notApplicable` where it cannot be done.
    func begin(_ action: HandAction) throws
    /// Whether the action is done. It is asked again and again.
    func isDone() throws -> Bool
    /// The action took too long.
    func cancel()
    /// A key of the terminal.
    func press(_ key: UInt8)
    /// The terminal whose keys it wants; nil for none.
    var keyboard: Keyboard? { get }
}

extension UpperTester {
    /// Has an action done; `wait` lets time pass until a time.
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

/// Nobody is there to do anything.
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

/// A person at the terminal.
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

/// A program that is run for each action: a robot, a relay. Its arguments are the action and its amount, or `ask` and a
/// question, which status 0 answers with yes and status 1 with no.
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
