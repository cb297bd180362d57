import Bytes
import Foundation
import PDUTestKit
package import Profile
import ProfileTools

/// The profile of a plugin in this project, with queries for tests.
package struct ProfileUnderTest: Sendable {
    package let compiled: CompiledProfile

    package var profile: Profile { compiled.profile }

    /// Reads `Plugins/<name>/profile.yaml`.
    package init(plugin name: String) throws {
        let path = "Plugins/\(name)/profile.yaml"
        compiled = try CompiledProfile(ProfileReader.read(Repository.text(path), file: path))
    }

    package func vector(_ id: String) -> Vector? { profile.vectors.first { $0.id == id } }

    /// The decoded value of a vector.
    package func decode(_ vector: Vector) throws -> Value {
        guard let layout = compiled.types[vector.type] else { throw MissingType(name: vector.type) }
        return try layout.decode(vector.bytes)
    }

    /// Why a vector fails; nil if it passes.
    package func failure(of vector: Vector) -> String? {
        guard let layout = compiled.types[vector.type] else { return "there is no type \(vector.type)" }
        return vector.fault(layout)
    }

    /// The findings of strict lint, and the accepted findings as `check at`, in the order of the file.
    package var lint: (findings: [String], accepted: [String]) {
        let report = ProfileLint.report(on: profile, strict: true)
        return (
            report.findings.map { $0.line(in: profile.file) },
            report.accepted.map { "\($0.acceptance.finding) \($0.acceptance.at)" }
        )
    }

    package struct MissingType: Error {
        package var name: String
    }
}

// MARK: - Compact text of values

extension Value {
    /// Compact text: `level=412 flags=(calibrated stable) records=[id=1; id=2]`. Leaves out flags that are not set and
    /// absent fields; named values appear as their name, times as raw numbers.
    package var brief: String {
        switch self {
        case .integer(let number), .time(let number, _): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let value): "\(value)"
        case .text(let text): text
        case .bytes(let bytes): hexText(bytes)
        case .named(let number, let name): name ?? "\(number)"
        case .list(let elements): "[" + elements.map(\.brief).joined(separator: "; ") + "]"
        case .record(let record): record.brief
        case .absent: ""
        }
    }
}

extension Record {
    fileprivate var brief: String {
        fields.compactMap { field in
            switch field.value {
            case .absent: nil
            case .record(let part): "\(field.name)=(\(part.flags))"
            default: "\(field.name)=\(field.value.brief)"
            }
        }.joined(separator: " ")
    }

    /// The bit fields of a number; Booleans appear as their name if set.
    private var flags: String {
        fields.compactMap { field in
            switch field.value {
            case .boolean(let isSet): isSet ? field.name : nil
            case .absent: nil
            default: "\(field.name)=\(field.value.brief)"
            }
        }.joined(separator: " ")
    }
}

// MARK: - The protocol document

/// The vectors in separate blocks of a device's protocol document, which is not part of the project.
package struct ReferenceDescription: Sendable {
    /// Bytes by ID; nil if the document is missing.
    package let vectors: [String: [UInt8]]?

    /// Reads the document of this name next to the project: `../shared/protocols/<name>.md`.
    package init(_ name: String) {
        let path = Repository.shared.appending(path: "protocols/\(name).md")
        guard let text = try? String(contentsOf: path, encoding: .utf8) else {
            vectors = nil
            return
        }
        var vectors: [String: [UInt8]] = [:]
        var isInside = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isInside = line == "```vectors" }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if isInside, parts.count == 2 { vectors[parts[0]] = hex(parts[1]) }
        }
        self.vectors = vectors
    }
}
