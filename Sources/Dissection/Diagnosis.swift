import Bytes

/// Something that is wrong with a frame, or that kept it from being understood.
package struct Diagnosis: Sendable, Hashable {
    package enum Severity: String, Sendable {
        /// Worth knowing: nothing is wrong with the traffic.
        case note
        /// The recording lacks something, or the traffic is odd.
        case warning
        /// The bytes break the specification.
        case error
    }

    package var severity: Severity
    /// Protocol layer, by Wireshark's name: `btatt`.
    package var layer: String
    /// Offset in bytes, in the frame or in the reassembled PDU.
    package var offset: Int
    package var text: String

    package init(_ severity: Severity, _ layer: String, offset: Int = 0, _ text: String) {
        self.severity = severity
        self.layer = layer
        self.offset = offset
        self.text = text
    }

    init(_ error: DecodeError, in layer: String) {
        self.init(.error, layer, offset: error.offset, error.description)
    }
}
