/// The source texts of a profile's types, each parsed and compiled separately.
struct TypeTexts: Sendable {
    /// Prefix of the field names.
    let plugin: String
    private let parts: [String: ProfileText.Part]
    private let names: [String]

    init(_ types: [ProfileText.Part], of plugin: String) {
        self.plugin = plugin
        parts = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
        names = types.map(\.name)
    }

    /// Layouts of all types, compiled lazily.
    var layouts: [String: Layout] {
        Dictionary(
            names.enumerated().map { index, name in (name, Layout(name: name, index: index) { program(of: name) }) }
        ) { first, _ in first }
    }

    /// Parses and compiles a type together with its nested types; an invalid type yields an empty program.
    private func program(of name: String) -> LayoutProgram {
        let faults = FaultList()
        var definitions: [String: TypeDefinition] = [:]
        var open = [name]
        while let next = open.popLast() {
            guard definitions[next] == nil, let part = parts[next],
                let definition = YAMLDocument.read(part.text, faults).flatMap({
                    Form.types(among: names).read($0, faults)?.first
                })
            else { continue }
            definitions[next] = definition
            for case .type(let inner) in definition.allFields.map(\.kind) { open.append(inner) }
        }
        var compiler = LayoutCompiler(
            plugin: plugin, types: definitions, faults: faults, budget: LayoutProgram.sizeLimit)
        guard faults.isEmpty, let type = definitions[name], let program = compiler.compile(type) else {
            return .nothing(named: name, of: plugin)
        }
        return program
    }
}
