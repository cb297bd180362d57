package import PluginKit

/// What following a device's values has found out about one frame: what the value's own bytes do not tell.
package struct ApplicationFacts: Sendable {
    /// The form of the value, where that depends on what came before; nil where the value itself tells.
    package internal(set) var layout: Layout?
    /// The message that ends with this frame, in several values; its bytes are the frame's SDU.
    package internal(set) var message: AssembledMessage?
    /// What the plugin's behaviour says of the value.
    var annotations: [Annotation] = []
    /// Something wrong with the message that the value is a part of.
    var fault: String?

    /// What tells a value from all others of a capture.
    package struct ValueNumber: Hashable, Sendable {
        /// The frame that completes it.
        package let frame: Int
        /// Which of the frame's values it is, from 0.
        package let value: Int

        package init(frame: Int, value: Int) {
            self.frame = frame
            self.value = value
        }

        /// Few frames have several values.
        package func hash(into hasher: inout Hasher) { hasher.combine(frame) }
    }

    var isEmpty: Bool { layout == nil && message == nil && annotations.isEmpty && fault == nil }
}

/// A message of the application that was put together from several values.
package struct AssembledMessage: Sendable {
    /// Its name in the profile.
    package let name: String
    /// Its form.
    package let layout: Layout
    /// Frames that it came in.
    package let frames: [Int]
    /// Where its bytes are in the SDU of the frame that ends it.
    package let place: Range<Int>
}
