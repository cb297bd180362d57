package import Bytes

/// The differences between two captures as JSON, without row limits; docs/diff.md describes its members.
extension CaptureComparison {
    package var json: JSONValue {
        .members([
            "a": Self.json(a),
            "b": Self.json(b),
            "tolerance": .number(options.tolerance),
            "differs": .boolean(differs),
            "differences": .integer(count),
            "connections": .array(connections.map(\.json)),
            "only_a": .array(onlyA.map { json($0, missingFrom: b) }),
            "only_b": .array(onlyB.map { json($0, missingFrom: a) }),
        ])
    }

    private static func json(_ outline: CaptureOutline) -> JSONValue {
        .members([
            "file": .string(outline.file),
            "frames": .integer(outline.frames),
            "connections": .integer(outline.connections.count),
            "procedures": .integer(outline.procedureCount),
            "omitted_connections": .integer(outline.omittedConnections),
            "omitted_procedures": .integer(outline.omittedProcedures),
        ])
    }

    private func json(_ connection: ConnectionOutline, missingFrom other: CaptureOutline) -> JSONValue {
        .members([
            "connection": .integer(connection.number),
            "device": .string(connection.device.name),
            "address": connection.device.address.map { .string($0) },
            "procedures": .integer(connection.procedures.count),
            "difference": .boolean(isDifference(connection, missingFrom: other)),
        ])
    }
}

extension ConnectionComparison {
    fileprivate var json: JSONValue {
        .members([
            "a": Self.json(a),
            "b": Self.json(b),
            "common": .integer(common),
            "uncertain": .integer(uncertain),
            "in_one_view": .integer(inOneView),
            "omitted": .integer(omitted),
            "differences": .array(differences.map(\.json)),
        ])
    }

    private static func json(_ connection: ConnectionOutline) -> JSONValue {
        .members([
            "connection": .integer(connection.number),
            "device": .string(connection.device.name),
            "address": connection.device.address.map { .string($0) },
            "plugin": connection.device.plugin.map { .string($0) },
            "view": .string(connection.view.rawValue),
            "procedures": .integer(connection.procedures.count),
            "encrypted": .boolean(connection.hasUnreadTraffic),
        ])
    }
}

extension Difference {
    fileprivate var json: JSONValue {
        .members([
            "kind": .string(kind == .only ? (a == nil ? "only_b" : "only_a") : kind.rawValue),
            "subject": .string(subject),
            "a": a.map { Self.json($0) },
            "b": b.map { Self.json($0) },
            "count": .integer(count),
            "compared": compared.map { .integer($0) },
            "fields": .array(
                fields.map { field in
                    .members([
                        "name": .string(field.name), "a": field.a.map { .string($0) } ?? .null,
                        "b": field.b.map { .string($0) } ?? .null,
                    ])
                }),
        ])
    }

    /// First and last frame.
    private static func json(_ frames: ClosedRange<Int>) -> JSONValue {
        .array([.integer(frames.lowerBound), .integer(frames.upperBound)])
    }
}
