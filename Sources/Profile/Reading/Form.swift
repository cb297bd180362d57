/// How a node of the document becomes a value, and how people call what is expected there.
///
/// A form reports what is wrong and returns nil; the caller goes on, so that one reading finds all faults.
package struct Form<Value> {
    /// What belongs there: `a whole number from 1 to 100`. The text is made when a message needs it.
    package var expected: String { describe() }
    private let describe: () -> String
    private let body: (YAMLNode, FaultList) -> Value?

    package init(_ expected: @autoclosure @escaping () -> String, _ body: @escaping (YAMLNode, FaultList) -> Value?) {
        describe = expected
        self.body = body
    }

    package func read(_ node: YAMLNode, _ faults: FaultList) -> Value? {
        body(node, faults)
    }

    /// A form of a single text, which is either right or not as expected.
    package init(
        scalar expected: @autoclosure @escaping () -> String, _ parse: @escaping (YAMLNode.Scalar) -> Value?
    ) {
        self.init(expected()) { node, faults in
            if let scalar = node.scalar, !scalar.isNothing, let value = parse(scalar) { return value }
            faults.add("expected \(expected()), found \(node.described)", at: node)
            return nil
        }
    }

    /// A form of a text that is not in quotes: a number, `true`, `rest`.
    init(plain expected: @autoclosure @escaping () -> String, _ parse: @escaping (String) -> Value?) {
        self.init(scalar: expected()) { $0.isPlain ? parse($0.text) : nil }
    }

    /// A mapping, whose keys `body` takes; keys that it does not take are faults.
    package init(mapping expected: String = "a mapping", _ body: @escaping (Keys) -> Value?) {
        self.init(expected) { node, faults in
            guard case .mapping(let entries) = node.content else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            let keys = Keys(entries, of: node, faults)
            let value = body(keys)
            keys.reportOthers()
            return value
        }
    }

    package func map<Other>(_ transform: @escaping (Value) -> Other) -> Form<Other> {
        Form<Other>(describe()) { node, faults in body(node, faults).map(transform) }
    }

    /// Lists become one value, everything else the other.
    package static func either(_ one: Form<Value>, orList other: Form<Value>) -> Form<Value> {
        Form("\(one.expected) or \(other.expected)") { node, faults in
            if case .list = node.content { return other.read(node, faults) }
            return one.read(node, faults)
        }
    }
}

extension Form {
    /// A list; elements that are wrong are left out.
    package static func list<Element>(of element: Form<Element>) -> Form<[Element]> where Value == [Element] {
        Form<[Element]>("a list") { node, faults in
            switch node.content {
            case .list(let nodes): return nodes.compactMap { element.read($0, faults) }
            case .scalar(let scalar):
                let advice = scalar.isNothing ? "" : "; a list of one is [\(scalar.text)]"
                faults.add("expected a list, found \(node.described)\(advice)", at: node)
            case .mapping:
                faults.add("expected a list, found a mapping; each element begins with \"- \"", at: node)
            }
            return nil
        }
    }

    /// A mapping whose keys are names or numbers of the file's own; entries that are wrong are left out.
    package static func entries<Key, Content>(
        _ expected: String, _ key: Form<Key>, _ content: Form<Content>
    ) -> Form<[(key: Key, value: Content, place: SourcePlace)]>
    where Value == [(key: Key, value: Content, place: SourcePlace)] {
        Form(expected) { node, faults in
            guard case .mapping(let entries) = node.content else {
                faults.add("expected \(expected), found \(node.described)", at: node)
                return nil
            }
            return entries.compactMap { entry in
                let name = YAMLNode(content: .scalar(entry.key), place: entry.place, label: node.label)
                let value = content.read(entry.value, faults)
                guard let key = key.read(name, faults), let value else { return nil }
                return (key, value, entry.place)
            }
        }
    }
}
