package import Bytes
package import GATT

/// One frame in full: its field tree, what is wrong with it, and what it means for the application.
///
/// It is reused from frame to frame; what it holds is valid until the next one is dissected into it.
package final class DissectedFrame {
    package let recorder = FieldRecorder()
    package internal(set) var diagnoses: [Diagnosis] = []
    /// The attribute that it is about; nil for frames that are about none.
    package internal(set) var attribute: AttributeUse?
    /// The plugin's reading of the attribute's value.
    package internal(set) var message: DeviceMessage?

    var names = AttributeNames()

    /// An attribute as a frame uses it.
    package struct AttributeUse {
        package var attribute: GATT.Attribute
        package var confidence: GATT.Confidence
        /// Name of the service; nil where it is not known.
        package var service: String?
        /// Name of the characteristic that a descriptor belongs to; nil for other attributes.
        package var owner: String?
        /// Name of the characteristic, or of the descriptor; nil where it is not known.
        package var name: String?
        /// Where the value lies; nil where the frame carries none.
        package var value: RecordedField?
    }

    /// A value that a plugin understood.
    package struct DeviceMessage {
        package var plugin: String
        package var name: String
        /// Its fields, as indices into `recorder.fields`.
        package var fields: Range<Int>
    }

    package init() {}

    func reset() {
        recorder.reset()
        if !diagnoses.isEmpty { diagnoses.removeAll() }
        // Most frames are about no attribute, and asking costs less than storing nil over nil.
        if attribute != nil { attribute = nil }
        if message != nil { message = nil }
    }
}
