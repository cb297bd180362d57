import Yams

/// Makes our nodes of the library's, in the order of the document: resolves aliases, and finds keys that stand twice.
struct YAMLComposer {
    let source: YAMLSource
    let faults: FaultList
    private var anchors: [String: Measured] = [:]
    /// Nodes that aliases have added so far.
    private var added = 0

    /// A node, and what an alias of it brings.
    private struct Measured {
        var node: YAMLNode
        /// Nodes, with those in it.
        var count = 1
        /// Lists and mappings within each other; 0 for a scalar.
        var height = 0
    }

    init(_ source: YAMLSource, _ faults: FaultList) {
        self.source = source
        self.faults = faults
    }

    mutating func compose(_ root: Node) -> YAMLNode {
        compose(root, label: "", depth: 0).node
    }

    private mutating func compose(_ node: Node, label: String, depth: Int) -> Measured {
        let place = SourcePlace(node.mark)
        refuseTag(of: node, at: place)
        var measured: Measured
        switch node {
        case .scalar(let scalar):
            if scalar.style == .plain, let name = source.alias(scalar.string) {
                return expanded(name, label: label, at: place, depth: depth)
            }
            measured = Measured(node: YAMLNode(content: .scalar(text(scalar)), place: place, label: label))
        case .sequence, .mapping:
            measured = Measured(node: .nothing(at: place, label: label))
            guard depth < YAMLDocument.depthLimit else {
                faults.add("expected at most \(YAMLDocument.depthLimit) levels, found more", at: place)
                return measured
            }
            measured.node.content = content(node, label: label, depth: depth + 1, &measured)
            measured.height += 1
        case .alias:
            measured = Measured(node: .nothing(at: place, label: label))
        }
        if let anchor = node.anchor { anchors[source.restored(anchor.rawValue)] = measured }
        return measured
    }

    /// What is in a list or a mapping.
    private mutating func content(
        _ node: Node, label: String, depth: Int, _ whole: inout Measured
    ) -> YAMLNode.Content {
        func add(_ part: Measured) -> YAMLNode {
            whole.count += part.count
            whole.height = max(whole.height, part.height)
            return part.node
        }
        if let sequence = node.sequence {
            var elements: [YAMLNode] = []
            for element in sequence { elements.append(add(compose(element, label: label, depth: depth))) }
            return .list(elements)
        }
        var entries: [YAMLNode.Entry] = []
        var places: [String: SourcePlace] = [:]
        for (key, value) in node.mapping ?? [:] {
            let place = SourcePlace(key.mark)
            guard let scalar = key.scalar, scalar.style != .plain || source.alias(scalar.string) == nil else {
                faults.add("expected a key, found \(key.scalar == nil ? "a list or mapping" : "an alias")", at: place)
                continue
            }
            let name = text(scalar)
            let entry = add(compose(value, label: name.text, depth: depth))
            if let first = places.updateValue(place, forKey: name.text) {
                faults.add("\(name.text): stands here twice, first in line \(first.line)", at: place)
                places[name.text] = first
            } else {
                entries.append(YAMLNode.Entry(key: name, place: place, value: entry))
            }
        }
        return .mapping(entries)
    }

    private func text(_ scalar: Node.Scalar) -> YAMLNode.Scalar {
        var start = SourcePlace(scalar.mark)
        switch scalar.style {
        case .singleQuoted, .doubleQuoted: start.column += 1
        case .literal, .folded: start = source.blockStart(after: start.line)
        case .any, .plain: break
        }
        return YAMLNode.Scalar(
            text: source.restored(scalar.string), isPlain: scalar.style == .plain || scalar.style == .any, start: start)
    }

    /// What an alias stands for.
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
            faults.add("expected at most \(YAMLDocument.depthLimit) levels, found more", at: place)
            return nothing
        }
        measured.node.label = label
        return measured
    }

    /// Tags would change what a text means.
    private func refuseTag(of node: Node, at place: SourcePlace) {
        let tag = node.tag.description
        let usual: [Tag.Name] = [.implicit, .str, .seq, .map]
        if !usual.contains(where: { $0.rawValue == tag }) {
            faults.add("expected no tag, found \(tag.prefix(40)); what a text is, its key says", at: place)
        }
    }
}

extension YAMLNode {
    /// An empty text, where something could not be read.
    fileprivate static func nothing(at place: SourcePlace, label: String) -> YAMLNode {
        YAMLNode(content: .scalar(Scalar(text: "", isPlain: true, start: place)), place: place, label: label)
    }
}

extension SourcePlace {
    init(_ mark: Mark?) {
        self.init(line: mark?.line ?? 1, column: mark?.column ?? 1)
    }
}
