/// A parser for a node of the document, with a description of the content expected there.
///
/// A form reports faults and returns nil. The caller continues, so that one pass finds all faults.
package struct Form<Value> {
    /// The expected content: `a whole number from 1 to 100`. The text is created on demand.
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

    /// A form for a scalar that is either valid or not as expected.
    package init(
        scalar expected: @autoclosure @escaping () -> String, _ parse: @escaping (YAMLNode.Scalar) -> Value?
    ) {
        self.init(expected()) { node, faults in
            if let scalar = node.scalar, !scalar.isNothing, let value = parse(scalar) { return value }
            faults.add("expected \(expected()), found \(node.described)", at: node)
            return nil
        }
    }

    /// A form for an unquoted scalar: a number, `true`, `rest`.
    init(plain expected: @autoclosure @escaping () -> String, _ parse: @escaping (String) -> Value?) {
        self.init(scalar: expected()) { $0.isPlain ? parse($0.text) : nil }
    }

    /// A mapping whose keys `body` reads; other keys are faults.
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

    /// Reads lists with `other` and all other nodes with `one`.
    package static func either(_ one: Form<Value>, orList other: Form<Value>) -> Form<Value> {
        Form("\(one.expected) or \(other.expected)") { node, faults in
            if case .list = node.content { return other.read(node, faults) }
            return one.read(node, faults)
        }
    }
}

extension Form {
    /// A list; invalid elements are left out.
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

    /// A mapping with user-defined names or numbers as keys; invalid entries are left out.
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
