import Bluetooth
import Bytes
import Host
import PDUTestKit
import TestKit
import Transports

/// Our host on a transport in real time, for sequential tests.
struct LiveHost {
    private(set) var host: Host
    private var loop = TransportLoop()
    /// All events of the host.
    private(set) var reported: [Host.Event] = []
    /// All inputs and outputs of the host, line by line, in the format of the host tests' `PairingRecording`.
    private(set) var transcript: [String] = []
    /// Number of events already processed.
    private var seen = 0
    private var nextID: UInt64 = 0

    /// Opens the transport.
    init(_ host: Host, _ spec: TransportSpec) throws {
        self.host = host
        loop.add(try TransportOpener().open(spec))
    }

    /// The name of the transport; a server's name contains its port.
    var link: String { loop.transports[0].name }

    /// Waits for a controller and starts it.
    mutating func start() -> Bool {
        request(.start)
        return wait { if case .ready = $0 { true } else { false } } != nil
    }

    mutating func request(_ request: Host.Request) {
        handle(.request(request))
    }

    /// Runs until the host reports an awaited event, which is returned, or for the given seconds. `meanwhile` receives
    /// every event before.
    mutating func wait(
        seconds: Double = 20, meanwhile: (inout LiveHost, Host.Event) -> Void = { _, _ in },
        for isAwaited: (Host.Event) -> Bool
    ) -> Host.Event? {
        let end = loop.now + .seconds(seconds)
        while loop.now < end {
            while seen < reported.count {
                let event = reported[seen]
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

    /// Waits until a peer connects to a server transport.
    mutating func waitForPeer() -> Bool {
        let end = loop.now + .seconds(20)
        while loop.now < end {
            for case (_, .connected) in loop.wait(until: end) { return true }
        }
        return false
    }

    /// Runs a procedure to completion.
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
            case .event(let event): reported.append(event)
            case .send(let packet):
                transcript.append("< \(hexText(packet))")
                _ = loop.transports[0].send(packet, at: loop.now)
            }
        }
    }
}

extension Host.Input {
    /// The input as a line of a transcript; only requests of recorded sessions have keywords.
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
