package import PluginKit
package import Profile

/// What following a device's values has found out about one frame: what the value's own bytes do not tell.
package struct ApplicationFacts: Sendable {
    /// The form of the value, where that depends on what came before; nil where the value itself tells.
    package internal(set) var layout: Layout?
    /// Messages that end in this value; their bytes are in the frame's SDU.
    package internal(set) var messages: [AssembledMessage] = []
    /// What the plugin's behaviour says of the value.
    package var annotations: [Annotation] = []
    /// What is wrong with the messages that the value is a part of.
    package var faults: [String] = []
    /// The request that the value answers, where its profile asks for that.
    package internal(set) var request: Value?

    /// What tells a value from all others of a capture.
    package struct ValueNumber: Comparable, Sendable {
        /// The frame that completes it.
        package let frame: Int
        /// Which of the frame's values it is, from 0.
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

/// What was found out about the values of a batch, in the order in which they come.
package struct ApplicationFactsList: Sendable {
    private var numbers: [ApplicationFacts.ValueNumber] = []
    private var facts: [ApplicationFacts] = []

    package init() {}

    var isEmpty: Bool { numbers.isEmpty }

    /// What was found out about a value; nil where it is not more than its bytes tell.
    package subscript(number: ApplicationFacts.ValueNumber) -> ApplicationFacts? {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number ? facts[low] : nil
    }

    /// The same of values that are asked for in their order: `next` is where those begin that come after the last one.
    func facts(of number: ApplicationFacts.ValueNumber, from next: inout Int) -> ApplicationFacts? {
        while next < numbers.count, numbers[next] < number { next += 1 }
        return next < numbers.count && numbers[next] == number ? facts[next] : nil
    }

    /// Takes in a value that comes after all others.
    mutating func append(_ found: ApplicationFacts, _ number: ApplicationFacts.ValueNumber) {
        numbers.append(number)
        facts.append(found)
    }

    mutating func removeAll() {
        numbers.removeAll(keepingCapacity: true)
        facts.removeAll(keepingCapacity: true)
    }
}

/// A message of the application that was put together from several values.
package struct AssembledMessage: Sendable {
    /// Its name in the profile.
    package let name: String
    /// Its form.
    package let layout: Layout
    /// The request that it answers, where its profile asks for that.
    package let request: Value?
    /// Frames that it came in.
    package let frames: [Int]
    /// Where its bytes are in the SDU of the frame that ends it.
    package let place: Range<Int>
}
