package import PluginKit
package import Profile

/// Application tracking results for one value: information beyond the value's own bytes.
package struct ApplicationFacts: Sendable {
    /// The layout of the value, where that depends on earlier traffic; nil where the value itself determines it.
    package internal(set) var layout: Layout?
    /// Messages that end in this value; their bytes are in the frame's SDU.
    package internal(set) var messages: [AssembledMessage] = []
    /// Annotations of the value by the plugin's behaviour.
    package var annotations: [Annotation] = []
    /// Faults in the messages that the value is a part of.
    package var faults: [String] = []
    /// The request that the value answers, if its profile uses that.
    package internal(set) var request: Value?

    /// Identifies a value in a capture.
    package struct ValueNumber: Comparable, Sendable {
        /// The frame that completes it.
        package let frame: Int
        /// Index among the frame's values, from 0.
        package let value: Int

        package init(frame: Int, value: Int) {
            self.frame = frame
            self.value = value
        }

        package static func < (one: Self, other: Self) -> Bool {
            one.frame == other.frame ? one.value < other.value : one.frame < other.frame
        }
    }

    var isEmpty: Bool {
        layout == nil && messages.isEmpty && annotations.isEmpty && faults.isEmpty && request == nil
    }
}

/// Application tracking results for the values of a batch, in their order.
package struct ApplicationFactsList: Sendable {
    private var numbers: [ApplicationFacts.ValueNumber] = []
    private var metadata: [ApplicationFacts] = []

    package init() {}

    var isEmpty: Bool { numbers.isEmpty }

    /// The results for a value; nil if there are none.
    package subscript(number: ApplicationFacts.ValueNumber) -> ApplicationFacts? {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number ? metadata[low] : nil
    }

    /// The results for a value, if values are requested in order: `next` is the index of the first value after the
    /// previous one.
    func metadata(of number: ApplicationFacts.ValueNumber, from next: inout Int) -> ApplicationFacts? {
        while next < numbers.count, numbers[next] < number { next += 1 }
        return next < numbers.count && numbers[next] == number ? metadata[next] : nil
    }

    /// Appends the results for a value, which must come after all others.
    mutating func append(_ found: ApplicationFacts, _ number: ApplicationFacts.ValueNumber) {
        numbers.append(number)
        metadata.append(found)
    }

    mutating func removeAll() {
        numbers.removeAll(keepingCapacity: true)
        metadata.removeAll(keepingCapacity: true)
    }
}

/// An application message that was assembled from several values.
package struct AssembledMessage: Sendable {
    /// Its name in the profile.
    package let name: String
    package let layout: Layout
    /// The request that it answers, if its profile uses that.
    package let request: Value?
    /// Frames that carried it.
    package let frames: [Int]
    /// Range of its bytes in the SDU of the frame that ends it.
    package let place: Range<Int>
}
