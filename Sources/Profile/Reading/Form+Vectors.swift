// Section `vectors`.

extension ValueForms {
    /// An element of section `vectors`.
    var vector: Form<Vector> {
        Form(mapping: "a vector") { keys in
            let id = keys.require("id", .identifier)
            let type = keys.require("type", knownType)
            let bytes = keys.require("hex", .vectorBytes)
            let doc = keys.take("doc", .text)
            guard let type else {
                keys.passOver()
                return nil
            }
            let value = value(of: type)
            let expectation = keys.one(
                of: "what the bytes mean",
                [
                    ("value", value.map { Vector.Expectation.value($0) }),
                    ("decodes_to", value.map { .decoded($0) }),
                    ("error", Form<String>.text.map { .error($0) }),
                ])
            guard let id, let bytes, let expectation else { return nil }
            var vector = Vector(id: id, type: type, bytes: bytes, expectation: expectation, place: keys.place)
            vector.doc = doc
            return vector
        }
    }

    /// The name of one of the profile's types.
    var knownType: Form<String> {
        Form("the name of a type") { node, faults in
            guard let name = Form<String>.name.read(node, faults) else { return nil }
            if types[name] != nil || faults.wrongTypes.contains(name) { return name }
            let meant = Advice.meant(name, among: types.allNames)
            faults.add("expected the name of a type, found \(node.described)\(meant)", at: node)
            return nil
        }
    }
}

extension Form where Value == [UInt8] {
    fileprivate static var vectorBytes: Self {
        Form(bytes.expected) { node, faults in
            if let scalar = node.scalar, !scalar.isPlain, scalar.text.isEmpty { return [] }
            return bytes.read(node, faults)
        }
    }
}
