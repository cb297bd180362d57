import Bluetooth
import Bytes

// Fields without nested fields: numbers, texts, bits.
extension LayoutCompiler {
    /// Placeholder field of steps that record nothing.
    static let nothing = Field("", "", .group)
    /// Names of a checksum's status: 1 for good, 0 for bad.
    static let checksumStatus = ValueNames([0: "Bad", 1: "Good"], keys: [0: "bad", 1: "good"])

    /// A number, a text, bytes or bits.
    mutating func leaf(
        _ definition: FieldDefinition, _ path: Path, _ marked: MarkedRange = MarkedRange()
    ) -> ClosedRange<Int> {
        refuseMisfits(definition)
        var plan = FieldPlan(
            name: definition.name, path: path.message.isEmpty ? definition.name : path.message,
            title: definition.title, kind: .integer)
        plan.unit = definition.unit
        plan.range = definition.range
        plan.names = definition.special
        plan.constant = definition.constant
        plan.isBigEndian = definition.endian == .big
        switch definition.kind {
        case .unsigned(let bytes), .signed(let bytes), .enumeration(let bytes, _):
            return integer(definition, path, &plan, bytes: bytes)
        case .float(let bytes):
            plan.kind = .float
            return number(
                definition, path, &plan, bytes: bytes, among: [2, 4, 8], bytes == 8 ? .number : .float(bytes: bytes))
        case .medical(let bytes):
            plan.kind = .medical
            return number(definition, path, &plan, bytes: bytes, among: [2, 4], .number)
        case .text(let length, let end):
            plan.kind = .text(end: end)
            return span(definition, path, plan, length, .text)
        case .digits(let length, let format):
            plan.digits = format
            return digits(definition, path, &plan, length)
        case .bytes(let length):
            plan.kind = .bytes
            return span(definition, path, plan, length, .bytes)
        case .address:
            plan.kind = .address
            return number(definition, path, &plan, bytes: 6, among: [6], .address)
        case .uuid(let bytes):
            plan.kind = .uuid
            if bytes == 16 { return uuid128(definition, path, plan) }
            return number(definition, path, &plan, bytes: bytes, among: [2], .hex(4))
        case .bits(let bytes, let parts, let ignoresOthers):
            return bits(definition, path, &plan, bytes: bytes, parts, ignoresOthers)
        case .checksum(let checksum):
            plan.kind = .checksum(checksum.algorithm)
            return number(
                definition, path, &plan, bytes: checksum.algorithm.bytes, among: Array(1...8),
                .hex(2 * checksum.algorithm.bytes), marked)
        case .type: return 0...0
        }
    }

    /// Reports settings that do not apply to the field's kind.
    private func refuseMisfits(_ definition: FieldDefinition) {
        var isInteger = false
        switch definition.kind {
        case .unsigned, .signed, .digits: isInteger = true
        default: break
        }
        if !isInteger, definition.scale != nil {
            faults.add("\(definition.name): only whole numbers have a scale", at: definition.place)
        }
        if !isInteger, !definition.special.isEmpty {
            faults.add("\(definition.name): only whole numbers have special values", at: definition.place)
        }
    }

    // MARK: - Numbers

    private mutating func integer(
        _ definition: FieldDefinition, _ path: Path, _ plan: inout FieldPlan, bytes: Int
    ) -> ClosedRange<Int> {
        var names = definition.special.mapValues(\.asWords)
        var format = Field.Format.decimal
        if case .signed = definition.kind { plan.isSigned = true }
        if plan.isSigned { format = .signed }
        if case .enumeration(_, let cases) = definition.kind {
            let isBoolean = cases.count == 2 && cases.allSatisfy { $0.name == ($0.value == 1 ? "true" : "false") }
            plan.kind = isBoolean ? .boolean : .enumeration
            plan.names = Dictionary(cases.map { ($0.value, $0.name) }) { first, _ in first }
            names = isBoolean ? [:] : Dictionary(cases.map { ($0.value, $0.display) }) { first, _ in first }
            if isBoolean { format = .boolean }
        }
        switch definition.rendering {
        case .standard: break
        case .hex: format = .hex(2 * bytes)
        case .dotted: format = .dotted
        case .timestamp(let epoch, let resolution):
            let step = Int64(exactly: (resolution * 1_000_000_000).rounded()) ?? 0
            if step < 1 {
                faults.add("\(definition.name): expected a resolution of 1 ns or more", at: definition.place)
            }
            plan.time = (epoch, max(1, step))
            format = .timestamp(epoch: epoch, step: max(1, step))
        }
        if let scale = definition.scale {
            plan.scale = LinearScale(scale)
            if plan.scale == nil {
                faults.add("\(definition.name): expected a scale of about 15 digits at most", at: definition.place)
            }
        }
        return number(
            definition, path, &plan, bytes: bytes, among: Array(1...8), format,
            names: Self.names(names, keys: plan.names, definition))
    }

    /// Display names of values, from the profile or the Bluetooth SIG.
    private static func names(
        _ names: [UInt64: String], keys: [UInt64: String], _ definition: FieldDefinition
    ) -> ValueNames? {
        if !names.isEmpty {
            guard case .signed(let bytes) = definition.kind else { return ValueNames(names, keys: keys) }
            // Signed numbers are recorded with all 64 bits.
            func extended(_ names: [UInt64: String]) -> [UInt64: String] {
                Dictionary(names.map { ($0.key.signExtended(from: bytes), $0.value) }) { first, _ in first }
            }
            return ValueNames(extended(names), keys: extended(keys))
        }
        guard let list = definition.assignedNames else { return nil }
        return ValueNames { value in
            guard let number = UInt16(exactly: value) else { return nil }
            return switch list {
            case .appearances: Appearance(rawValue: number).name
            case .companies: AssignedNumbers.company(number)
            case .units: AssignedNumbers.unit(UUID(UInt32(number)))
            case .uuids: AssignedNumbers.name(number)
            }
        }
    }

    /// A number as ASCII digits.
    private mutating func digits(
        _ definition: FieldDefinition, _ path: Path, _ plan: inout FieldPlan, _ length: FieldDefinition.Length
    ) -> ClosedRange<Int> {
        plan.isSigned = plan.digits?.base == 10
        let (amount, lengths) = amount(of: length, definition)
        plan.amount = amount
        _ = integer(definition, path, &plan, bytes: 8)
        guard let last = instructions.indices.last else { return lengths }
        instructions[last].operation = .digits
        instructions[last].amount = amount
        return max(1, lengths.lowerBound)...max(1, lengths.upperBound)
    }

    private mutating func number(
        _ definition: FieldDefinition, _ path: Path, _ plan: inout FieldPlan, bytes: Int, among sizes: [Int],
        _ format: Field.Format, _ marked: MarkedRange = MarkedRange(), names valueNames: ValueNames? = nil
    ) -> ClosedRange<Int> {
        let size = clamped(bytes, among: sizes, definition)
        plan.size = size
        plan.width = 8 * size
        if let constant = plan.constant, constant > plan.mask {
            faults.add("\(definition.name): the constant needs more than \(size) bytes", at: definition.place)
        }
        let field = declare(
            path.field, definition.title, format, alias: definition.alias, unit: definition.unit,
            scale: definition.scale?.step ?? 1, bias: definition.scale?.offset ?? 0, size: size,
            names: plan.kind == .medical ? MedicalFloat.valueNames : valueNames)
        if case .checksum = plan.kind {
            plan.status = declare(
                "\(path.field)_status", "\(definition.title) Status", .decimal, names: Self.checksumStatus)
        }
        let check = check(plan)
        let operation: Instruction.Operation =
            switch plan.kind {
            case .float: .float
            case .medical: .medical
            case .checksum: .checksum
            default: .integer
            }
        var step = Instruction(
            operation: operation, field: field, plan: addPlan(plan, check), target: Int32(marked.start))
        if let end = marked.end { step.amount = .fixed(end) }
        step.size = UInt8(size)
        step.order = definition.endian == .big ? .bigEndian : .littleEndian
        step.isSigned = plan.isSigned
        step.isChecked = check.isNeeded || operation == .checksum
        names.entries[definition.name] = NameScope.Entry(step: instructions.count, meaning: .value, lists: lists)
        add(step)
        return size...size
    }

    /// The size, replaced by a valid one if it is invalid, which is reported.
    private func clamped(_ bytes: Int, among sizes: [Int], _ definition: FieldDefinition) -> Int {
        if sizes.contains(bytes) { return bytes }
        faults.add(
            "\(definition.name): a number of \(bytes) bytes; possible are \(Advice.list(sizes.map(String.init)))",
            at: definition.place)
        return sizes.first ?? 1
    }

    private func check(_ plan: FieldPlan) -> Check {
        var check = Check(constant: plan.constant)
        switch plan.kind {
        case .enumeration, .boolean: name(&check, plan)
        case .part where plan.isNamed: name(&check, plan)
        case .float, .medical: check.reals = plan.range
        default:
            guard let range = plan.range else { break }
            let raw = plan.scale?.raw(of: range) ?? range
            check.lower = Int64(clamping: raw.lowerBound.rounded(.up))
            check.upper = Int64(clamping: raw.upperBound.rounded(.down))
        }
        return check
    }

    /// Makes unnamed values a diagnostic if any value has a name.
    private func name(_ check: inout Check, _ plan: FieldPlan) {
        if plan.names.isEmpty { return }
        check.isEnumeration = true
        check.known = plan.names.keys.reduce(into: 0) { if $1 < 64 { $0 |= 1 << $1 } }
    }

    // MARK: - Texts and bytes

    private mutating func span(
        _ definition: FieldDefinition, _ path: Path, _ plan: FieldPlan, _ length: FieldDefinition.Length,
        _ format: Field.Format
    ) -> ClosedRange<Int> {
        let (amount, lengths) = amount(of: length, definition)
        var plan = plan
        plan.amount = amount
        let field = declare(path.field, definition.title, format, alias: definition.alias, unit: definition.unit)
        if plan.endsAtNUL { plan.padding = declare("\(path.field)_padding", "\(definition.title) Padding", .bytes) }
        names.entries[definition.name] = NameScope.Entry(step: instructions.count, meaning: .other, lists: lists)
        add(
            Instruction(
                operation: format == .text ? .text : .bytes, field: field, plan: addPlan(plan), amount: amount))
        return lengths
    }

    /// The amount for a length, with its smallest and largest result in bytes.
    private mutating func amount(
        of length: FieldDefinition.Length, _ definition: FieldDefinition
    ) -> (Instruction.Amount, ClosedRange<Int>) {
        switch length {
        case .fixed(let count):
            if !(0...0xFFFF).contains(count) { faults.add("length: expected 0 to 65535", at: definition.place) }
            let count = min(max(0, count), 0xFFFF)
            return (.fixed(count), count...count)
        case .computed(let expression): return (bind(expression), 0...Int.max)
        case .rest: return (.rest, 0...Int.max)
        }
    }

    private mutating func uuid128(_ definition: FieldDefinition, _ path: Path, _ plan: FieldPlan) -> ClosedRange<Int> {
        let isBig = definition.endian == .big
        var plan = plan
        plan.size = 16
        let field = declare(
            path.field, definition.title, isBig ? .bigEndianUUID128 : .uuid128, alias: definition.alias)
        var step = Instruction(operation: .uuid, field: field, plan: addPlan(plan))
        step.order = isBig ? .bigEndian : .littleEndian
        names.entries[definition.name] = NameScope.Entry(step: instructions.count, meaning: .other, lists: lists)
        add(step)
        return 16...16
    }

    // MARK: - Bits

    private mutating func bits(
        _ definition: FieldDefinition, _ path: Path, _ plan: inout FieldPlan, bytes: Int, _ parts: [BitsDefinition],
        _ ignoresOthers: Bool
    ) -> ClosedRange<Int> {
        let size = clamped(bytes, among: Array(1...8), definition)
        plan.kind = .bits(parts: parts.count)
        plan.size = size
        plan.width = 8 * size
        let field = declare(path.field, definition.title, .hex(2 * size), alias: definition.alias)
        let place = instructions.count
        var step = Instruction(operation: .bits, field: field, target: Int32(parts.count))
        step.size = UInt8(size)
        step.order = definition.endian == .big ? .bigEndian : .littleEndian
        add(step)
        let index = addPlan(plan)
        let scope = NameScope(parent: nil)
        var taken: UInt64 = 0
        for part in parts {
            guard part.bits.lowerBound >= 0, part.bits.upperBound < 8 * size else {
                faults.add("\(part.name): expected bits 0 to \(8 * size - 1)", at: part.place)
                continue
            }
            let mask = self.mask(of: part)
            if taken & mask != 0 { faults.add("\(part.name): other parts have these bits, too", at: part.place) }
            if scope.entries[part.name] != nil { faults.add("\(part.name): stands here twice", at: part.place) }
            taken |= mask
            scope.entries[part.name] = NameScope.Entry(step: instructions.count, meaning: .value, lists: lists)
            self.part(part, path.appending(part.name), mask: mask, size: size)
        }
        instructions[place].plan = index
        if !ignoresOthers {
            checks[Int(index)].constant = plan.mask & ~taken
            instructions[place].isChecked = true
        }
        names.entries[definition.name] = NameScope.Entry(step: place, meaning: .structure(scope), lists: lists)
        return size...size
    }

    private func mask(of part: BitsDefinition) -> UInt64 {
        let width = UInt64(part.bits.count)
        return (width >= 64 ? .max : 1 << width - 1) << UInt64(part.bits.lowerBound)
    }

    /// A bit part of a number of `size` bytes. Reserved bits are not shown as a number but in hexadecimal.
    private mutating func part(_ part: BitsDefinition, _ path: Path, mask: UInt64, size: Int) {
        var plan = FieldPlan(name: part.name, path: path.message, title: part.title, kind: .part)
        plan.width = part.bits.count
        plan.shift = UInt64(part.bits.lowerBound)
        plan.isSigned = part.isSigned
        plan.unit = part.unit
        plan.constant = part.constant
        plan.isNamed = !part.cases.isEmpty
        plan.names = part.special.merging(part.cases.map { ($0.value, $0.name) }) { first, _ in first }
        plan.range = part.range
        if let scale = part.scale {
            plan.scale = LinearScale(scale)
            if plan.scale == nil {
                faults.add("\(part.name): expected a scale of about 15 digits at most", at: part.place)
            }
        }
        // Signed numbers are recorded with all 64 bits.
        func recorded(_ value: UInt64) -> UInt64 {
            part.isSigned ? UInt64(bitPattern: Int64.signed(value, bits: part.bits.count)) : value
        }
        let special = part.special.map { (recorded($0.key), $0.value) }
        let names = Dictionary(
            part.cases.map { (recorded($0.value), $0.display) } + special.map { ($0.0, $0.1.asWords) }
        ) { first, _ in first }
        let keys = Dictionary(part.cases.map { (recorded($0.value), $0.name) } + special) { first, _ in first }
        let format: Field.Format =
            plan.isBoolean ? .boolean : part.constant != nil ? .hex(2 * size) : part.isSigned ? .signed : .decimal
        let field = declare(
            path.field, part.title, format, unit: part.unit, scale: part.scale?.step ?? 1,
            bias: part.scale?.offset ?? 0, mask: mask, names: names.isEmpty ? nil : ValueNames(names, keys: keys))
        let check = check(plan)
        var step = Instruction(
            operation: .part, field: field, plan: addPlan(plan, check), target: Int32(part.bits.lowerBound))
        step.size = UInt8(part.bits.count)
        step.isSigned = part.isSigned
        step.isChecked = check.isNeeded
        add(step)
    }
}

extension Check {
    /// Whether there is anything to check.
    var isNeeded: Bool { constant != nil || lower != .min || upper != .max || reals != nil || isEnumeration }
}

extension Int64 {
    /// The nearest representable number.
    fileprivate init(clamping number: Double) {
        self = Int64(exactly: number) ?? (number < 0 ? .min : .max)
    }
}
