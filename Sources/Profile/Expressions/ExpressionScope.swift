/// Source of the fields of an expression.
package protocol ExpressionScope {
    /// The value of the program's reference `number`; `Operand.unknown` if there is none.
    func operand(_ number: Int, of program: ExpressionProgram) -> Operand
    /// A text field's content, or the name of an enumeration's value; nil for a value without a name.
    func text(_ number: Int, of program: ExpressionProgram) -> String?
    /// A byte of the value last written to a characteristic.
    func written(to characteristic: String, at offset: Int) -> UInt8?
    /// Whether the device has a characteristic; nil if unknown.
    func has(_ characteristic: String) -> Bool?
}

/// A scope without fields, for choosing a value's type.
package struct NoFields<Context: PayloadContext>: ExpressionScope {
    package let context: Context

    package init(_ context: Context) {
        self.context = context
    }

    package func operand(_ number: Int, of program: ExpressionProgram) -> Operand {
        context.requestOperand(program.references[number]) ?? .unknown
    }
    package func text(_ number: Int, of program: ExpressionProgram) -> String? {
        context.requestText(program.references[number])
    }
    package func written(to characteristic: String, at offset: Int) -> UInt8? {
        context.written(to: characteristic, at: offset)
    }
    package func has(_ characteristic: String) -> Bool? { context.has(characteristic) }
}

/// Fields of a decoded value, by path.
package struct ValueScope<Context: PayloadContext>: ExpressionScope {
    package let value: Value
    package let context: Context

    package init(_ value: Value, in context: Context = NoContext()) {
        self.value = value
        self.context = context
    }

    package func operand(_ number: Int, of program: ExpressionProgram) -> Operand {
        let reference = program.references[number]
        return context.requestOperand(reference) ?? value.operand(at: reference.path, reference.use)
    }

    package func text(_ number: Int, of program: ExpressionProgram) -> String? {
        let reference = program.references[number]
        return reference.requestPath == nil ? value.text(at: reference.path) : context.requestText(reference)
    }

    package func written(to characteristic: String, at offset: Int) -> UInt8? {
        context.written(to: characteristic, at: offset)
    }
    package func has(_ characteristic: String) -> Bool? { context.has(characteristic) }
}

extension PayloadContext {
    /// A field of the request; nil for a reference to the value itself.
    func requestOperand(_ reference: ExpressionProgram.Reference) -> Operand? {
        guard let path = reference.requestPath else { return nil }
        return request?.operand(at: path, reference.use) ?? .unknown
    }

    func requestText(_ reference: ExpressionProgram.Reference) -> String? {
        reference.requestPath.flatMap { path in request.flatMap { $0.text(at: path) } }
    }
}

extension Value {
    /// The operand at a path.
    fileprivate func operand(at path: String, _ use: ExpressionProgram.Reference.Use) -> Operand {
        let path = path.split(separator: ".").map(String.init)
        switch use {
        case .value: return value(at: path[...])?.operand ?? .unknown
        case .count:
            guard case .list(let elements)? = value(at: path[...]) else { return .unknown }
            return .integer(Int64(elements.count))
        case .sum: return sum(of: path[...]) ?? .unknown
        }
    }

    fileprivate func text(at path: String) -> String? {
        let path = path.split(separator: ".").map(String.init)
        return switch value(at: path[...]) {
        case .text(let text): text
        case .named(_, let name): name
        default: nil
        }
    }

    /// The field at a path through nested records; nil if there is none.
    public func value(at path: ArraySlice<String>) -> Value? {
        guard let name = path.first else { return self }
        guard case .record(let record) = self else { return nil }
        return record[name]?.value(at: path.dropFirst())
    }

    /// The value as an operand.
    fileprivate var operand: Operand {
        switch self {
        case .integer(let number), .time(let number, _): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .named(let number, _): .unsigned(number)
        case .real(let number): .real(number)
        case .boolean(let value): .boolean(value)
        case .text: .text
        case .bytes, .list, .record, .absent: .unknown
        }
    }

    /// Sum of all numbers at the path, through lists and records; nil if unknown.
    fileprivate func sum(of path: ArraySlice<String>) -> Operand? {
        switch self {
        case .list(let elements):
            var sum = Operand.integer(0)
            for element in elements {
                guard let part = element.sum(of: path) else { return nil }
                sum = sum.adding(part)
            }
            return sum
        case .record(let record):
            guard let name = path.first, let field = record[name] else { return nil }
            return field.sum(of: path.dropFirst())
        case .absent: return .integer(0)
        default: return path.isEmpty ? operand : nil
        }
    }
}
