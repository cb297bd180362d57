import Captures

/// Source of a live capture, as named on the command line.
package enum CaptureSource: Hashable, Sendable {
    /// A capture streamed to standard input.
    case standardInput
    /// All adapters of this machine.
    case monitor
    /// One adapter of this machine.
    case adapter(UInt16)
    /// An interface of libpcap.
    case interface(String)
    /// The list of libpcap's interfaces.
    case interfaceList
    /// An H4 link, passively captured.
    case link(TransportSpec)
    /// The monitor protocol of a firmware; `rate` is that of its clock, in Hz.
    case firmware(TransportSpec, rate: UInt32?)
    /// A capture of any format over a link.
    case stream(TransportSpec, reconnects: Bool)
    /// A capture of any format from a named pipe.
    case pipe(String, reconnects: Bool)

    /// Parses `-`, `monitor`, `hciN`, `pcap:INTERFACE`, `pcap:`, `tty:PATH`, `monitor:SPEC`, `stream:SPEC` or a SPEC.
    package init(_ text: String) throws(SpecError) {
        if text == "-" {
            self = .standardInput
        } else if text == "monitor" {
            self = .monitor
        } else if text.hasPrefix("hci"), let number = UInt16(text.dropFirst(3)) {
            self = .adapter(number)
        } else if text == "pcap:" {
            self = .interfaceList
        } else if text.hasPrefix("pcap:") {
            self = .interface(String(text.dropFirst(5)))
        } else if text.hasPrefix("tty:") {
            self = try Self.parseSerialPort(text)
        } else if text.hasPrefix("monitor:") {
            let (spec, rate) = try Self.splitClock(from: text)
            self = .firmware(try Self.parseByteStream(spec.dropFirst(8), in: text, at: 8), rate: rate)
        } else if text.hasPrefix("stream:") {
            self = try Self.parseStream(text)
        } else if text.contains(":") || text.contains("(") {
            self = .link(try TransportSpec(text))
        } else {
            throw SpecError(
                text:
                    "unknown source “\(text)”; there are -, monitor, hciN, pcap:INTERFACE, tty:PATH, monitor:SPEC, stream:SPEC, and SPECs as tcp-client:HOST:PORT",
                spec: text, position: 0)
        }
    }

    /// Whether the source is a libpcap interface.
    package var isInterface: Bool {
        if case .interface = self { return true }
        return false
    }

    /// Opens the source. `filter` is a libpcap filter; `stays` continues the capture when an adapter disappears.
    package func open(filter: String? = nil, stays: Bool = false) throws(TransportError) -> any LiveCapture {
        switch self {
        case .standardInput: return StreamCapture()
        case .monitor: return MonitorCapture(try MonitorSocket())
        case .adapter(let number):
            let socket = try MonitorSocket()
            guard stays || Adapters.isPresent(number) else {
                throw TransportError(
                    "hci\(number)", "no such adapter",
                    advice: "“gattbench doctor” lists those that are there; --stay waits for it")
            }
            return MonitorCapture(socket, adapter: number, endsWithAdapter: !stays)
        case .interface(let name): return try InterfaceCapture(name, filter: filter)
        case .link(let spec): return LinkCapture(try TransportOpener().open(spec))
        case .firmware(let spec, let rate):
            let link = try TransportOpener(carriesBytes: true).open(spec)
            var name = "monitor:\(link.name)"
            if case .serial(let path, _) = spec { name = "tty:\(path)" }
            return FirmwareCapture(link, name: name, rate: rate)
        case .stream(let spec, let reconnects):
            let open = { () throws(TransportError) in try TransportOpener(carriesBytes: true).open(spec) }
            return StreamCapture(try open(), reopen: reconnects ? open : nil)
        case .pipe(let path, let reconnects):
            let open = { () throws(TransportError) in try TransportOpener.open(pipe: path) }
            return StreamCapture(try open(), reopen: reconnects ? open : nil)
        case .interfaceList: throw TransportError("pcap:", "no interface is named", advice: "name one: pcap:bluetooth0")
        }
    }
}

// MARK: - Parsing

extension CaptureSource {
    /// Parses `tty:PATH[,BAUD][,clock=HZ]`.
    private static func parseSerialPort(_ text: String) throws(SpecError) -> CaptureSource {
        let (spec, rate) = try splitClock(from: text)
        let argument = spec.dropFirst(4)
        guard let path = argument.split(separator: ",", omittingEmptySubsequences: false).first, !path.isEmpty else {
            throw SpecError(
                text: "expected the path of a serial port: tty:PATH[,BAUD][,clock=HZ]", spec: text, position: 4)
        }
        let prefix = "serial:"
        let baud = path.count == argument.count ? ",115200" : ""
        // The error's position is that in the SPEC made here.
        let port = try parseByteStream("\(prefix)\(argument)\(baud)", in: text, at: 4 - prefix.count)
        return .firmware(port, rate: rate)
    }

    /// Parses `stream:SPEC[,reconnect]` or `stream:PATH[,reconnect]`; a PATH begins with `/` or `.`.
    private static func parseStream(_ text: String) throws(SpecError) -> CaptureSource {
        let reconnects = text.hasSuffix(",reconnect")
        let argument = text.dropFirst(7).dropLast(reconnects ? 10 : 0)
        if argument.hasPrefix("/") || argument.hasPrefix(".") { return .pipe(String(argument), reconnects: reconnects) }
        return .stream(try parseByteStream(argument, in: text, at: 7), reconnects: reconnects)
    }

    /// Splits a source from `,clock=HZ` at its end.
    private static func splitClock(from text: String) throws(SpecError) -> (Substring, rate: UInt32?) {
        let option = ",clock="
        guard let comma = text.lastIndex(of: ","), text[comma...].hasPrefix(option) else { return (text[...], nil) }
        guard let rate = UInt32(text[comma...].dropFirst(option.count)), rate >= MonitorClock.lowestRate else {
            throw SpecError(
                text: "expected the rate of the firmware's clock in Hz, \(MonitorClock.lowestRate) or more", spec: text,
                position: text.distance(from: text.startIndex, to: comma) + option.count)
        }
        return (text[..<comma], rate)
    }

    /// Parses the SPEC of a link that can carry a stream of bytes. `position` is its place in `text`.
    private static func parseByteStream(
        _ spec: some StringProtocol, in text: String, at position: Int
    ) throws(SpecError) -> TransportSpec {
        let link: TransportSpec
        do throws(SpecError) {
            link = try TransportSpec(String(spec))
        } catch {
            throw SpecError(text: error.text, spec: text, position: max(0, position + error.position))
        }
        guard link.isByteStream else {
            throw SpecError(
                text: "expected tcp-client:, tcp-server:, unix:, unix-server:, pty: or serial:, which carry any bytes",
                spec: text, position: max(0, position))
        }
        return link
    }
}
