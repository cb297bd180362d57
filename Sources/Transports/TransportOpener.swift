import Captures

/// Opens links from their command line specifications.
package struct TransportOpener {
    /// Opens a controller of the virtual radio for `radio:`; nil without a virtual radio.
    private let openRadio: (() -> any Transport)?
    /// Whether the peers of the links are hosts, so that this side is their controller.
    private let servesHosts: Bool
    /// Whether the links carry a stream of bytes, not HCI packets in H4 framing.
    private let carriesBytes: Bool

    package init(
        servesHosts: Bool = false, carriesBytes: Bool = false, openRadio: (() -> any Transport)? = nil
    ) {
        self.servesHosts = servesHosts
        self.carriesBytes = carriesBytes
        self.openRadio = openRadio
    }

    package func open(_ spec: TransportSpec) throws(TransportError) -> any Transport {
        switch spec {
        case .tap(let file, let inner):
            guard let format = CaptureFormat(forPath: file) else {
                throw TransportError(
                    "\(spec)", "“\(file)” has an unknown file extension",
                    advice: "use .btsnoop, .pklg, .pcap or .pcapng")
            }
            let link = try open(inner)
            do throws(CaptureError) {
                return TapTransport(
                    link, try CaptureWriter(path: file, target: CaptureTarget(format, holding: .h4)),
                    isController: servesHosts)
            } catch {
                link.close()
                throw TransportError("\(spec)", error.finding.text, advice: error.finding.advice)
            }
        case .fault(let plan, let inner): return FaultTransport(try open(inner), plan)
        default:
            do throws(SystemFailure) {
                if let link = try openSystem(spec) ?? openRadio?() { return link }
            } catch {
                throw TransportError("\(spec)", error.text, advice: error.advice)
            }
            throw TransportError("\(spec)", "no virtual radio is available here", advice: "name another transport")
        }
    }

    private var framing: PacketStream.Framing { carriesBytes ? .bytes : .h4(H4Framer()) }

    /// Opens a transport of the operating system; nil for those implemented in this program.
    private func openSystem(_ spec: TransportSpec) throws(SystemFailure) -> (any Transport)? {
        let name = "\(spec)"
        switch spec {
        case .tcpClient(let host, let port):
            return StreamTransport(name, PacketStream(try Sockets.connect(host: host, port: port), framing))
        case .tcpServer(let host, let port):
            let (listener, bound) = try Sockets.listen(host: host, port: port)
            return ServerTransport(
                "\(TransportSpec.tcpServer(host: host, port: bound))", listener, isTCP: true, framing)
        case .unix(let path): return StreamTransport(name, PacketStream(try Sockets.connect(path: path), framing))
        case .unixServer(let path):
            return ServerTransport(name, try Sockets.listen(path: path), isTCP: false, framing) {
                if !path.hasPrefix("@") { Terminals.remove(path) }
            }
        case .serial(let path, let baud):
            let port = try Terminals.serial(path: path, baud: baud, hasFlowControl: !carriesBytes)
            return StreamTransport(name, PacketStream(port, framing))
        case .hciSocket(let adapter):
            return StreamTransport(name, PacketStream(try Sockets.adapter(adapter), .datagrams))
        case .pty(let path):
            let terminal = try Terminals.pseudoTerminal()
            if let path { try Terminals.link(path, to: terminal.path) }
            // Keep the other end open here too: otherwise this end would end whenever a host closes it.
            let slave = terminal.slave
            return StreamTransport("pty:\(path ?? terminal.path)", PacketStream(terminal.master, framing)) {
                withExtendedLifetime(slave) { if let path { Terminals.remove(path) } }
            }
        case .tap, .fault, .radio: return nil
        }
    }

    /// Opens a named pipe for reading as a link of bytes.
    static func open(pipe path: String) throws(TransportError) -> any Transport {
        do throws(SystemFailure) {
            if let pipe = try Descriptor.namedPipe(path) { return StreamTransport(path, PacketStream(pipe, .bytes)) }
        } catch {
            throw TransportError(path, error.text, advice: error.advice)
        }
        throw TransportError(path, "not a named pipe", advice: "“decode” reads files, stream:unix:PATH a socket")
    }
}
