import Foundation
import FoundationXML

/// An element of an XML document, parsed by an independent XML parser.
final class XMLNode {
    let name: String
    let attributes: [String: String]
    var children: [XMLNode] = []
    var text = ""

    init(name: String, attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// The root of a document; nil if it is not well formed.
    static func read(_ text: String) -> XMLNode? {
        let reader = Reader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        return parser.parse() && reader.open.isEmpty ? reader.root : nil
    }

    subscript(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: XMLNode?
        var open: [XMLNode] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            let node = XMLNode(name: name, attributes: attributes)
            open.last?.children.append(node)
            if open.isEmpty { root = node }
            open.append(node)
        }

        func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
            open.removeLast()
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { open.last?.text += text }
    }
}

/// The requirements on JUnit XML by Ant's schema and by that of Jenkins' xunit plugin: the stricter of the two for each
/// element, rewritten.
enum JUnitSchema {
    /// An element: the types of its attributes, and the order and number of its children.
    private struct Element {
        var required: [String: Kind] = [:]
        var optional: [String: Kind] = [:]
        var children: [(names: Set<String>, count: ClosedRange<Int>)] = []
        var hasText = false
    }

    private enum Kind {
        case text, token, number, decimal, time

        func holds(_ value: String) -> Bool {
            switch self {
            case .text: true
            // An xs:token of at least one character after whitespace is collapsed.
            case .token: value.contains { !$0.isWhitespace }
            case .number: value.wholeMatch(of: #/[0-9]+/#) != nil
            case .decimal: value.wholeMatch(of: #/[0-9]{1,3}(\.[0-9]*)?/#) != nil
            case .time: value.wholeMatch(of: #/[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]/#) != nil
            }
        }
    }

    private static let elements: [String: Element] = [
        "testsuites": Element(children: [(["testsuite"], 0...Int.max)]),
        "testsuite": Element(
            required: [
                "name": .token, "package": .token, "id": .number, "tests": .number, "failures": .number,
                "errors": .number, "timestamp": .time, "hostname": .token, "time": .decimal,
            ],
            optional: ["skipped": .number],
            children: [
                (["properties"], 1...1), (["testcase"], 0...Int.max), (["system-out"], 1...1), (["system-err"], 1...1),
            ]),
        "properties": Element(children: [(["property"], 0...Int.max)]),
        "property": Element(required: ["name": .token, "value": .text]),
        "testcase": Element(
            required: ["name": .token, "classname": .token, "time": .decimal],
            children: [(["skipped", "error", "failure"], 0...1)]),
        "failure": Element(required: ["type": .text], optional: ["message": .text], hasText: true),
        "error": Element(required: ["type": .text], optional: ["message": .text], hasText: true),
        "skipped": Element(optional: ["type": .text, "message": .text], hasText: true),
        "system-out": Element(hasText: true),
        "system-err": Element(hasText: true),
    ]

    /// The faults of a document; empty if it is valid.
    static func faults(in text: String) -> [String] {
        guard let root = XMLNode.read(text) else { return ["not well-formed XML"] }
        guard root.name == "testsuites" else { return ["the root is \(root.name)"] }
        var faults: [String] = []
        check(root, &faults)
        for (number, suite) in root.children.enumerated() { checkCounts(of: suite, number, &faults) }
        return faults
    }

    private static func check(_ node: XMLNode, _ faults: inout [String]) {
        guard let element = elements[node.name] else { return faults.append("no element \(node.name)") }
        for (name, kind) in element.required {
            guard let value = node.attributes[name] else {
                faults.append("\(node.name) without \(name)")
                continue
            }
            if !kind.holds(value) { faults.append("\(node.name) \(name): \(value)") }
        }
        for (name, value) in node.attributes where element.required[name] == nil {
            guard let kind = element.optional[name] else {
                faults.append("\(node.name) with \(name)")
                continue
            }
            if !kind.holds(value) { faults.append("\(node.name) \(name): \(value)") }
        }
        if !element.hasText, node.text.contains(where: { !$0.isWhitespace }) { faults.append("text in \(node.name)") }
        var rest = node.children[...]
        for part in element.children {
            let matching = rest.prefix { part.names.contains($0.name) }
            if !part.count.contains(matching.count) { faults.append("\(matching.count) \(part.names) in \(node.name)") }
            rest = rest.dropFirst(matching.count)
        }
        if let next = rest.first { faults.append("\(next.name) at a wrong place in \(node.name)") }
        for child in node.children { check(child, &faults) }
    }

    /// Constraints beyond the schemas: counts match the cases, IDs the position, and names are unique.
    private static func checkCounts(of suite: XMLNode, _ number: Int, _ faults: inout [String]) {
        let cases = suite["testcase"]
        let counts = [
            "id": number, "tests": cases.count, "failures": cases.count { !$0["failure"].isEmpty },
            "errors": cases.count { !$0["error"].isEmpty }, "skipped": cases.count { !$0["skipped"].isEmpty },
        ]
        for (name, count) in counts where suite.attributes[name] != "\(count)" {
            faults.append("testsuite \(name): \(suite.attributes[name] ?? "none") for \(count)")
        }
        let names = cases.map { "\($0.attributes["classname"] ?? "") \($0.attributes["name"] ?? "")" }
        if Set(names).count != names.count { faults.append("two cases of one name") }
    }
}
