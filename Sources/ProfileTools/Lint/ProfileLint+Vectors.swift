import Bytes
package import Profile

// Checks of vectors: whether they pass.
extension ProfileLint {
    mutating func checkVectors() {
        guard let compiled else { return }
        for vector in profile.vectors {
            guard let layout = compiled.types[vector.type], let fault = vector.fault(layout) else { continue }
            add(.failingVector, [vector.id, vector.type], "\(vector.id): \(fault)", at: vector.place)
        }
    }
}

extension Vector {
    /// The failure of the vector; nil if it passes.
    package func fault(_ layout: Layout) -> String? {
        switch expectation {
        case .value(let value): decodingFault(layout, value) ?? encodingFault(layout, value)
        case .decoded(let value): decodingFault(layout, value)
        case .error(let text): errorFault(layout, text)
        }
    }

    private func decodingFault(_ layout: Layout, _ expected: Value) -> String? {
        do throws(DecodeError) {
            var reader = ByteReader(bytes.span)
            let found = try layout.decode(&reader)
            if let difference = found.difference(from: expected) { return difference }
            return reader.isAtEnd ? nil : "\(reader.remaining) of its bytes are left over"
        } catch {
            return "cannot be decoded: \(error)"
        }
    }

    private func encodingFault(_ layout: Layout, _ value: Value) -> String? {
        do throws(EncodeError) {
            let encoded = try layout.encode(value)
            return encoded == bytes ? nil : "encodes to \(encoded.hexText), the vector has \(bytes.hexText)"
        } catch {
            return "cannot be encoded: \(error)"
        }
    }

    private func errorFault(_ layout: Layout, _ text: String) -> String? {
        do throws(DecodeError) {
            let value = try layout.decode(bytes)
            return "expected an error with \"\(text)\", but it decodes to \(value.brief)"
        } catch {
            return "\(error)".includes(text) ? nil : "expected an error with \"\(text)\", found \"\(error)\""
        }
    }
}

extension [UInt8] {
    /// The bytes in the notation of vectors.
    fileprivate var hexText: String {
        map { String($0 >> 4, radix: 16, uppercase: true) + String($0 & 15, radix: 16, uppercase: true) }
            .joined(separator: " ")
    }
}

// MARK: - Comparing values

extension Value {
    /// The first difference of this decoded value from the expected one; nil if they match.
    func difference(from expected: Value, at path: String = "") -> String? {
        let prefix = path.isEmpty ? "" : "\(path): "
        switch (self, expected) {
        case (.record(let found), .record(let wanted)):
            for field in wanted.fields {
                let inner = path.isEmpty ? field.name : "\(path).\(field.name)"
                guard let value = found[field.name] else {
                    if case .absent = field.value { continue }
                    return "\(inner): expected \(field.value.brief), found nothing"
                }
                if let difference = value.difference(from: field.value, at: inner) { return difference }
            }
            let extra = found.fields.first { field in
                if case .absent = field.value { return false }
                return wanted[field.name] == nil
            }
            return extra.map { "\(prefix)\($0.name) is there as well: \($0.value.brief)" }
        case (.list(let found), .list(let wanted)):
            if found.count != wanted.count { return "\(prefix)expected \(wanted.count) elements, found \(found.count)" }
            for (index, pair) in zip(found, wanted).enumerated() {
                if let difference = pair.0.difference(from: pair.1, at: "\(path)[\(index)]") { return difference }
            }
            return nil
        case (.real(let found), .real(let wanted)) where found.isClose(to: wanted): return nil
        default: return self == expected ? nil : "\(prefix)expected \(expected.brief), found \(brief)"
        }
    }

    /// Short description of the value, for diagnostics.
    fileprivate var brief: String {
        switch self {
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let value): "\(value)"
        case .text(let text): "\"\(text)\""
        case .bytes(let bytes): bytes.hexText
        case .named(let number, let name): name.map { "\($0) (\(number))" } ?? "\(number)"
        case .time(let number, _): "time \(number)"
        case .list(let elements): "a list of \(elements.count)"
        case .record(let record): "{\(record.fields.map { "\($0.name): \($0.value.brief)" }.joined(separator: ", "))}"
        case .absent: "nothing"
        }
    }
}

extension Double {
    /// Whether two numbers are equal within the rounding error of binary arithmetic.
    fileprivate func isClose(to other: Double) -> Bool {
        self == other || isNaN && other.isNaN || abs(self - other) <= 1e-9 * max(abs(self), abs(other))
    }
}
