import Testing
import Transports

/// Capture sources, as named on the command line.
@Suite struct CaptureSourceTests {
    @Test(arguments: [
        ("-", CaptureSource.standardInput), ("monitor", .monitor), ("hci0", .adapter(0)), ("hci12", .adapter(12)),
        ("pcap:", .interfaceList), ("pcap:bluetooth0", .interface("bluetooth0")),
        ("tcp-client:localhost:6402", .link(.tcpClient(host: "localhost", port: 6402))),
        ("unix:hci0", .link(.unix(path: "hci0"))),
    ])
    func aSourceIsUnderstood(text: String, source: CaptureSource) throws {
        #expect(try CaptureSource(text) == source)
    }

    @Test(arguments: ["", "bluetooth0", "hci", "hciX", "hci70000", "tcp-client:", "nothing:1"])
    func whatIsNoneIsRefused(text: String) {
        #expect(throws: SpecError.self) { try CaptureSource(text) }
    }
}
