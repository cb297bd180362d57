import Profile

/// Converts structs to profile types, with the field offsets of a C compiler.
struct CTypeMaker {
    private let found: CDeclarations
    private(set) var types: [DraftType] = []
    private(set) var notes: [CNote]
    /// Type names of top-level structs.
    private(set) var wholes: [String] = []
    /// A sample of zero bytes for each top-level struct.
    private(set) var samples: [ProfileDraft.Sample] = []
    private var layouts: [Int: CLayout] = [:]
    /// Names of the fields that have a struct as their type, used to name anonymous structs.
    private var users: [Int: String] = [:]
    private var enumerationNames: [Int: String] = [:]
    private var names: Set<String> = []
    /// Maximum length of an attribute value (Vol 3, Part F, 3.2.9) and of a reassembled message, in bytes.
    private static let (valueLimit, sizeLimit) = (512, 0xFFFF)

    init(_ found: CDeclarations) {
        self.found = found
        notes = found.notes
    }

    /// Name, size and alignment of a struct, in bytes.
    private struct CLayout {
        var name: String
        /// Nil if the struct ends in a flexible array member.
        var size: Int?
        /// Size without a flexible array member.
        var least: Int
        var alignment: Int
    }

    mutating func makeAll() {
        for structure in found.structures where !structure.isBroken {
            for field in structure.fields { if case .structure(let index) = field.type { users[index] = field.name } }
        }
        // Nested structs are created with their parents. Anonymous structs have no type of their own.
        for index in found.structures.indices where users[index] == nil && !found.structures[index].name.isEmpty {
            guard let layout = make(index) else { continue }
            wholes.append(layout.name)
            if layout.least <= Self.valueLimit {
                samples.append(ProfileDraft.Sample(type: layout.name, bytes: Array(repeating: 0, count: layout.least)))
            }
        }
        for index in found.enumerations.indices where enumerationNames[index] == nil {
            let enumeration = found.enumerations[index]
            if !enumeration.name.isEmpty {
                notes.append(CNote(line: enumeration.line, text: "enum \(enumeration.name) is the type of no field"))
            }
        }
    }

    /// An unused type name.
    private mutating func unique(_ wanted: String) -> String {
        var base = wanted
        for suffix in ["_struct", "_enum", "_s", "_e", "_t"] where base.hasSuffix(suffix) && base.count > suffix.count {
            base = String(base.dropLast(suffix.count))
            break
        }
        base = ProfileName.make(from: base)
        if TypeWord.builtIn(base) != nil { base += "_value" }
        var name = base
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    // MARK: - Structs

    /// Creates the type of a struct, after those of nested structs; nil if a part is unknown.
    private mutating func make(_ index: Int) -> CLayout? {
        if let known = layouts[index] { return known }
        let structure = found.structures[index]
        guard !structure.isBroken, !structure.fields.isEmpty else {
            leaveOut(structure)
            return nil
        }
        var rows = CRows(isPacked: structure.isPacked)
        var fieldNames: Set<String> = []
        for (place, field) in structure.fields.enumerated() {
            if let bits = field.bits {
                guard case .integer(let bytes, let isSigned) = field.type.asInteger(found) else {
                    notes.append(
                        CNote(line: field.line, text: "\(field.name): bit field of a type that is not an integer"))
                    return nil
                }
                rows.add(bits: bits, of: bytes, isSigned: isSigned, field)
                continue
            }
            guard let element = element(of: field, in: structure) else {
                leaveOut(structure)
                return nil
            }
            if field.count == CField.unbounded, place != structure.fields.count - 1 {
                notes.append(
                    CNote(line: field.line, text: "\(field.name): an array without length must be the last field"))
                return nil
            }
            rows.add(element, count: field.count, field)
        }
        rows.end()
        if rows.hasPadding {
            notes.append(
                CNote(
                    line: structure.line,
                    text: "struct \(structure.name) is not packed; padding is where most 32-bit compilers have it"))
        }
        if rows.least > Self.sizeLimit {
            notes.append(
                CNote(
                    line: structure.line,
                    text: "struct \(structure.name) is left out: no value has \(rows.least) bytes"))
            return nil
        }
        let name = unique(structure.name.isEmpty ? users[index] ?? "" : structure.name)
        var fields = rows.fields
        for place in fields.indices {
            var number = 2
            let base = fields[place].name
            while !fieldNames.insert(fields[place].name).inserted {
                fields[place].name = "\(base)_\(number)"
                number += 1
            }
        }
        // A struct with only bit-fields becomes a scalar type.
        let isNumber = fields.count == 1 && !fields[0].bits.isEmpty
        types.append(
            DraftType(name: name, doc: structure.doc, form: isNumber ? .scalar(fields[0]) : .structure(fields)))
        let layout = CLayout(name: name, size: rows.size, least: rows.least, alignment: rows.alignment)
        layouts[index] = layout
        return layout
    }

    private mutating func leaveOut(_ structure: CStructure) {
        let note = CNote(line: structure.line, text: "struct \(structure.name) is left out")
        if !notes.contains(note) { notes.append(note) }
    }

    /// The type of one element of a field.
    private mutating func element(of field: CField, in structure: CStructure) -> CRows.Element? {
        switch field.type {
        case .integer(let bytes, let isSigned):
            return CRows.Element(type: "\(isSigned ? "i" : "u")\(8 * bytes)", size: bytes, alignment: bytes)
        case .float(let bytes): return CRows.Element(type: "f\(8 * bytes)", size: bytes, alignment: bytes)
        case .boolean: return CRows.Element(type: "bool", size: 1, alignment: 1)
        case .character: return CRows.Element(type: field.count == nil ? "u8" : "string", size: 1, alignment: 1)
        case .enumeration(let index):
            let size = found.enumerations[index].bytes
            return CRows.Element(type: enumeration(index, after: field), size: size, alignment: size)
        case .structure(let index):
            guard let layout = make(index), let size = layout.size else { return nil }
            return CRows.Element(type: layout.name, size: size, alignment: layout.alignment)
        }
    }

    // MARK: - Enums

    /// The type of an enum, created on first use.
    private mutating func enumeration(_ index: Int, after field: CField) -> String {
        if let name = enumerationNames[index] { return name }
        let source = found.enumerations[index]
        let name = unique(source.name.isEmpty ? field.name : source.name)
        enumerationNames[index] = name
        let isNegative = source.cases.contains { $0.value < 0 }
        var scalar = DraftField(name, type: "\(isNegative ? "i" : "u")\(8 * source.bytes)")
        let prefix = Self.commonPrefix(source.cases.map(\.name))
        var seen: Set<Int64> = []
        var seenNames: Set<String> = []
        for one in source.cases where seen.insert(one.value).inserted {
            var caseName = ProfileName.make(from: String(one.name.dropFirst(prefix)))
            if !seenNames.insert(caseName).inserted { caseName = ProfileName.make(from: one.name) }
            scalar.values.append((one.value, caseName, one.doc))
        }
        types.append(DraftType(name: name, doc: source.doc, form: .scalar(scalar)))
        if !source.isPacked {
            notes.append(
                CNote(line: source.line, text: "enum \(source.name) is not packed: taken as 4 bytes, as compilers do"))
        }
        return name
    }

    /// Length of the names' common prefix, up to an underscore: `MODE_` of MODE_IDLE and MODE_FAST.
    private static func commonPrefix(_ names: [String]) -> Int {
        guard names.count > 1, var prefix = names.first else { return 0 }
        for name in names { prefix = prefix.commonPrefix(with: name) }
        guard let last = prefix.lastIndex(of: "_") else { return 0 }
        let length = prefix.distance(from: prefix.startIndex, to: last) + 1
        return names.contains { $0.count == length } ? 0 : length
    }
}

extension CType {
    /// The integer type that stores an enum, a Boolean or a character.
    fileprivate func asInteger(_ found: CDeclarations) -> CType {
        switch self {
        case .enumeration(let index): .integer(bytes: found.enumerations[index].bytes, isSigned: false)
        case .boolean, .character: .integer(bytes: 1, isSigned: false)
        default: self
        }
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
