import Bytes

/// What the packets of a link type for private use are, or the bytes of a UART, as the user states it (`--as`).
package enum StatedContent: Sendable, Hashable {
    case linkType(LinkType)
    /// HCI packets with their H4 packet indicator (Vol 4, Part A).
    case h4
    /// Packets of the three-wire UART transport (Vol 4, Part D).
    case h5

    /// Parses a link type's number, `nordic`, `h4` or `h5`; nil for anything else.
    package init?(_ text: String) {
        switch text.lowercased() {
        case "h4": self = .h4
        case "h5": self = .h5
        case "nordic": self = .linkType(.nordic)
        default:
            guard let number = UInt32(text) else { return nil }
            let linkType = LinkType(rawValue: number)
            guard linkType.encapsulation != nil else { return nil }
            self = .linkType(linkType)
        }
    }

    /// Whether content without a known format can be this: what one line of a UART carried.
    package var isDump: Bool { self == .h4 || self == .h5 }

    /// The values that `init(_:)` accepts, for messages.
    package static let values = "h4, h5, nordic, 187, 192, 201, 251, 254, 256 or 272"

    /// The encapsulation of the packets in a file that has a record for each.
    fileprivate var encapsulation: Encapsulation? {
        switch self {
        case .linkType(let linkType): linkType.encapsulation
        case .h4, .h5: .h4
        }
    }
}

extension LinkType {
    /// Whether the number is for private use: only who recorded the packets knows what they are.
    var isPrivate: Bool { (147...162).contains(rawValue) }

    /// The encapsulation of the packets, for a number for private use as stated by the user.
    func encapsulation(_ stated: StatedContent?) -> Encapsulation? {
        isPrivate ? stated?.encapsulation : self.encapsulation
    }
}
