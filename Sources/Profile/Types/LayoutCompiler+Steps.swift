import Bytes

// Emission of steps, plans and fields, shared by all parts of the compiler.
extension LayoutCompiler {
    mutating func add(_ step: Instruction) {
        budget -= 1
        instructions.append(step)
    }

    /// Returns whether the program is too long, and reports it once.
    mutating func reportOverflow() -> Bool {
        if hasOverflowed { return true }
        hasOverflowed = budget <= 0 || instructions.count >= LayoutProgram.sizeLimit
        if hasOverflowed {
            faults.add("more than \(LayoutProgram.sizeLimit) fields, with all types in their places", at: place)
        }
        return hasOverflowed
    }

    mutating func addPlan(_ plan: FieldPlan, _ check: Check = Check()) -> Int32 {
        plans.append(plan)
        checks.append(check)
        return Int32(plans.count - 1)
    }

    /// Declares a field; the program keeps it alive.
    mutating func declare(
        _ name: String, _ title: String, _ format: Field.Format, alias: String? = nil, unit: String? = nil,
        scale: Double = 1, bias: Double = 0, mask: UInt64 = 0, size: Int = 0, names: ValueNames? = nil
    ) -> Field {
        let field = Field(
            name, alias.map { "\(title) (\($0))" } ?? title, format, unit: unit, scale: scale, bias: bias, mask: mask,
            size: size, names: names,
            isRepeated: declaresElement, isMeasured: scale != 1 || bias != 0, isSensitive: declaresSensitive)
        declaresElement = false
        fields.append(field)
        if let alias { aliases.append(Layout.Alias(alias, of: field)) }
        return field
    }

    /// Replaces a field of a scalar type by that type's field; the field's explicit settings take precedence.
    func resolved(_ definition: FieldDefinition) -> FieldDefinition {
        var result = definition
        var levels = 0
        while case .type(let name) = result.kind, case .scalar(let inner)? = types[name]?.form, levels < 32 {
            let outer = result
            result = inner
            result.name = outer.name
            result.title = outer.title
            result.doc = outer.doc ?? inner.doc
            result.alias = outer.alias ?? inner.alias
            result.filterName = outer.filterName ?? inner.filterName
            result.count = outer.count ?? inner.count
            result.condition = outer.condition ?? inner.condition
            result.place = outer.place
            result.endian = outer.endian == .big ? .big : inner.endian
            result.unit = outer.unit ?? inner.unit
            result.scale = outer.scale ?? inner.scale
            result.range = outer.range ?? inner.range
            result.special = outer.special.isEmpty ? inner.special : outer.special
            result.assignedNames = outer.assignedNames ?? inner.assignedNames
            result.isSensitive = outer.isSensitive || inner.isSensitive
            result.constant = outer.constant ?? inner.constant
            if case .standard = outer.rendering {} else { result.rendering = outer.rendering }
            levels += 1
        }
        return result
    }
}

extension ClosedRange<Int> {
    /// Adds the bounds, saturating at `Int.max`.
    func adding(_ other: ClosedRange<Int>) -> ClosedRange<Int> {
        Self.sum(lowerBound, other.lowerBound)...Self.sum(upperBound, other.upperBound)
    }

    func multiplied(by count: Int) -> ClosedRange<Int> {
        Self.product(lowerBound, count)...Self.product(upperBound, count)
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func product(_ one: Int, _ other: Int) -> Int {
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// `4`, `4 to 6` or `4 or more`.
    public var words: String {
        if upperBound == .max { return "\(lowerBound) or more bytes" }
        return lowerBound == upperBound ? "\(lowerBound) bytes" : "\(lowerBound) to \(upperBound) bytes"
    }
}
