import Bytes
package import Causes

/// Incidents as JSON, as docs/why.md describes.
package enum IncidentJSON {
    /// One capture as an object, several as an array.
    package static func text(_ lists: [IncidentList], isArray: Bool) -> String {
        let values = lists.map(value)
        return isArray ? JSONValue.array(values).text : (values.first ?? .array([])).text
    }

    private static func value(_ list: IncidentList) -> JSONValue {
        .members([
            "file": .string(list.file), "frames": .integer(list.frames),
            "incidents": .array(list.incidents.map(value)),
            "omitted": list.omitted > 0 ? .integer(list.omitted) : nil,
            "not_read": list.incompleteness.map { .string($0) },
        ])
    }

    private static func value(_ incident: Incident) -> JSONValue {
        .members([
            "connection": incident.connection.map { .integer($0) },
            "device": incident.device.map { .string($0) },
            "what": .string(incident.what.rawValue),
            "cause": incident.cause.map { .string($0) },
            "confidence": incident.confidence.map { .string($0.rawValue) },
            "frames": .array(incident.frames.map { .integer($0) }),
            "text": .string(incident.text),
            "advice": incident.advice.isEmpty ? nil : .string(incident.advice),
            "considered": .array(
                incident.considered.map {
                    .members(["cause": .string($0.cause), "against": .string($0.against)])
                }),
        ])
    }
}
