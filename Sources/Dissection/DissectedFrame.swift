package import Bluetooth
package import Bytes
package import Conversation
package import Profile

/// The complete dissection of one frame: its field tree, diagnostics and application values.
///
/// The object is reused from frame to frame; its contents are valid until the next frame is dissected into it.
package final class DissectedFrame {
    package let recorder = FieldRecorder()
    package internal(set) var diagnoses: [Diagnostic] = []
    /// The attribute that the frame concerns; nil if it concerns none or several.
    package internal(set) var attribute: AttributeUse?
    /// The plugin's decoding of the attribute's value or of the advertised data; nil for frames with several values.
    package internal(set) var message: DeviceMessage?
    /// The values of a frame with several; empty for other frames.
    package internal(set) var values: [CarriedValue] = []

    var attributes = CachedAttributeReaders()

    /// One frame's use of an attribute.
    package struct AttributeUse {
        /// The attribute and its names, shared by all frames.
        private let names: AttributeInWords
        /// Range of the value; nil if the frame carries none.
        package var value: FrameMetadata.BufferRange?

        package var attribute: GATT.Attribute { names.attribute }
        package var confidence: GATT.Confidence { names.confidence }
        /// Name of the service; nil if unknown.
        package var service: String? { names.service }
        /// Name of the characteristic that owns a descriptor; nil for other attributes.
        package var owner: String? { names.owner }
        /// Name of the characteristic or the descriptor; nil if unknown.
        package var name: String? { names.name }

        init(_ names: AttributeInWords) {
            self.names = names
        }
    }

    /// One of several values in a frame.
    package struct CarriedValue {
        /// Nil for an advertised value, and for an unknown attribute.
        package var attribute: AttributeUse?
        /// Nil if no plugin decodes the value.
        package var message: DeviceMessage?
        /// Index of the advertiser in `TrackedBatch.devices`; -1 for attributes, and for an unknown advertiser.
        package var advertiser: Int32 = -1

        package init(attribute: AttributeUse? = nil, message: DeviceMessage?, advertiser: Int32 = -1) {
            self.attribute = attribute
            self.message = message
            self.advertiser = advertiser
        }
    }

    /// A value decoded by a plugin.
    package struct DeviceMessage {
        package let plugin: String
        package let layout: Layout
        /// The message's fields, as indices into `recorder.fields`.
        package let fields: Range<Int>

        package var name: String { layout.name }
        /// Display name of the message.
        package var title: String { layout.title }
    }

    package init() {}

    func reset() {
        recorder.reset()
        if !diagnoses.isEmpty { diagnoses.removeAll() }
        // Most frames concern no attribute, and the check costs less than storing nil over nil.
        if attribute != nil { attribute = nil }
        if message != nil { message = nil }
        if !values.isEmpty { values.removeAll() }
    }
}
