import Testing
import Transports

/// Valid SPECs, and the error messages for invalid ones.
@Suite struct TransportSpecTests {
    @Test(arguments: [
        ("tcp-client:localhost:6402", TransportSpec.tcpClient(host: "localhost", port: 6402)),
        ("tcp-client:[::1]:6402", .tcpClient(host: "::1", port: 6402)),
        ("tcp-server:_:6402", .tcpServer(host: nil, port: 6402)),
        ("tcp-server:0.0.0.0:0", .tcpServer(host: "0.0.0.0", port: 0)),
        ("unix:/run/hci", .unix(path: "/run/hci")),
        ("unix-server:/run/hci", .unixServer(path: "/run/hci")),
        ("pty:", .pty(path: nil)),
        ("pty:/tmp/hci0", .pty(path: "/tmp/hci0")),
        ("serial:/dev/ttyACM0", .serial(path: "/dev/ttyACM0", baud: 1_000_000)),
        ("serial:/dev/ttyACM0,115200", .serial(path: "/dev/ttyACM0", baud: 115_200)),
        ("hci-socket:1", .hciSocket(adapter: 1)),
        ("radio:", .radio),
        ("tap(a.pcapng,radio:)", .tap(file: "a.pcapng", .radio)),
        (
            "tap(a.btsnoop,tap(b.pklg,serial:/dev/ttyS0,115200))",
            .tap(file: "a.btsnoop", .tap(file: "b.pklg", .serial(path: "/dev/ttyS0", baud: 115_200)))
        ),
    ])
    func isRead(text: String, spec: TransportSpec) throws {
        #expect(try TransportSpec(text) == spec)
        #expect(try TransportSpec("\(spec)") == spec)
    }

    @Test func faultsAreRead() throws {
        var plan = FaultPlan()
        plan.drop = 0.05
        plan.corrupt = 0.25
        plan.delay = 20_000_000
        plan.disconnect = 3_000_000_000
        plan.stall = FaultPlan.Stall(time: 2_000_000_000, duration: 500_000_000)
        plan.target = .received
        plan.seed = 7
        let text = "fault(drop=5%,corrupt=0.25,delay=20ms,disconnect=3s,stall=2s+500ms,only=received,seed=7,radio:)"
        let spec = try TransportSpec(text)
        #expect(spec == .fault(plan, .radio))
        #expect(try TransportSpec("\(spec)") == spec)
    }

    @Test(arguments: [
        ("", "expected a transport", 0),
        ("tcp-clint:localhost:1", "unknown transport “tcp-clint”", 0),
        ("tcp-client", "expected “:” after “tcp-client”", 10),
        ("tcp-client:localhost", "expected HOST:PORT", 11),
        ("tcp-client:localhost:0", "expected a port", 21),
        ("tcp-client:localhost:70000", "expected a port", 21),
        ("tcp-client::70000", "expected a host", 11),
        ("unix:", "expected the path", 5),
        ("serial:/dev/ttyS0,12345", "expected one of the speeds", 18),
        ("hci-socket:hci0", "expected the number of an adapter", 11),
        ("radio:x", "has no arguments", 6),
        ("tap(,radio:)", "expected the file", 4),
        ("tap(a.pcapng)", "expected “,”", 12),
        ("tap(a.pcapng,radio:", "expected “)”", 19),
        ("tap(a.pcapng,radio:))", "expected the end", 20),
        ("tee(a,radio:)", "unknown “tee(…)”", 0),
        ("fault(radio:)", "expected a fault", 6),
        ("fault(dorp=5%,radio:)", "unknown fault “dorp”", 6),
        ("fault(drop=200%,radio:)", "expected a part of all packets", 11),
        ("fault(delay=soon,radio:)", "expected a time", 12),
        ("fault(stall=2s,radio:)", "expected TIME+DURATION", 12),
        ("fault(drop=5%,)", "expected a transport", 14),
    ])
    func isRefused(text: String, reason: String, position: Int) {
        do throws(SpecError) {
            let spec = try TransportSpec(text)
            Issue.record("\(text) was read as \(spec)")
        } catch {
            #expect(error.text.contains(reason), "\(error.text)")
            #expect(error.position == position)
        }
    }

    @Test func theCaretStandsUnderTheFault() throws {
        let error = try #require(throws: SpecError.self) { try TransportSpec("tap(a.pcapng,radio)") }
        #expect(error.description.hasSuffix("\n  tap(a.pcapng,radio)\n                    ^"))
    }

    @Test func decoratorsHaveALimit() {
        let text = String(repeating: "tap(a.pcapng,", count: 100) + "radio:" + String(repeating: ")", count: 100)
        #expect(throws: SpecError.self) { try TransportSpec(text) }
    }
}
