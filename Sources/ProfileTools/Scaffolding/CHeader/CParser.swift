import Bytes

/// Parses the data declarations of a C header: structs of fixed-width types, enums, typedefs and numeric macros.
/// Everything else is skipped with a note.
struct CParser {
    private(set) var found = CDeclarations()
    let tokens: [CToken]
    var place = 0
    /// Numeric macros.
    private var constants: [String: Int64] = [:]
    private var types: [String: CType] = CParser.builtInTypes
    /// Structs and enums by tag.
    private var tags: [String: CType] = [:]
    /// Changes of `#pragma pack`, by token position.
    private var packing: [(position: Int, isPacked: Bool)] = []
    /// Current nesting of structs.
    private var depth = 0
    private static let depthLimit = 16

    init(_ header: String) {
        let lexer = CLexer(header)
        let conditions = CConditions(lexer)
        tokens = conditions.tokens
        found.notes = conditions.notes
        for directive in conditions.directives { read(directive) }
        while place < tokens.count { declaration() }
    }

    static let builtInTypes: [String: CType] = {
        var types: [String: CType] = [
            "float": .float(bytes: 4), "double": .float(bytes: 8), "bool": .boolean, "_Bool": .boolean,
        ]
        for bytes in [1, 2, 4, 8] {
            types["uint\(8 * bytes)_t"] = .integer(bytes: bytes, isSigned: false)
            types["int\(8 * bytes)_t"] = .integer(bytes: bytes, isSigned: true)
            types["u\(8 * bytes)"] = .integer(bytes: bytes, isSigned: false)
            types["s\(8 * bytes)"] = .integer(bytes: bytes, isSigned: true)
        }
        return types
    }()

    mutating func note(_ line: Int, _ text: String) {
        let note = CNote(line: line, text: text)
        if found.notes.count < 200, !found.notes.contains(note) { found.notes.append(note) }
    }

    // MARK: - Tokens

    var current: CToken? { place < tokens.count ? tokens[place] : nil }
    var line: Int { current?.line ?? tokens.last?.line ?? 1 }

    func symbol(_ symbol: Character, at distance: Int = 0) -> Bool {
        place + distance < tokens.count && tokens[place + distance].kind == .symbol(symbol)
    }

    func word(at distance: Int = 0) -> String? {
        guard place + distance < tokens.count, case .word(let word) = tokens[place + distance].kind else { return nil }
        return word
    }

    /// Consumes a symbol if it is the next token.
    mutating func take(_ wanted: Character) -> Bool {
        guard symbol(wanted) else { return false }
        place += 1
        return true
    }

    /// Skips past the bracket that matches the next opening one.
    mutating func passBrackets() {
        var open = 0
        while let token = current {
            place += 1
            switch token.kind {
            case .symbol("("), .symbol("{"), .symbol("["): open += 1
            case .symbol(")"), .symbol("}"), .symbol("]"):
                open -= 1
                if open <= 0 { return }
            default: if open == 0 { return }
            }
        }
    }

    /// Skips past the next semicolon outside brackets, or past a function's body.
    mutating func passDeclaration() {
        while let token = current {
            switch token.kind {
            case .symbol(";"):
                place += 1
                return
            case .symbol("{"):
                passBrackets()
                _ = take(";")
                return
            case .symbol("("), .symbol("["): passBrackets()
            case .symbol("}"): return
            default: place += 1
            }
        }
    }

    /// Skips attributes; returns whether one of them is `packed`.
    mutating func takeAttributes() -> Bool {
        var isPacked = false
        while let word = word() {
            switch word {
            case "__attribute__", "_Alignas", "alignas":
                let start = place
                place += 1
                passBrackets()
                isPacked =
                    isPacked
                    || tokens[start..<place].contains { $0.kind == .word("packed") || $0.kind == .word("__packed__") }
            case "__packed", "PACKED", "__PACKED", "__PACKED_STRUCT":
                isPacked = true
                place += 1
            default: return isPacked
            }
        }
        return isPacked
    }

    // MARK: - Directives

    private mutating func read(_ directive: CDirective) {
        let parts = directive.text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        guard let name = parts.first, parts.count == 2 else { return }
        let rest = parts[1].drop(while: \.isWhitespace)
        if name == "pragma", rest.hasPrefix("pack") {
            let compact = rest.filter { !$0.isWhitespace }
            let packs = compact.includes("1)") && !compact.includes("pop")
            if !packs, !compact.includes("pop"), compact != "pack()", compact != "pack(push)" {
                note(directive.line, "#pragma \(rest): only pack(1) is understood; taken as not packed")
            }
            packing.append((directive.position, packs))
        } else if name == "define" {
            let end = rest.firstIndex { !($0 == "_" || $0.isLetter || $0.isNumber) } ?? rest.endIndex
            // A function-like macro is not a number.
            if end < rest.endIndex, rest[end] == "(" { return }
            var value = CNumber(CLexer(String(rest[end...])).tokens, constants: constants)
            if let number = value.read() { constants[String(rest[..<end])] = number }
        }
    }

    /// Whether `#pragma pack(1)` applies at a token.
    private func isPacked(at position: Int) -> Bool {
        packing.last { $0.position <= position }?.isPacked ?? false
    }

    /// Evaluates the next tokens, up to one of the symbols, as a number.
    mutating func number(upTo ends: Set<Character>) -> Int64? {
        let start = place
        var open = 0
        while let token = current {
            if case .symbol(let symbol) = token.kind {
                if open == 0, ends.contains(symbol) { break }
                if symbol == "(" { open += 1 } else if symbol == ")" { open -= 1 }
            }
            place += 1
        }
        var value = CNumber(Array(tokens[start..<place]), constants: constants)
        return value.read()
    }
}

// MARK: - Declarations

extension CParser {
    /// One declaration at file scope.
    private mutating func declaration() {
        let start = place
        guard let word = word() else {
            // Symbols outside declarations, such as the bracket of extern "C".
            place += 1
            return
        }
        switch word {
        case "extern" where tokens.indices.contains(place + 1) && tokens[place + 1].kind == .text:
            place += 2
            _ = take("{")
        case "_Static_assert", "static_assert": passDeclaration()
        case "typedef":
            place += 1
            typeName(doc: tokens[start].comment)
        // A forward declaration.
        case "struct" where self.word(at: 1) != nil && symbol(";", at: 2): place += 3
        case "struct", "enum":
            let type = compound(named: nil, doc: tokens[start].comment)
            if type == nil || !symbol(";") { passVariable(from: start) } else { place += 1 }
        default: passVariable(from: start)
        }
        if place == start { place += 1 }
    }

    /// Skips a function, a variable or an unsupported kind of type.
    private mutating func passVariable(from start: Int) {
        let line = tokens[start].line
        let first = if case .word(let word) = tokens[start].kind { word } else { "" }
        passDeclaration()
        if first == "union" { return note(line, "a union is not read: its bytes have several meanings") }
        let isFunction = tokens[start..<place].contains { $0.kind == .symbol("(") }
        note(line, "not read: a \(isFunction ? "function" : "variable or constant")")
    }

    private mutating func typeName(doc: String?) {
        let start = place
        let line = line
        guard let type = type(named: nil, doc: doc) else {
            passDeclaration()
            if !hasNote(from: line) { note(line, "typedef not read: only structs, enums and fixed-width types are") }
            return
        }
        let isPacked = takeAttributes()
        guard let name = word(), !symbol("*"), symbol(";", at: 1) else {
            passDeclaration()
            return note(line, "typedef not read: a pointer, a function or an array")
        }
        place += 2
        _ = start
        types[name] = type
        rename(type, name, isPacked: isPacked)
    }

    private func hasNote(from line: Int) -> Bool { found.notes.contains { $0.line >= line } }

    /// Prefers the typedef's name, which attributes may precede.
    private mutating func rename(_ type: CType, _ name: String, isPacked: Bool) {
        switch type {
        case .structure(let index):
            found.structures[index].name = name
            if isPacked { found.structures[index].isPacked = true }
        case .enumeration(let index):
            found.enumerations[index].name = name
            if isPacked { found.enumerations[index].isPacked = true }
        default: break
        }
    }

    /// A type; nil if it is unsupported.
    private mutating func type(named name: String?, doc: String?) -> CType? {
        while let word = word(), ["const", "volatile", "static", "register"].contains(word) { place += 1 }
        guard let word = word() else { return nil }
        if word == "struct" || word == "enum" { return compound(named: name, doc: doc) }
        if let type = types[word] {
            place += 1
            while let word = self.word(), ["const", "volatile"].contains(word) { place += 1 }
            return type
        }
        return arithmeticType()
    }

    /// Types such as `unsigned char` and `long`, whose width depends on the compiler, except for `char` types.
    private mutating func arithmeticType() -> CType? {
        let line = line
        var words: [String] = []
        while let word = word(), ["unsigned", "signed", "char", "short", "int", "long"].contains(word) {
            words.append(word)
            place += 1
        }
        if words.isEmpty { return nil }
        if words == ["char"] { return .character }
        let isSigned = !words.contains("unsigned")
        if words.contains("char") { return .integer(bytes: 1, isSigned: isSigned) }
        let bytes = words.contains("short") ? 2 : words.filter { $0 == "long" }.count == 2 ? 8 : 4
        note(line, "\(words.joined(separator: " ")) has no fixed width; taken as \(isSigned ? "i" : "u")\(8 * bytes)")
        return .integer(bytes: bytes, isSigned: isSigned)
    }

    /// A struct or an enum, declared here or earlier.
    private mutating func compound(named name: String?, doc: String?) -> CType? {
        let isEnumeration = word() == "enum"
        let line = line
        place += 1
        var isPacked = takeAttributes()
        var tag: String?
        if let word = word() {
            tag = word
            place += 1
        }
        isPacked = takeAttributes() || isPacked
        // The underlying type of an enum, as in C23 and C++.
        var underlying: CType?
        if isEnumeration, take(":") { underlying = type(named: nil, doc: nil) }
        guard symbol("{") else { return tag.flatMap { tags[$0] } }
        let type: CType?
        if isEnumeration {
            type = enumeration(
                CEnumeration(name: tag ?? name ?? "", doc: doc, line: line, isPacked: isPacked, cases: []))
        } else {
            type = structure(
                CStructure(
                    name: tag ?? name ?? "", doc: doc, line: line, isPacked: isPacked || self.isPacked(at: place),
                    fields: []))
        }
        if takeAttributes() { if let type { rename(type, typeName(of: type), isPacked: true) } }
        if let tag, let type { tags[tag] = type }
        if case .integer? = underlying { return underlying }
        return type
    }

    private func typeName(of type: CType) -> String {
        switch type {
        case .structure(let index): found.structures[index].name
        case .enumeration(let index): found.enumerations[index].name
        default: ""
        }
    }

    private mutating func enumeration(_ start: CEnumeration) -> CType? {
        var result = start
        place += 1
        var next: Int64 = 0
        while let token = current, !symbol("}") {
            guard let name = word() else {
                place += 1
                continue
            }
            place += 1
            var value: Int64? = next
            if take("=") { value = number(upTo: [",", "}"]) }
            if let value {
                let comma = symbol(",") ? place : place - 1
                result.cases.append((name, value, tokens[comma].trailingComment ?? token.comment))
                constants[name] = value
                next = value &+ 1
            } else {
                note(token.line, "\(name): its value is not read")
            }
            _ = take(",")
        }
        _ = take("}")
        found.enumerations.append(result)
        return .enumeration(found.enumerations.count - 1)
    }
}

// MARK: - Structs

extension CParser {
    private mutating func structure(_ start: CStructure) -> CType? {
        guard depth < Self.depthLimit else {
            note(start.line, "more than \(Self.depthLimit) structs within each other")
            passBrackets()
            return nil
        }
        depth += 1
        defer { depth -= 1 }
        var result = start
        place += 1
        while current != nil, !symbol("}") { member(of: &result) }
        _ = take("}")
        found.structures.append(result)
        return .structure(found.structures.count - 1)
    }

    /// One declaration in a struct, which may have several fields.
    private mutating func member(of structure: inout CStructure) {
        let start = place
        let token = tokens[place]
        if take(";") { return }
        if let word = word(), ["_Static_assert", "static_assert"].contains(word) { return passDeclaration() }
        guard let type = type(named: "", doc: token.comment) else {
            let name = word() ?? "here"
            passDeclaration()
            if place == start { place += 1 }
            structure.isBroken = true
            if tokens[start..<place].contains(where: { $0.kind == .symbol("*") }) {
                return note(token.line, Self.pointer)
            }
            let what = name == "union" ? "a union" : "the type \(name)"
            return note(token.line, "\(what) is not known, so where the fields after it lie is not either")
        }
        repeat {
            guard let field = declarator(type, token) else {
                passDeclaration()
                structure.isBroken = true
                return
            }
            structure.fields.append(field)
        } while take(",")
        _ = takeAttributes()
        if !take(";") { passDeclaration() }
        // A comment after the semicolon describes the field before it.
        if let last = structure.fields.indices.last, let doc = tokens[place - 1].trailingComment {
            structure.fields[last].doc = doc
        }
    }

    private static let pointer = "a pointer has no meaning outside of its device, and no fixed width"

    /// A declarator: the field's name, array size and bit width; nil if unsupported.
    private mutating func declarator(_ type: CType, _ first: CToken) -> CField? {
        let line = line
        _ = takeAttributes()
        if symbol("*") || symbol("(") {
            note(line, Self.pointer)
            return nil
        }
        var field = CField(name: "", type: type, doc: first.comment, line: line)
        if let name = word() {
            field.name = name
            place += 1
        }
        while take("[") {
            let isOpen = symbol("]")
            let count = isOpen ? Int64(CField.unbounded) : number(upTo: ["]"])
            _ = take("]")
            guard let count, isOpen || (0...0xFFFF).contains(count) else {
                note(line, "\(field.name): its number of elements is not known")
                return nil
            }
            field.count = isOpen ? CField.unbounded : (field.count ?? 1) * Int(count)
        }
        if let count = field.count, count > 0xFFFF {
            note(line, "\(field.name): more than 65535 elements")
            return nil
        }
        if take(":") {
            guard let bits = number(upTo: [";", ","]), (0...64).contains(bits) else {
                note(line, "\(field.name): its number of bits is not known")
                return nil
            }
            field.bits = Int(bits)
        }
        return field
    }
}
