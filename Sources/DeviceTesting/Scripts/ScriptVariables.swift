import Bytes
import Profile

extension ScriptCase {
    /// The initial values of the variables.
    func variables(_ faults: FaultList) -> [String: String] {
        derived.reduce(into: parameters) { variables, one in
            variables[one.name] = one.value.substituting(variables, faults).scalar?.text
        }
    }
}

extension YAMLNode {
    /// The node with `$name` and `$(expression)` substituted in every text; unknown variables are faults.
    func substituting(_ variables: [String: String], _ faults: FaultList) -> YAMLNode {
        var node = self
        switch content {
        case .scalar(var scalar):
            guard scalar.text.contains("$") else { return self }
            scalar.text = scalar.text.substituting(variables) { faults.add($0, at: self) }
            node.content = .scalar(scalar)
        case .list(let nodes): node.content = .list(nodes.map { $0.substituting(variables, faults) })
        case .mapping(let entries):
            // The steps of a loop have separate variables, and are read when they run.
            let isLoop = entries.contains { ["repeat", "until_lost"].contains($0.key.text) }
            node.content = .mapping(
                entries.map { entry in
                    var entry = entry
                    if !(isLoop && ["steps", "until_lost"].contains(entry.key.text)) {
                        entry.value = entry.value.substituting(variables, faults)
                    }
                    return entry
                })
        }
        return node
    }
}

extension String {
    fileprivate func substituting(_ variables: [String: String], _ fault: (String) -> Void) -> String {
        var output = ""
        var rest = self[...]
        while let dollar = rest.firstIndex(of: "$") {
            output += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "(", let end = rest.firstIndex(of: ")", matching: "(") {
                let inner = String(rest[rest.index(after: rest.startIndex)..<end])
                    .substituting(variables, fault)
                output += Self.evaluated(inner, fault)
                rest = rest[rest.index(after: end)...]
                continue
            }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(name.count)
            if let value = variables[String(name)] {
                output += value
            } else {
                fault("there is no variable \"$\(name)\"; \"for\" and \"keep\" make some")
                output += "1"
            }
        }
        return output + rest
    }

    /// The value of an expression without fields.
    private static func evaluated(_ text: String, _ fault: (String) -> Void) -> String {
        do throws(ExpressionFault) {
            let expression = try Expression(parsing: text, at: SourcePlace(line: 1, column: 1))
            let bytes: [UInt8] = []
            switch expression.evaluate(over: bytes.span.rawBytes, in: NoFields(NoContext())) {
            case .integer(let number): return "\(number)"
            case .real(let number): return "\(number)"
            default: fault("\"\(text)\" has no value")
            }
        } catch {
            fault(error.text)
        }
        return "1"
    }
}

extension Substring {
    /// The index of the parenthesis that closes the one at the beginning.
    fileprivate func firstIndex(of end: Character, matching begin: Character) -> Index? {
        var depth = 0
        for index in indices {
            if self[index] == begin { depth += 1 }
            if self[index] == end {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }
}
