public import Bytes

extension Diagnostic {
    /// Something wrong in a profile's file: what was found, what was expected, what may have been meant.
    package init(_ text: String, at place: SourcePlace) {
        self.init(.error, at: .text(line: place.line, column: place.column), text)
    }

    /// The place in a profile's file.
    package var place: SourcePlace {
        if case .text(let line, let column) = location { SourcePlace(line: line, column: column) } else { .start }
    }
}

/// All that is wrong with a profile's file, in the order of the file.
public struct ProfileFaults: Error, Hashable, Sendable {
    /// The file's path, as it is named in messages.
    public var file: String
    public var faults: [Diagnostic]

    public init(file: String, _ faults: [Diagnostic]) {
        self.file = file
        self.faults = faults.sorted { $0.place < $1.place }
    }
}

extension ProfileFaults: CustomStringConvertible {
    /// A line for each fault: `file:line:column: error: text`.
    public var description: String { faults.map { $0.line(in: file) }.joined(separator: "\n") }
}

extension SourcePlace: CustomStringConvertible {
    public var description: String { "\(line):\(column)" }
}

/// The faults found so far; one for all that read the same file.
package final class FaultList {
    package private(set) var faults: [Diagnostic] = []
    /// Types that have faults. Values of them are not checked: further diagnostics would follow from those faults.
    private(set) var wrongTypes: Set<String> = []
    /// Further faults are not listed: a file with that many is no profile.
    static let limit = 200

    package init() {}

    package var isEmpty: Bool { faults.isEmpty }

    package func add(_ text: String, at place: SourcePlace) {
        guard faults.count < Self.limit else { return }
        let fault = Diagnostic(text, at: place)
        // An alias reads the same node again.
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Reads a type, and notes whether it has faults.
    func noting<Value>(type name: String, _ read: () -> Value?) -> Value? {
        let before = faults.count
        let value = read()
        if value == nil || faults.count > before { wrongTypes.insert(name) }
        return value
    }

    /// A fault of a node, after the key that it stands under.
    package func add(_ text: String, at node: YAMLNode) {
        add(node.label.isEmpty ? text : "\(node.label): \(text)", at: node.place)
    }
}
