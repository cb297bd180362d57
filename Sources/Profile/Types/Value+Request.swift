// Values in reactions may contain references to fields of the request: `request.command`.
extension Value {
    /// Placeholder for a field of the request.
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

    /// Paths of the request fields referenced in the value.
    package var requestPaths: [String] {
        switch self {
        case .list(let elements): elements.flatMap(\.requestPaths)
        case .record(let record): record.fields.flatMap(\.value.requestPaths)
        default: requestPath.map { [$0] } ?? []
        }
    }

    /// Substitutes fields of a request for the references; nil if the request lacks one.
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
