public import Bluetooth

/// Selects the layout of an attribute's values. A class, because it is looked up for every value.
package final class AttributeReader: Sendable {
    package let name: String
    package let title: String
    /// The containing service; nil for a descriptor that any characteristic may have.
    package let service: UUID?
    /// Whether the type depends on values written before or on the device's attribute table.
    package let usesContext: Bool
    /// The characteristic or message whose last value this attribute's values answer.
    package let request: String?
    /// Indexed by operation.
    private let choices: [LayoutChoice]

    init(
        name: String, title: String, service: UUID?, request: String? = nil, choices: [OperationKind: LayoutChoice]
    ) {
        self.name = name
        self.title = title
        self.service = service
        self.request = request
        self.choices = OperationKind.allCases.map { choices[$0] ?? LayoutChoice([]) }
        usesContext = choices.values.contains { $0.usesContext }
    }

    /// The layout of a value: that of the first alternative whose condition holds; nil if none does. Unknown conditions
    /// do not hold.
    package func layout(
        for operation: OperationKind, value: RawSpan, in context: some PayloadContext
    ) -> Layout? {
        choices[operation.index].layout(of: value, in: context)
    }

    /// Overload without generics for rule checks, which call it for every value.
    package func layout(for operation: OperationKind, value: RawSpan, in context: DeviceContext) -> Layout? {
        choices[operation.index].layout(of: value, in: context)
    }

    /// The layout common to all values; nil if it depends on the value or on the context.
    package func soleLayout(for operation: OperationKind) -> Layout? { choices[operation.index].sole }

    /// Names of the characteristics that conditions reference.
    var contextCharacteristics: Set<String> {
        Set(choices.flatMap { $0.alternatives.flatMap { $0.condition?.characteristics ?? [] } })
    }

    /// Whether `type` is the only possible type.
    package func hasOnly(_ type: String) -> Bool {
        choices.allSatisfy { $0.alternatives.allSatisfy { $0.layout.name == type } }
    }

    /// The possible layouts of a value, in the order tried.
    package func layouts(for operation: OperationKind) -> [Layout] {
        choices[operation.index].alternatives.map(\.layout)
    }
}

/// Selects the layout of one kind of message.
package struct MessageReader: Sendable {
    package let definition: MessageDefinition
    private let choice: LayoutChoice

    init(_ definition: MessageDefinition, choice: LayoutChoice) {
        self.definition = definition
        self.choice = choice
    }

    /// The layout of a message: that of the first alternative whose condition holds.
    package func layout(of content: RawSpan, in context: some PayloadContext) -> Layout? {
        choice.layout(of: content, in: context)
    }

    /// Names of the characteristics that conditions reference.
    var contextCharacteristics: Set<String> {
        Set(choice.alternatives.flatMap { $0.condition?.characteristics ?? [] })
    }
}

/// Selects the layout of advertised data of one owner.
package struct AdvertisedReader: Sendable {
    package let carrier: GAP.DataOwner
    private let choice: LayoutChoice

    init(carrier: GAP.DataOwner, choice: LayoutChoice) {
        self.carrier = carrier
        self.choice = choice
    }

    /// The layout of the data: that of the first alternative whose condition holds.
    package func layout(of value: RawSpan, in context: some PayloadContext) -> Layout? {
        choice.layout(of: value, in: context)
    }
}

/// Alternative layouts of a value.
struct LayoutChoice: Sendable {
    /// A class: the alternatives are iterated for every value, and copying a struct would retain many references.
    final class Alternative: Sendable {
        let condition: ExpressionProgram?
        let layout: Layout

        init(condition: Expression?, layout: Layout) {
            self.condition = condition?.program
            self.layout = layout
        }
    }

    let alternatives: [Alternative]

    init(_ alternatives: [Alternative]) {
        self.alternatives = alternatives
    }

    var usesContext: Bool {
        alternatives.contains { $0.condition.map { !$0.characteristics.isEmpty || $0.asksRequest } ?? false }
    }

    /// The first alternative's layout, if it is unconditional.
    var sole: Layout? { alternatives.first.flatMap { $0.condition == nil ? $0.layout : nil } }

    func layout(of value: RawSpan, in context: some PayloadContext) -> Layout? {
        for alternative in alternatives {
            guard let condition = alternative.condition else { return alternative.layout }
            if condition.evaluate(over: value, in: NoFields(context)).boolean ?? false { return alternative.layout }
        }
        return nil
    }
}

extension OperationKind {
    /// Index among all operations.
    public var index: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .notify: 2
        case .indicate: 3
        }
    }
}
