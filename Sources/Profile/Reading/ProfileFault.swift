public import Bytes

extension Diagnostic {
    /// An error in a profile's file: the actual content, the expected content, and a suggestion if any.
    package init(_ text: String, at place: SourcePlace) {
        self.init(.error, at: .text(line: place.line, column: place.column), text)
    }

    /// The position in the profile's file.
    package var place: SourcePlace {
        if case .text(let line, let column) = location { SourcePlace(line: line, column: column) } else { .start }
    }
}

/// All faults of a profile's file, in file order.
public struct ProfileFaults: Error, Hashable, Sendable {
    /// Path of the file, for diagnostics.
    public var file: String
    public var faults: [Diagnostic]

    public init(file: String, _ faults: [Diagnostic]) {
        self.file = file
        self.faults = faults.sorted { $0.place < $1.place }
    }
}

extension ProfileFaults: CustomStringConvertible {
    /// One line per fault: `file:line:column: error: text`.
    public var description: String { faults.map { $0.line(in: file) }.joined(separator: "\n") }
}

extension SourcePlace: CustomStringConvertible {
    public var description: String { "\(line):\(column)" }
}

/// Collects the faults of one file.
package final class FaultList {
    package private(set) var faults: [Diagnostic] = []
    /// Types with faults. Their values are not checked: further diagnostics would follow from those faults.
    private(set) var wrongTypes: Set<String> = []
    /// Maximum number of faults listed: a file with more is no profile.
    static let limit = 200

    package init() {}

    package var isEmpty: Bool { faults.isEmpty }

    package func add(_ text: String, at place: SourcePlace) {
        guard faults.count < Self.limit else { return }
        let fault = Diagnostic(text, at: place)
        // An alias leads to the same node being read twice.
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// Reads a type and records it in `wrongTypes` if it has faults.
    func noting<Value>(type name: String, _ read: () -> Value?) -> Value? {
        let before = faults.count
        let value = read()
        if value == nil || faults.count > before { wrongTypes.insert(name) }
        return value
    }

    /// Adds a fault of a node, prefixed with the node's key.
    package func add(_ text: String, at node: YAMLNode) {
        add(node.label.isEmpty ? text : "\(node.label): \(text)", at: node.place)
    }
}
