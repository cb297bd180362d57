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

    /// Parses `-`, `monitor`, `hciN`, `pcap:INTERFACE`, `pcap:` or a SPEC.
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
        } else if text.contains(":") || text.contains("(") {
            self = .link(try TransportSpec(text))
        } else {
            throw SpecError(
                text:
                    "unknown source “\(text)”; there are -, monitor, hciN, pcap:INTERFACE, and SPECs as tcp-client:HOST:PORT",
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
        case .interfaceList: throw TransportError("pcap:", "no interface is named", advice: "name one: pcap:bluetooth0")
        }
    }
}
