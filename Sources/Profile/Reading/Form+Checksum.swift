extension Form where Value == Checksum {
    /// A checksum that fits into `bytes` bytes.
    static func checksum(bytes: Int) -> Self {
        Form(mapping: "algorithm of a checksum, and the fields that it covers") { keys in
            let algorithm = algorithm(bytes: bytes, keys)
            let from = keys.take("from", .name)
            let to = keys.take("to", .name)
            return algorithm.map { Checksum($0, from: from, to: to) }
        }
    }

    /// A named algorithm, or one given by its parameters.
    private static func algorithm(bytes: Int, _ keys: Keys) -> Checksum.Algorithm? {
        let named = Checksum.Algorithm.named
        let operations = ["sum", "negated_sum", "xor", "crc"]
        let word = keys.require(
            "algorithm", Form<String>.word(operations.map { ($0, $0) } + named.map { ($0.name, $0.name) }))
        let number = Form<UInt64>.raw(bytes: bytes, signed: false)
        defer {
            keys.refuse(["polynomial", "reflected"], "belongs to the algorithm crc")
            keys.refuse(["initial", "final_xor"], "belongs to the algorithms sum, negated_sum, xor and crc")
        }
        guard let word else {
            keys.passOver()
            return nil
        }
        if let known = named.first(where: { $0.name == word })?.algorithm {
            if known.bytes != bytes {
                keys.report("expected u\(known.bytes * 8) for \(word), found u\(bytes * 8)", at: "algorithm")
            }
            return known
        }
        let operation: Checksum.Algorithm.Operation
        switch word {
        case "sum": operation = .sum
        case "negated_sum": operation = .negatedSum
        case "xor":
            if bytes != 1 { keys.report("expected u8 for xor, found u\(bytes * 8)", at: "algorithm") }
            operation = .xor
        default:
            let isReflected = keys.take("reflected", .boolean) ?? false
            guard let polynomial = keys.require("polynomial", number) else { return nil }
            operation = .crc(polynomial: polynomial, isReflected: isReflected)
        }
        return Checksum.Algorithm(
            operation, bytes: bytes, initial: keys.take("initial", number) ?? 0,
            finalXor: keys.take("final_xor", number) ?? 0)
    }
}

extension FaultList {
    /// Reports checksums over fields that do not precede them; `outer` is the discriminant before the fields.
    func reportChecksums(in fields: [FieldDefinition], after outer: String? = nil) {
        for (index, field) in fields.enumerated() {
            guard case .checksum(let checksum) = field.kind else { continue }
            let before = fields[..<index].map(\.name)
            let start = checksum.from.flatMap { from in before.firstIndex(of: from) }
            if let from = checksum.from, start == nil, from != outer {
                let known = (outer.map { [$0] } ?? []) + before
                add("checksum: no field \"\(from)\" before it\(Advice.meant(from, among: known))", at: field.place)
            }
            guard let to = checksum.to else { continue }
            if let end = before.firstIndex(of: to) {
                if end < start ?? 0 {
                    add("checksum: \"\(to)\" stands before \"\(checksum.from ?? "")\"", at: field.place)
                }
            } else {
                add("checksum: no field \"\(to)\" before it\(Advice.meant(to, among: before))", at: field.place)
            }
        }
    }
}
