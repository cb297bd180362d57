import Bluetooth
import Bytes
import Host
import PDUTestKit
import TestKit
import Transports

/// A host of ours on a link, in real time, for tests that do one thing after the other.
struct LiveHost {
    private(set) var host: Host
    private var loop = TransportLoop()
    /// All that the host has told.
    private(set) var told: [Host.Event] = []
    /// All that went into the host and came out of it, line by line, as `PairingRecording` of the host's tests reads it.
    private(set) var transcript: [String] = []
    /// How many of them have been looked at.
    private var seen = 0
    private var nextID: UInt64 = 0

    /// Begins when somebody is at the other end of the link.
    init(_ host: Host, _ spec: TransportSpec) throws {
        self.host = host
        loop.add(try TransportOpener().open(spec))
    }

    /// What the link is called; a server's name tells the port that it has.
    var link: String { loop.transports[0].name }

    /// Waits for a controller, and starts it.
    mutating func start() -> Bool {
        request(.start)
        return wait { if case .ready = $0 { true } else { false } } != nil
    }

    mutating func request(_ request: Host.Request) {
        handle(.request(request))
    }

    /// Goes on until the host tells such an event, which is returned, or for so many seconds; `meanwhile` sees every event
    /// until then.
    mutating func wait(
        seconds: Double = 20, meanwhile: (inout LiveHost, Host.Event) -> Void = { _, _ in },
        for isAwaited: (Host.Event) -> Bool
    ) -> Host.Event? {
        let end = loop.now + .seconds(seconds)
        while loop.now < end {
            while seen < told.count {
                let event = told[seen]
                seen += 1
                meanwhile(&self, event)
                if isAwaited(event) { return event }
            }
            let deadline = [host.deadline, end].compactMap { $0 }.min()
            for case (_, .packet(let packet, _)) in loop.wait(until: deadline) {
                handle(.packet(packet))
            }
            if let deadline = host.deadline, deadline <= loop.now { handle(.time) }
        }
        return nil
    }

    /// Waits for the other side to attach itself to a link that is a server.
    mutating func waitForPeer() -> Bool {
        let end = loop.now + .seconds(20)
        while loop.now < end {
            for case (_, .connected) in loop.wait(until: end) { return true }
        }
        return false
    }

    /// Does a procedure to its end.
    mutating func client(
        _ handle: ConnectionHandle, _ operation: AttributeClient.Operation
    ) -> Result<AttributeClient.Outcome, AttributeClient.Failure>? {
        nextID += 1
        let id = nextID
        request(.client(handle, operation, id: id))
        let event = wait { if case .client(handle, .finished(id, _)) = $0 { true } else { false } }
        if case .client(_, .finished(_, let result)) = event { return result }
        return nil
    }

    func close() {
        loop.close()
    }

    private mutating func handle(_ input: Host.Input) {
        let now = loop.now
        transcript.append("\(now.nanoseconds) \(input.transcribed)")
        for action in host.handle(input, at: now) {
            switch action {
            case .tell(let event): told.append(event)
            case .send(let packet):
                transcript.append("< \(hexText(packet))")
                _ = loop.transports[0].send(packet, at: loop.now)
            }
        }
    }
}

extension Host.Input {
    /// The input as a line of a transcript has it; requests that no recorded session makes have no words of their own.
    fileprivate var transcribed: String {
        switch self {
        case .packet(let packet): "> \(hexText(packet))"
        case .time: "! time"
        case .request(.start): "! start"
        case .request(.advertise): "! advertise"
        case .request(.connect(let settings)):
            "! connect \(String(settings.peer.address.value, radix: 16)) \(settings.peer.kind.rawValue)"
        case .request(.secure(let handle)): "! secure \(handle.rawValue)"
        case .request(.answerPairing(let handle, .passkey(let digits))): "! passkey \(handle.rawValue) \(digits)"
        case .request(.answerPairing(let handle, .same)): "! same \(handle.rawValue)"
        case .request(.disconnect(let handle, let reason)): "! disconnect \(handle.rawValue) \(reason.rawValue)"
        case .request(let other): "! \(other)"
        }
    }
}
