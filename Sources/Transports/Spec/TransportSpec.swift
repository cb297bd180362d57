/// Specification of a transport for HCI packets, as given on the command line.
package indirect enum TransportSpec: Hashable, Sendable {
    case tcpClient(host: String, port: UInt16)
    /// Nil for `host` is the loopback address.
    case tcpServer(host: String?, port: UInt16)
    case unix(path: String)
    case unixServer(path: String)
    /// `path` becomes a symbolic link to the terminal.
    case pty(path: String?)
    case serial(path: String, baud: UInt32)
    /// Adapter hciN of this machine, by the user channel of Linux.
    case hciSocket(adapter: UInt16)
    /// A controller on the virtual radio of this process.
    case radio
    /// Records the packets in a file.
    case tap(file: String, TransportSpec)
    /// Injects faults into the packets.
    case fault(FaultPlan, TransportSpec)
}

extension TransportSpec {
    /// Whether the transport is a controller of the virtual radio, with or without decorators.
    package var isRadio: Bool {
        switch self {
        case .radio: true
        case .tap(_, let inner), .fault(_, let inner): inner.isRadio
        default: false
        }
    }

    /// Whether the transport can carry any stream of bytes: no adapter, no virtual radio and no decorator.
    package var isByteStream: Bool {
        switch self {
        case .tcpClient, .tcpServer, .unix, .unixServer, .pty, .serial: true
        case .hciSocket, .radio, .tap, .fault: false
        }
    }
}

/// A syntax error in a SPEC, with its position.
package struct SpecError: Error, Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// The complete SPEC.
    package let spec: String
    /// Start of the error, in characters.
    package let position: Int

    package init(text: String, spec: String, position: Int) {
        (self.text, self.spec, self.position) = (text, spec, position)
    }

    /// The text, then the SPEC with a caret under the error.
    package var description: String {
        "\(text)\n  \(spec)\n  \(String(repeating: " ", count: position))^"
    }
}

extension TransportSpec: CustomStringConvertible {
    /// Command line syntax.
    package var description: String {
        switch self {
        case .tcpClient(let host, let port): "tcp-client:\(Self.bracketed(host)):\(port)"
        case .tcpServer(let host, let port): "tcp-server:\(host.map(Self.bracketed) ?? "_"):\(port)"
        case .unix(let path): "unix:\(path)"
        case .unixServer(let path): "unix-server:\(path)"
        case .pty(let path): "pty:\(path ?? "")"
        case .serial(let path, let baud): "serial:\(path),\(baud)"
        case .hciSocket(let adapter): "hci-socket:\(adapter)"
        case .radio: "radio:"
        case .tap(let file, let spec): "tap(\(file),\(spec))"
        case .fault(let plan, let spec): "fault(\(plan),\(spec))"
        }
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
