import Bytes
import Hummingbird
import NIOCore

extension Request {
    /// An integer query parameter within a range; `fallback` if it is missing.
    func integer(_ name: String, in range: ClosedRange<Int>, or fallback: Int) throws(WebFault) -> Int {
        guard let text = uri.queryParameters[name[...]] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw WebFault(.badRequest, "\(name): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The time range given by the query parameters `from` and `to`; the whole file without them.
    func span(of file: OpenFile) throws(WebFault) -> ClosedRange<Double> {
        let from = try seconds("from") ?? 0
        let end = try seconds("to") ?? max(from, file.index.progress.duration)
        guard from <= end else { throw WebFault(.badRequest, "to: expected a time that is not before from") }
        return from...end
    }

    /// A time query parameter; nil if it is missing.
    private func seconds(_ name: String) throws(WebFault) -> Double? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        guard let seconds = Double(text), seconds.isFinite, abs(seconds) < 1e9 else {
            throw WebFault(.badRequest, "\(name): expected seconds")
        }
        return seconds
    }

    func text(_ name: String) -> String? { uri.queryParameters[name[...]].map { String($0) } }

    /// The names in a comma-separated list.
    func list(_ name: String) -> [String] {
        (text(name) ?? "").split(separator: ",").map(String.init)
    }

    /// The body as a JSON object.
    func object(upTo limit: Int = 64 << 10) async throws -> JSONValue {
        let buffer = try await body.collect(upTo: limit)
        do {
            let value = try JSONValue(reading: Array(buffer.readableBytesView))
            guard case .object = value else { throw WebFault(.badRequest, "the body: expected a JSON object") }
            return value
        } catch let fault as JSONValue.Fault {
            throw WebFault(.badRequest, "the body: \(fault)")
        }
    }
}

extension JSONValue {
    /// A text member with a length in `range`, in characters.
    func text(_ name: String, _ range: ClosedRange<Int>) throws(WebFault) -> String {
        guard let text = self[name]?.string, range.contains(text.unicodeScalars.count) else {
            throw WebFault(
                .badRequest, "\(name): expected a text of \(range.lowerBound) to \(range.upperBound) characters")
        }
        return text
    }
}
