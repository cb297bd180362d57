import Bytes

/// Builds the nodes of a document from the library's events. Resolves aliases and reports duplicate keys.
struct YAMLComposer: ~Copyable {
    private var parser: YAMLParser
    private let faults: FaultList
    private let text: String
    /// Created for the first block scalar.
    private lazy var lines = SourceLines(text)
    private var anchors: [String: Measured] = [:]
    /// Number of nodes added by aliases so far.
    private var added = 0

    /// A node with its size, which an alias of it adds again.
    private struct Measured {
        var node: YAMLNode
        /// Number of nodes, including nested ones.
        var count = 1
        /// Nesting depth of lists and mappings; 0 for a scalar.
        var height = 0

        /// Adds a child.
        mutating func add(_ part: Measured) -> YAMLNode {
            count += part.count
            height = max(height, part.height + 1)
            return part.node
        }
    }

    init(_ text: String, _ faults: FaultList) {
        parser = YAMLParser(text)
        self.text = text
        self.faults = faults
    }

    /// The only document of the text.
    mutating func document() throws(Diagnostic) -> YAMLNode {
        guard case .documentStart = try parser.next().kind else {
            throw Diagnostic("expected a profile, found nothing", at: .start)
        }
        let root = try node(try parser.next(), label: "", depth: 0).node
        _ = try parser.next()
        let end = try parser.next()
        guard case .streamEnd = end.kind else {
            throw Diagnostic("expected the end of the document, found another document", at: end.place)
        }
        return root
    }

    /// The node that starts with an event.
    private mutating func node(_ event: YAMLEvent, label: String, depth: Int) throws(Diagnostic) -> Measured {
        refuseTag(of: event)
        var measured = Measured(node: .nothing(at: event.place, label: label))
        switch event.kind {
        case .alias(let name): return expanded(name, label: label, at: event.place, depth: depth)
        case .listStart: measured.node.content = try list(label: label, depth: depth + 1, at: event.place, &measured)
        case .mappingStart: measured.node.content = try mapping(depth: depth + 1, at: event.place, &measured)
        default: if let scalar = scalar(event) { measured.node.content = .scalar(scalar) }
        }
        if let anchor = event.anchor { anchors[anchor] = measured }
        return measured
    }

    private mutating func list(
        label: String, depth: Int, at place: SourcePlace, _ whole: inout Measured
    ) throws(Diagnostic) -> YAMLNode.Content {
        try Self.checkDepth(depth, at: place)
        whole.height = 1
        var elements: [YAMLNode] = []
        while true {
            let event = try parser.next()
            if case .end = event.kind { return .list(elements) }
            elements.append(whole.add(try node(event, label: label, depth: depth)))
        }
    }

    private mutating func mapping(
        depth: Int, at place: SourcePlace, _ whole: inout Measured
    ) throws(Diagnostic) -> YAMLNode.Content {
        try Self.checkDepth(depth, at: place)
        whole.height = 1
        var entries: [YAMLNode.Entry] = []
        var places: [String: SourcePlace] = [:]
        while true {
            let event = try parser.next()
            if case .end = event.kind { return .mapping(entries) }
            guard let key = scalar(event) else {
                try skipKey(event, depth: depth)
                continue
            }
            refuseTag(of: event)
            if let anchor = event.anchor {
                anchors[anchor] = Measured(node: YAMLNode(content: .scalar(key), place: event.place, label: ""))
            }
            let value = whole.add(try node(try parser.next(), label: key.text, depth: depth))
            if let first = places[key.text] {
                faults.add("\(key.text): stands here twice, first in line \(first.line)", at: event.place)
            } else {
                places[key.text] = event.place
                entries.append(YAMLNode.Entry(key: key, place: event.place, value: value))
            }
        }
    }

    /// Reports a key that is not a scalar, and skips it and its value.
    private mutating func skipKey(_ event: YAMLEvent, depth: Int) throws(Diagnostic) {
        var found = "a list or mapping"
        if case .alias = event.kind { found = "an alias" }
        faults.add("expected a key, found \(found)", at: event.place)
        if case .alias = event.kind {} else { _ = try node(event, label: "", depth: depth) }
        _ = try node(try parser.next(), label: "", depth: depth)
    }

    /// The scalar of an event; nil for other events.
    private mutating func scalar(_ event: YAMLEvent) -> YAMLNode.Scalar? {
        guard case .scalar(let text, let isPlain, let start) = event.kind else { return nil }
        var place = event.place
        switch start {
        case .here: break
        case .behindQuote: place.column += 1
        case .inNextLine: place = lines.blockStart(after: place.line)
        }
        return YAMLNode.Scalar(text: text, isPlain: isPlain, start: place)
    }

    /// The node that an alias refers to.
    private mutating func expanded(_ name: String, label: String, at place: SourcePlace, depth: Int) -> Measured {
        let nothing = Measured(node: .nothing(at: place, label: label))
        guard var measured = anchors[name] else {
            faults.add(
                "there is no anchor &\(name) before this\(Advice.meant(name, among: Array(anchors.keys)))", at: place)
            return nothing
        }
        added += measured.count
        guard added <= YAMLDocument.aliasLimit else {
            faults.add("aliases stand for more than \(YAMLDocument.aliasLimit) nodes", at: place)
            return nothing
        }
        guard depth + measured.height <= YAMLDocument.depthLimit else {
            faults.add(Self.depthFault, at: place)
            return nothing
        }
        measured.node.label = label
        return measured
    }

    /// The library takes quadratic time for nested lists, so reading stops at the limit.
    private static func checkDepth(_ depth: Int, at place: SourcePlace) throws(Diagnostic) {
        if depth > YAMLDocument.depthLimit { throw Diagnostic(depthFault, at: place) }
    }

    private static let depthFault = "expected at most \(YAMLDocument.depthLimit) levels, found more"

    /// Rejects tags, which would change the meaning of a scalar.
    private func refuseTag(of event: YAMLEvent) {
        guard let tag = event.tag, !["str", "seq", "map"].map({ "tag:yaml.org,2002:\($0)" }).contains(tag) else {
            return
        }
        faults.add("expected no tag, found \(tag.prefix(40)); what a text is, its key says", at: event.place)
    }
}

extension YAMLNode {
    /// An empty scalar, in place of a node that could not be read.
    fileprivate static func nothing(at place: SourcePlace, label: String) -> YAMLNode {
        YAMLNode(content: .scalar(Scalar(text: "", isPlain: true, start: place)), place: place, label: label)
    }
}
