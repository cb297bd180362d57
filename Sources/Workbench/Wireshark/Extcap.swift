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

        package init?(name: String) {
            guard name.hasPrefix(Extcap.prefix) else { return nil }
            switch name.dropFirst(Extcap.prefix.count) {
            case "monitor": self = .monitor
            case "link": self = .link
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
            }
        }

        private var title: String {
            switch self {
            case .monitor: "gattbench: all Bluetooth adapters (HCI monitor)"
            case .adapter(let number): "gattbench: Bluetooth adapter hci\(number)"
            case .link: "gattbench: Bluetooth HCI on an H4 link"
            }
        }

        private var linkType: LinkType { self == .link ? .h4WithDirection : .linuxMonitor }

        fileprivate var sentence: String { "interface {value=\(name)}{display=\(title)}" }

        /// The reply to `--extcap-dlts`.
        package var linkTypes: String {
            let name = self == .link ? "BLUETOOTH_HCI_H4_WITH_PHDR" : "BLUETOOTH_LINUX_MONITOR"
            return "dlt {number=\(linkType.rawValue)}{name=\(name)}{display=\(linkType.name ?? name)}\n"
        }

        /// The reply to `--extcap-config`.
        package var configuration: String {
            guard self == .link else { return "" }
            return """
                arg {number=0}{call=--spec}{display=Link}{type=string}{required=true}\
                {tooltip=tcp-client:HOST:PORT, unix:PATH, serial:PATH,BAUD or another SPEC of gattbench}{group=Link}

                """
        }

        /// The capture source; throws if the transport's SPEC is invalid.
        package func source(spec: String) throws(SpecError) -> CaptureSource {
            switch self {
            case .monitor: .monitor
            case .adapter(let number): .adapter(number)
            case .link: .link(try TransportSpec(spec))
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
        let interfaces = [.monitor] + adapters.map { Interface.adapter($0) } + [.link]
        return "extcap {version=\(Program.version)}{display=\(Program.name)}\n"
            + interfaces.map { $0.sentence + "\n" }.joined()
    }
}
