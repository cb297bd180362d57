package import Bluetooth
package import Bytes
package import Conversation
package import Profile

/// One frame in full: its field tree, what is wrong with it, and what it means for the application.
///
/// It is reused from frame to frame of a capture; what it holds is valid until the next one is dissected into it.
package final class DissectedFrame {
    package let recorder = FieldRecorder()
    package internal(set) var diagnoses: [Diagnostic] = []
    /// The attribute that it is about; nil for frames that are about none or several.
    package internal(set) var attribute: AttributeUse?
    /// The plugin's reading of the attribute's value, or of what is advertised; nil for frames with several.
    package internal(set) var message: DeviceMessage?
    /// The values of a frame that carries several; empty for all others.
    package internal(set) var values: [CarriedValue] = []

    var attributes = KnownAttributes()

    /// An attribute as a frame uses it.
    package struct AttributeUse {
        /// What frames say of the attribute, whichever frame it is.
        private let names: AttributeInWords
        /// Where the value lies; nil where the frame carries none.
        package var value: FrameMetadata.Piece?

        package var attribute: GATT.Attribute { names.attribute }
        package var confidence: GATT.Confidence { names.confidence }
        /// Name of the service; nil where it is not known.
        package var service: String? { names.service }
        /// Name of the characteristic that a descriptor belongs to; nil for other attributes.
        package var owner: String? { names.owner }
        /// Name of the characteristic, or of the descriptor; nil where it is not known.
        package var name: String? { names.name }

        init(_ names: AttributeInWords) {
            self.names = names
        }
    }

    /// One of several values in a frame.
    package struct CarriedValue {
        /// Nil for a value that is advertised, and where the attribute is not known.
        package var attribute: AttributeUse?
        /// Nil where no plugin reads it.
        package var message: DeviceMessage?
        /// Who advertised it, in `TrackedBatch.devices`; -1 for attributes, and where it is not known.
        package var advertiser: Int32 = -1

        package init(attribute: AttributeUse? = nil, message: DeviceMessage?, advertiser: Int32 = -1) {
            self.attribute = attribute
            self.message = message
            self.advertiser = advertiser
        }
    }

    /// A value that a plugin understood.
    package struct DeviceMessage {
        package let plugin: String
        package let layout: Layout
        /// Its fields, as indices into `recorder.fields`.
        package let fields: Range<Int>

        package var name: String { layout.name }
        /// What to call it.
        package var title: String { layout.title }
    }

    package init() {}

    func reset() {
        recorder.reset()
        if !diagnoses.isEmpty { diagnoses.removeAll() }
        // Most frames are about no attribute, and asking costs less than storing nil over nil.
        if attribute != nil { attribute = nil }
        if message != nil { message = nil }
        if !values.isEmpty { values.removeAll() }
    }
}
