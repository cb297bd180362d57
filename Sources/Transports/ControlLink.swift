/// A link through which another program controls this one, with lines of text.
package enum ControlLink: Hashable, Sendable {
    /// Commands on standard input, responses on standard output.
    case standardStreams
    /// A socket at this path, for one client at a time.
    case unixServer(path: String)

    /// Parses `-` or `unix:PATH`; nil for anything else.
    package init?(_ text: String) {
        if text == "-" {
            self = .standardStreams
        } else if text.hasPrefix("unix:"), text.count > 5 {
            self = .unixServer(path: String(text.dropFirst(5)))
        } else {
            return nil
        }
    }

    /// Opens the link; its packets are lines without line feeds.
    package func open() throws(TransportError) -> any Transport {
        switch self {
        case .standardStreams:
            guard let input = Descriptor.standardInput() else { throw TransportError("-", "standard input is closed") }
            return StreamTransport("standard input", PacketStream(input, .lines(LineFramer())))
        case .unixServer(let path):
            do throws(SystemFailure) {
                return ServerTransport(
                    "unix:\(path)", try Sockets.listen(path: path), isTCP: false, .lines(LineFramer())
                ) {
                    if !path.hasPrefix("@") { Terminals.remove(path) }
                }
            } catch {
                throw TransportError("unix:\(path)", error.text, advice: error.advice)
            }
        }
    }
}
