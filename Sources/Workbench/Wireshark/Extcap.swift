import Captures
import Output
package import Transports

/// Replies to Wireshark's external capture interface (extcap(4) of Wireshark).
package enum Extcap {
    /// An interface that Wireshark can capture from.
    package enum Interface: Hashable, Sendable {
        case monitor
        case adapter(UInt16)
        /// An H4 transport that the user specifies.
        case link
        /// The monitor protocol of a firmware.
        case firmware
        /// A capture over a link.
        case stream

        package init?(name: String) {
            guard name.hasPrefix(Extcap.prefix) else { return nil }
            switch name.dropFirst(Extcap.prefix.count) {
            case "monitor": self = .monitor
            case "link": self = .link
            case "firmware": self = .firmware
            case "stream": self = .stream
            case let rest where rest.hasPrefix("hci"):
                guard let number = UInt16(rest.dropFirst(3)) else { return nil }
                self = .adapter(number)
            default: return nil
            }
        }

        package var name: String {
            switch self {
            case .monitor: Extcap.prefix + "monitor"
            case .adapter(let number): Extcap.prefix + "hci\(number)"
            case .link: Extcap.prefix + "link"
            case .firmware: Extcap.prefix + "firmware"
            case .stream: Extcap.prefix + "stream"
            }
        }

        private var title: String {
            switch self {
            case .monitor: "gattbench: all Bluetooth adapters (HCI monitor)"
            case .adapter(let number): "gattbench: Bluetooth adapter hci\(number)"
            case .link: "gattbench: Bluetooth HCI on an H4 link"
            case .firmware: "gattbench: Bluetooth HCI of a firmware (monitor protocol)"
            case .stream: "gattbench: a capture over TCP, a socket or a pipe"
            }
        }

        /// The link type; the header of a stream's packets may state another.
        private var linkType: LinkType { self == .link || self == .stream ? .h4WithDirection : .linuxMonitor }

        /// The syntax of the link that the user must specify; nil if there is none.
        package var specSyntax: String? {
            switch self {
            case .monitor, .adapter: nil
            case .link: "tcp-client:HOST:PORT, unix:PATH, serial:PATH,BAUD or another SPEC of gattbench"
            case .firmware: "tty:PATH[,BAUD][,clock=HZ] or monitor:SPEC"
            case .stream: "SPEC[,reconnect] or the path of a named pipe"
            }
        }

        fileprivate var sentence: String { "interface {value=\(name)}{display=\(title)}" }

        /// The reply to `--extcap-dlts`.
        package var linkTypes: String {
            let name = linkType == .linuxMonitor ? "BLUETOOTH_LINUX_MONITOR" : "BLUETOOTH_HCI_H4_WITH_PHDR"
            return "dlt {number=\(linkType.rawValue)}{name=\(name)}{display=\(linkType.name ?? name)}\n"
        }

        /// The reply to `--extcap-config`.
        package var configuration: String {
            guard let specSyntax else { return "" }
            return """
                arg {number=0}{call=--spec}{display=Link}{type=string}{required=true}{tooltip=\(specSyntax)}{group=Link}

                """
        }

        /// The capture source; throws if the transport's SPEC is invalid.
        package func source(spec: String) throws(SpecError) -> CaptureSource {
            switch self {
            case .monitor: return .monitor
            case .adapter(let number): return .adapter(number)
            case .link: return .link(try TransportSpec(spec))
            case .stream: return try CaptureSource("stream:\(spec)")
            case .firmware:
                let source = try CaptureSource(spec)
                guard case .firmware = source else {
                    throw SpecError(text: "expected \(specSyntax ?? "")", spec: spec, position: 0)
                }
                return source
            }
        }
    }

    fileprivate static let prefix = "gattbench-"

    /// Whether Wireshark started the program.
    package static func isAsked(_ arguments: [String]) -> Bool {
        arguments.contains { $0.hasPrefix("--extcap-") }
    }

    /// The reply to `--extcap-interfaces`.
    package static func interfaces(adapters: [UInt16]) -> String {
        let interfaces = [.monitor] + adapters.map { Interface.adapter($0) } + [.link, .firmware, .stream]
        return "extcap {version=\(Program.version)}{display=\(Program.name)}\n"
            + interfaces.map { $0.sentence + "\n" }.joined()
    }
}
