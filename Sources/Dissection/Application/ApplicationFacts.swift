import PluginKit

/// What following a device's values has found out about one frame: what the value's own bytes do not tell.
package struct ApplicationFacts: Sendable {
    /// The form of the value, where that depends on what came before; nil where the value itself tells.
    var layout: Layout?
    /// The message that ends with this frame, in several values; its bytes are the frame's SDU.
    var message: AssembledMessage?
    /// What the plugin's behaviour says of the value.
    var annotations: [Annotation] = []
    /// Something wrong with the message that the value is a part of.
    var fault: String?

    /// What tells a value from all others of a capture.
    package struct ValueNumber: Hashable, Sendable {
        /// The frame that completes it.
        let frame: Int
        /// Which of the frame's values it is, from 0.
        let value: Int
    }

    var isEmpty: Bool { layout == nil && message == nil && annotations.isEmpty && fault == nil }
}

/// A message of the application that was put together from several values.
struct AssembledMessage: Sendable {
    /// Its form.
    let layout: Layout
    /// Frames that it came in.
    let frames: [Int]
    /// Where its bytes are in the SDU of the frame that ends it.
    let place: Range<Int>
}
