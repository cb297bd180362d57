import Bytes
import Profile

extension CheckedValue {
    /// The values of an expression's terms: `battery = 101, u8(11) = 0xc0`.
    func account(of expression: Expression) -> String {
        var terms: [String] = []
        collect(expression.root, &terms)
        return terms.isEmpty ? "\(bytes.count) bytes" : terms.joined(separator: ", ")
    }

    /// Maximum number of terms; further ones are omitted.
    private static let termLimit = 8

    private func collect(_ node: Expression.Node, _ terms: inout [String]) {
        switch node {
        case .number, .real, .boolean, .text: return
        case .field(let path): add(path, value(at: path), &terms)
        case .length: add("length", String(bytes.count), &terms)
        case .load(let size, let offset): add(size, at: offset, &terms)
        case .written(let name, let offset):
            collect(offset, &terms)
            guard case .number(let number) = offset else { return }
            let byte = context.written(to: name, at: Int(clamping: number))
            add("written(\(name), \(number))", byte.map { String(hex: UInt32($0), digits: 2) } ?? "nothing", &terms)
        case .has(let name): add("has(\(name))", context.has(name).map(String.init) ?? "unknown", &terms)
        case .not(let node), .negate(let node): collect(node, &terms)
        case .isIn(let node, _): collect(node, &terms)
        case .binary(_, let one, let other):
            collect(one, &terms)
            collect(other, &terms)
        case .call(_, let arguments): for argument in arguments { collect(argument, &terms) }
        }
    }

    private func add(_ name: String, _ value: String, _ terms: inout [String]) {
        let term = "\(name) = \(value)"
        if !terms.contains(term), terms.count < Self.termLimit { terms.append(term) }
    }

    private func add(_ size: Int, at offset: Expression.Node, _ terms: inout [String]) {
        guard case .number(let number) = offset else { return collect(offset, &terms) }
        let start = Int(clamping: number)
        var value: UInt32?
        switch size {
        case 1: value = bytes.u8(start).map { UInt32($0) }
        case 2: value = bytes.u16(start).map { UInt32($0) }
        case 4: value = bytes.u32(start)
        default: return
        }
        add("u\(8 * size)(\(number))", value.map { "0x" + String(hex: $0, digits: 2 * size) } ?? "not there", &terms)
    }

    private func value(at path: String) -> String {
        let prefix = ExpressionProgram.Reference.requestPrefix
        if path.hasPrefix(prefix) {
            let names = path.dropFirst(prefix.count).split(separator: ".").map(String.init)
            return context.request?.value(at: names[...])?.words ?? "not known"
        }
        return reading?.text(path) ?? "not there"
    }
}
