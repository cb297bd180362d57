// Values of reactions may have fields of the request in place of values: `request.command`.
extension Value {
    /// Stands for a field of the request, until that has come.
    static func ofRequest(_ path: String) -> Value {
        .named(0, ExpressionProgram.Reference.requestPrefix + path)
    }

    private var requestPath: String? {
        // Names of values have no dots.
        guard case .named(_, let name?) = self, name.hasPrefix(ExpressionProgram.Reference.requestPrefix) else {
            return nil
        }
        return String(name.dropFirst(ExpressionProgram.Reference.requestPrefix.count))
    }

    /// Paths of the fields of the request that stand in it.
    package var requestPaths: [String] {
        switch self {
        case .list(let elements): elements.flatMap(\.requestPaths)
        case .record(let record): record.fields.flatMap(\.value.requestPaths)
        default: requestPath.map { [$0] } ?? []
        }
    }

    /// The value with the fields of a request in their places; nil where the request does not have them.
    package func answering(_ request: Value) -> Value? {
        switch self {
        case .list(let elements):
            let answers = elements.compactMap { $0.answering(request) }
            return answers.count == elements.count ? .list(answers) : nil
        case .record(var record):
            for index in record.fields.indices {
                guard let answer = record.fields[index].value.answering(request) else { return nil }
                record.fields[index].value = answer
            }
            return .record(record)
        default:
            guard let path = requestPath else { return self }
            return request.value(at: path.split(separator: ".").map(String.init)[...])
        }
    }
}
