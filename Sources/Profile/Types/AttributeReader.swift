public import Bluetooth

/// How the values of one attribute are read: which type each of them has. It is a class, as it is asked for with every value.
package final class AttributeReader: Sendable {
    package let name: String
    package let title: String
    /// The service that it belongs to; nil for a descriptor that any characteristic may have.
    package let service: UUID?
    /// Whether the type depends on what was written before or on the device's table.
    package let usesContext: Bool
    /// The characteristic or the message whose last value its values answer.
    package let request: String?
    /// By operation.
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

    /// The type of a value: that of the first alternative that holds; nil where there is none. What is unknown does not
    /// hold.
    package func layout(
        for operation: OperationKind, value: RawSpan, in context: some PayloadContext
    ) -> Layout? {
        choices[operation.index].layout(of: value, in: context)
    }

    /// The same in the context of a check, which asks with every value.
    package func layout(for operation: OperationKind, value: RawSpan, in context: DeviceContext) -> Layout? {
        choices[operation.index].layout(of: value, in: context)
    }

    /// The type of all values; nil where it depends on them or on what was before.
    package func soleLayout(for operation: OperationKind) -> Layout? { choices[operation.index].sole }

    /// Names of the characteristics that conditions ask for.
    var contextCharacteristics: Set<String> {
        Set(choices.flatMap { $0.alternatives.flatMap { $0.condition?.characteristics ?? [] } })
    }

    /// Whether all values have this type.
    package func hasOnly(_ type: String) -> Bool {
        choices.allSatisfy { $0.alternatives.allSatisfy { $0.layout.name == type } }
    }

    /// The types that a value may have, in the order in which they are tried.
    package func layouts(for operation: OperationKind) -> [Layout] {
        choices[operation.index].alternatives.map(\.layout)
    }
}

/// How messages of one kind are read.
package struct MessageReader: Sendable {
    package let definition: MessageDefinition
    private let choice: LayoutChoice

    init(_ definition: MessageDefinition, choice: LayoutChoice) {
        self.definition = definition
        self.choice = choice
    }

    /// The type of a message: that of the first alternative that holds.
    package func layout(of content: RawSpan, in context: some PayloadContext) -> Layout? {
        choice.layout(of: content, in: context)
    }

    /// Names of the characteristics that conditions ask for.
    var contextCharacteristics: Set<String> {
        Set(choice.alternatives.flatMap { $0.condition?.characteristics ?? [] })
    }
}

/// How advertised data of one carrier are read.
package struct AdvertisedReader: Sendable {
    package let carrier: GAP.DataOwner
    private let choice: LayoutChoice

    init(carrier: GAP.DataOwner, choice: LayoutChoice) {
        self.carrier = carrier
        self.choice = choice
    }

    /// The type of the data: that of the first alternative that holds.
    package func layout(of value: RawSpan, in context: some PayloadContext) -> Layout? {
        choice.layout(of: value, in: context)
    }
}

/// Alternatives for the type of a value.
struct LayoutChoice: Sendable {
    /// A class: the alternatives of every value are gone through, and to copy one is to count many references.
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

    /// The layout that the first alternative has for all values.
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
    /// Its place among all operations.
    public var index: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .notify: 2
        case .indicate: 3
        }
    }
}
