import Bytes

/// Compiles a type to a sequence of steps, expanding all nested types, and declares its fields.
struct LayoutCompiler {
    /// Prefix of the field names.
    let plugin: String
    let types: [String: TypeDefinition]
    let faults: FaultList
    /// Remaining number of steps, for all types of the profile together.
    var budget: Int

    var instructions: [Instruction] = []
    var plans: [FieldPlan] = []
    var checks: [Check] = []
    var expressions: [FieldExpression] = []
    var cases: [CaseEntry] = []
    var slotSets: [Int32: SlotSet] = [:]
    var slotPlans: [Int] = []
    /// All fields and groups, in order.
    var fields: [Field] = []
    var aliases: [Layout.Alias] = []
    /// Names in scope at the current position.
    var names = NameScope(parent: nil)
    /// Plans of the enclosing lists.
    var lists: [Int32] = []
    /// The step limit was exceeded; no more steps are added.
    var hasOverflowed = false
    /// Whether the next field declared is a list element.
    var declaresElement = false
    /// Whether fields declared now are sensitive, or within a sensitive one.
    var declaresSensitive = false
    /// The type's place, for faults that concern the whole type.
    var place = SourcePlace.start
    /// Types being expanded, to detect recursion.
    private var open: [String] = []
    /// Number of enclosing structures, lists and cases.
    private var depth = 0
    var markCount = 0

    init(plugin: String, types: [String: TypeDefinition], faults: FaultList, budget: Int) {
        self.plugin = plugin
        self.types = types
        self.faults = faults
        self.budget = budget
    }

    /// Path of a field, in the notations of filters and of diagnostics.
    struct Path {
        /// `aquavate.drink_chunk.records`.
        var field: String
        /// `records`; empty for the value as a whole.
        var message: String

        func appending(_ name: String, as filterName: String? = nil) -> Path {
            Path(field: filterName ?? "\(field).\(name)", message: message.isEmpty ? name : "\(message).\(name)")
        }
    }

    /// Compiles a type; nil if it has faults.
    mutating func compile(_ type: TypeDefinition) -> LayoutProgram? {
        let before = faults.faults.count
        let path = Path(field: "\(plugin).\(type.name)", message: "")
        open = [type.name]
        place = type.place
        let (form, titled) = rootForm(of: type)
        let group: Field
        let lengths: ClosedRange<Int>
        var isRecord = true
        switch form {
        case .structure(let definitions):
            group = declare(path.field, type.title, .group)
            lengths = structure(definitions, path)
        case .choice(let choice):
            group = declare(path.field, type.title, .group)
            lengths = self.choice(choice, path, isWhole: true)
        case .scalar(let definition):
            isRecord = false
            var definition = resolved(definition)
            definition.name = type.name
            definition.title = titled
            lengths = value(definition, path)
            group = fields.first ?? declare(path.field, type.title, .group)
        }
        guard faults.faults.count == before else { return nil }
        return LayoutProgram(
            name: type.name, title: type.title, group: group, isRecord: isRecord, fields: fields, aliases: aliases,
            instructions: instructions, plans: plans, checks: checks, expressions: expressions, cases: cases,
            slotSets: slotSets,
            slotPlans: slotPlans, lengths: lengths)
    }

    /// The form of a type; for an alias of another type, that type's form.
    private mutating func rootForm(of type: TypeDefinition) -> (TypeDefinition.Form, title: String) {
        var form = type.form
        while case .scalar(let definition) = form, case .type(let name) = definition.kind {
            guard let inner = types[name], !open.contains(name) else { break }
            open.append(name)
            form = inner.form
        }
        return (form, type.title)
    }
}

// MARK: - Structures and fields

extension LayoutCompiler {
    /// Consecutive fields; adds their names to `names`. `outer` is the discriminant before them, with the mark of its
    /// start.
    mutating func structure(
        _ definitions: [FieldDefinition], _ path: Path, after outer: (name: String, mark: Int)? = nil
    ) -> ClosedRange<Int> {
        let definitions = definitions.map { resolved($0) }
        let firstMark = markCount
        let marks = self.marks(of: definitions, after: outer)
        var lengths = 0...0
        var checksum = marks.checksums.makeIterator()
        for definition in definitions {
            if names.entries[definition.name] != nil {
                faults.add("\(definition.name): there is a field of this name before it", at: definition.place)
            }
            for mark in marks.beginnings[definition.name] ?? [] { addMark(mark) }
            let range = if case .checksum = definition.kind { checksum.next() ?? MarkedRange() } else { MarkedRange() }
            lengths = lengths.adding(field(definition, path, range))
            for mark in marks.ends[definition.name] ?? [] { addMark(mark) }
        }
        // Nothing after the structure uses its marks.
        markCount = firstMark
        return lengths
    }

    /// Adds a step that stores the current offset in a mark.
    mutating func addMark(_ mark: Int) {
        add(Instruction(operation: .mark, field: Self.nothing, target: Int32(mark)))
    }

    /// An unused mark; if there is none, reports a fault and returns nil.
    mutating func newMark(at place: SourcePlace) -> Int? {
        if markCount == LayoutProgram.markLimit {
            faults.add("more than \(LayoutProgram.markLimit) ends of checksums in one value", at: place)
            return nil
        }
        markCount += 1
        return markCount - 1
    }

    /// The marks that delimit a checksum's bytes; without `end`, they extend to the checksum.
    struct MarkedRange {
        var start = 0
        var end: Int?
    }

    /// Marks that checksums need.
    private struct Marks {
        /// Marks at the start and at the end of fields, by field name.
        var beginnings: [String: [Int]] = [:]
        var ends: [String: [Int]] = [:]
        /// In the order of the checksums.
        var checksums: [MarkedRange] = []
    }

    /// Allocates the marks for the checksums of a structure.
    private mutating func marks(
        of definitions: [FieldDefinition], after outer: (name: String, mark: Int)?
    ) -> Marks {
        var marks = Marks()
        for (index, definition) in definitions.enumerated() {
            guard case .checksum(let checksum) = definition.kind else { continue }
            let before = definitions[..<index].map(\.name)
            var range = MarkedRange()
            if let outer, checksum.from == outer.name, !before.contains(outer.name) {
                range.start = outer.mark
            } else {
                let from = checksum.from ?? definitions.first?.name ?? ""
                if checksum.from != nil, !before.contains(from) {
                    faults.add("checksum: there is no field \"\(from)\" before it", at: definition.place)
                }
                guard let mark = newMark(at: definition.place) else { continue }
                marks.beginnings[from, default: []].append(mark)
                range.start = mark
            }
            if let to = checksum.to {
                if !before.contains(to) {
                    faults.add("checksum: there is no field \"\(to)\" before it", at: definition.place)
                }
                guard let mark = newMark(at: definition.place) else { continue }
                marks.ends[to, default: []].append(mark)
                range.end = mark
            }
            marks.checksums.append(range)
        }
        return marks
    }

    /// A field, including its condition and its count.
    private mutating func field(
        _ definition: FieldDefinition, _ path: Path, _ range: MarkedRange
    ) -> ClosedRange<Int> {
        if reportOverflow() { return 1...1 }
        let path = path.appending(definition.name, as: definition.filterName)
        var condition: Int?
        if let expression = definition.condition {
            if !expression.isCondition {
                faults.add("when: expected a condition, found a number", at: expression.place)
            }
            let amount = bind(expression)
            condition = instructions.count
            add(Instruction(operation: .when, field: Self.nothing, plan: Int32(plans.count), amount: amount))
        }
        let lengths = definition.count.map { list(definition, $0, path) } ?? value(definition, path, range)
        guard let condition else { return lengths }
        instructions[condition].target = Int32(instructions.count)
        return 0...lengths.upperBound
    }

    /// A repeated field.
    private mutating func list(
        _ definition: FieldDefinition, _ count: FieldDefinition.Count, _ path: Path
    ) -> ClosedRange<Int> {
        let amount: Instruction.Amount
        switch count {
        case .fixed(let count):
            if !(0...0xFFFF).contains(count) { faults.add("count: expected 0 to 65535", at: definition.place) }
            amount = .fixed(min(max(0, count), 0xFFFF))
        case .computed(let expression): amount = bind(expression)
        case .rest: amount = .rest
        }
        let plan = addPlan(FieldPlan(name: definition.name, path: path.message, title: definition.title, kind: .list))
        plans[Int(plan)].amount = amount
        let begin = instructions.count
        add(Instruction(operation: .list, field: Self.nothing, plan: plan, amount: amount))
        let entries = names
        names = NameScope(parent: entries)
        lists.append(plan)
        declaresElement = true
        let element = nested(at: definition.place) { $0.value(definition, path) }
        declaresElement = false
        lists.removeLast()
        let elements = names.entries[definition.name]
        names = entries
        names.entries[definition.name] = NameScope.Entry(
            step: begin, meaning: .list(elements), lists: lists)
        // The list's step records nothing; errors refer to the elements' field.
        instructions[begin].field = fieldOfElement(after: begin)
        add(Instruction(operation: .next, field: Self.nothing, plan: plan, target: Int32(begin + 1)))
        instructions[begin].target = Int32(instructions.count)
        if element.lowerBound == 0 {
            faults.add("\(definition.name): an element of a list must take a byte at least", at: definition.place)
        }
        guard case .fixed(let count) = amount else { return 0...(.max) }
        return element.multiplied(by: count)
    }

    private func fieldOfElement(after begin: Int) -> Field {
        begin + 1 < instructions.count ? instructions[begin + 1].field : Self.nothing
    }

    /// One value of a field: a number, a text, or the fields of a nested type.
    mutating func value(
        _ definition: FieldDefinition, _ path: Path, _ range: MarkedRange = MarkedRange()
    ) -> ClosedRange<Int> {
        let isWithinSensitive = declaresSensitive
        declaresSensitive = declaresSensitive || definition.isSensitive
        defer { declaresSensitive = isWithinSensitive }
        guard case .type(let name) = definition.kind else { return leaf(definition, path, range) }
        guard let type = types[name] else {
            faults.add(
                "there is no type \"\(name)\"\(Advice.meant(name, among: types.keys.sorted()))", at: definition.place)
            return 1...1
        }
        if open.contains(name) {
            faults.add(
                "\(name) contains itself: \((open + [name]).joined(separator: " → "))", at: definition.place)
            return 1...1
        }
        let plan = addPlan(
            FieldPlan(name: definition.name, path: path.message, title: definition.title, kind: .structure))
        let group = declare(path.field, definition.title, .group, alias: definition.alias)
        add(Instruction(operation: .enter, field: group, plan: plan))
        let outer = names
        names = NameScope(parent: outer)
        open.append(name)
        let lengths = nested(at: definition.place) { compiler in
            switch type.form {
            case .structure(let fields): compiler.structure(fields, path)
            case .choice(let choice): compiler.choice(choice, path, isWhole: false)
            case .scalar: 1...1
            }
        }
        open.removeLast()
        let inner = names
        names = outer
        names.entries[definition.name] = NameScope.Entry(
            step: instructions.count, meaning: .structure(inner), lists: lists)
        add(Instruction(operation: .leave, field: group, plan: plan))
        return lengths
    }

    /// Compiles the content of a structure, list or case, with a limit on nesting.
    mutating func nested(
        at place: SourcePlace, _ body: (inout LayoutCompiler) -> ClosedRange<Int>
    ) -> ClosedRange<Int> {
        guard depth < LayoutProgram.depthLimit else {
            faults.add("more than \(LayoutProgram.depthLimit) structures and lists within each other", at: place)
            return 1...1
        }
        depth += 1
        defer { depth -= 1 }
        return body(&self)
    }
}
