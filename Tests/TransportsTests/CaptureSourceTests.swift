import Testing
import Transports

/// Capture sources, as named on the command line.
@Suite struct CaptureSourceTests {
    @Test(
        arguments: [
            ("-", CaptureSource.standardInput), ("monitor", .monitor), ("hci0", .adapter(0)), ("hci12", .adapter(12)),
            ("pcap:", .interfaceList), ("pcap:bluetooth0", .interface("bluetooth0")),
            ("tcp-client:localhost:6402", .link(.tcpClient(host: "localhost", port: 6402))),
            ("unix:hci0", .link(.unix(path: "hci0"))),
            ("tty:/dev/ttyACM0", .firmware(.serial(path: "/dev/ttyACM0", baud: 115_200), rate: nil)),
            (
                "tty:/dev/ttyACM0,1000000,clock=32768",
                .firmware(.serial(path: "/dev/ttyACM0", baud: 1_000_000), rate: 32_768)
            ),
            ("tty:a,clock=64000000", .firmware(.serial(path: "a", baud: 115_200), rate: 64_000_000)),
            ("monitor:tcp-client:localhost:19021", .firmware(.tcpClient(host: "localhost", port: 19_021), rate: nil)),
            ("monitor:pty:,clock=32768", .firmware(.pty(path: nil), rate: 32_768)),
            ("stream:tcp-client:_:24352", .stream(.tcpClient(host: "127.0.0.1", port: 24_352), reconnects: false)),
            ("stream:unix:a,reconnect", .stream(.unix(path: "a"), reconnects: true)),
            ("stream:/tmp/a", .pipe("/tmp/a", reconnects: false)),
            ("stream:./a,reconnect", .pipe("./a", reconnects: true)),
        ] as [(String, CaptureSource)])
    func aSourceIsUnderstood(text: String, source: CaptureSource) throws {
        #expect(try CaptureSource(text) == source)
    }

    @Test(arguments: [
        "", "bluetooth0", "hci", "hciX", "hci70000", "tcp-client:", "nothing:1", "tty:", "tty:,9600",
        "tty:a,17", "tty:a,clock=", "tty:a,clock=9999", "tty:a,clock=1,115200", "monitor:", "monitor:radio:",
        "monitor:hci-socket:0", "monitor:tap(a.pcap,unix:b)", "stream:", "stream:radio:", "stream:a",
    ])
    func whatIsNoneIsRefused(text: String) {
        #expect(throws: SpecError.self) { try CaptureSource(text) }
    }

    @Test(arguments: [
        ("tty:", 4), ("tty:/dev/ttyACM0,17", 17), ("tty:a,clock=x", 12), ("monitor:tcp-client:localhost", 19),
        ("stream:radio:", 7),
    ])
    func anErrorHasItsPlace(text: String, position: Int) throws {
        let error = try #require(throws: SpecError.self) { try CaptureSource(text) }
        #expect(error.spec == text)
        #expect(error.position == position)
    }
}
