/// Finds types that contain themselves, and types that become too large when nested types are expanded.
package struct NestingCheck {
    private let types: [TypeDefinition]
    private let index: TypeIndex
    private var sizes: [String: Int] = [:]
    private var depths: [String: Int] = [:]
    /// The types being visited, outermost first.
    private var path: [String] = []

    /// Maximum number of fields of a type after expansion, far above any real value.
    static let fieldLimit = 4096
    /// Maximum nesting of types.
    package static let depthLimit = 16

    init(_ types: [TypeDefinition]) {
        self.types = types
        index = TypeIndex(types)
    }

    func run(_ faults: FaultList) {
        var check = self
        for type in types { check.look(into: type, faults) }
    }

    private mutating func look(into type: TypeDefinition, _ faults: FaultList) {
        guard sizes[type.name] == nil else { return }
        path.append(type.name)
        var size = 0
        var depth = 0
        for field in type.allFields {
            size += 1
            guard case .type(let name) = field.kind, let inner = index[name] else { continue }
            if let start = path.firstIndex(of: name) {
                let way = (path[start...] + [name]).joined(separator: " → ")
                faults.add("\(field.name): a type cannot contain itself: \(way)", at: field.place)
                continue
            }
            if path.count < Self.depthLimit { look(into: inner, faults) }
            size += sizes[name] ?? 0
            depth = max(depth, (depths[name] ?? Self.depthLimit) + 1)
        }
        path.removeLast()
        if depth >= Self.depthLimit {
            faults.add("\(type.name): expected at most \(Self.depthLimit) types within each other", at: type.place)
        } else if size > Self.fieldLimit {
            faults.add(
                "\(type.name): expected at most \(Self.fieldLimit) fields with those of the types in it, found \(size)",
                at: type.place)
        }
        sizes[type.name] = min(size, Self.fieldLimit + 1)
        depths[type.name] = min(depth, Self.depthLimit)
    }
}

extension TypeDefinition {
    /// The type's fields, including those of all cases.
    package var allFields: [FieldDefinition] {
        switch form {
        case .structure(let fields): fields
        case .scalar(let field): [field]
        case .choice(let choice): [choice.discriminant] + choice.all.flatMap(\.fields)
        }
    }
}
