import Bytes
import PDUTestKit
import TestKit
import Testing
import Workbench

private func frameSchema() throws -> JSONSchema {
    let text = try Repository.bytes("docs/ndjson.schema.json")
    return try JSONSchema(JSONValue(reading: text))
}

private let ownCaptures = Repository.captures(in: "captures")
private let referenceCaptures = Repository.captures(in: "../shared/captures")

/// Every line of `decode -T ndjson`, or of `decode -T ndjson -V`.
private func lines(of capture: String, showsTree: Bool) async throws -> [JSONValue] {
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.format = .ndjson
    options.showsTree = showsTree
    let printed = Array(try await decode(Repository.path(capture), options).utf8)
    return try printed.split(separator: UInt8(ascii: "\n")).map { try JSONValue(reading: Array($0)) }
}

private func expectEveryLineKeepsToTheSchema(_ capture: String, showsTree: Bool = false) async throws {
    let schema = try frameSchema()
    let lines = try await lines(of: capture, showsTree: showsTree)
    #expect(!lines.isEmpty)
    for line in lines {
        let faults = schema.faults(in: line)
        #expect(faults.isEmpty, "\(capture), frame \(line["frame"] ?? .null): \(faults.joined(separator: "\n"))")
    }
}

@Test func thereAreCaptures() {
    #expect(ownCaptures.count > 40)
}

@Test(arguments: ownCaptures)
func everyLineKeepsToTheSchema(capture: String) async throws {
    try await expectEveryLineKeepsToTheSchema(capture)
}

@Test(arguments: ownCaptures)
func everyLineWithItsTreeKeepsToTheSchema(capture: String) async throws {
    try await expectEveryLineKeepsToTheSchema(capture, showsTree: true)
}

@Test(arguments: [false, true])
func whatAPluginReadsIsALayerOnlyOnRequest(showsTree: Bool) async throws {
    let lines = try await lines(of: "captures/aquavate-sync/capture.btsnoop", showsTree: showsTree)
        .filter { $0["device"] != nil }
    #expect(!lines.isEmpty)
    for line in lines {
        let layers = try #require(line["layers"]).elements
        #expect(layers.contains { $0["protocol"] == .string("device") } == showsTree)
    }
}

@Test(.enabled(if: !referenceCaptures.isEmpty, "../shared/captures is not there"), arguments: referenceCaptures)
func everyLineOfAReferenceCaptureKeepsToTheSchema(capture: String) async throws {
    try await expectEveryLineKeepsToTheSchema(capture)
}

// MARK: - The checker itself

/// A line that conforms to the schema.
private let goodLine = """
    {"frame":1,"time":"2026-03-01T12:00:00.000000Z","direction":"received","length":4,"captured":4,
    "layers":[{"protocol":"btatt","name":"Bluetooth Attribute Protocol","range":[0,4],"fields":[
    {"name":"btatt.handle","label":"Handle","value":18,"text":"0x0012","range":[1,3]}]}],
    "connection":1,"peer":"c0:ff:ee:00:12:34","peer_name":"Puck",
    "gatt":{"handle":18,"operation":"notification","confidence":"discovered","value":"55"},
    "device":{"plugin":"standard","message":"battery_level","fields":{"level":85}},
    "diagnosis":[{"severity":"note","layer":"btatt","offset":0,"text":"why"}]}
    """

private func faults(_ line: String) throws -> [String] {
    try frameSchema().faults(in: JSONValue(reading: Array(line.utf8)))
}

@Test func aGoodLineHasNoFaults() throws {
    #expect(try faults(goodLine) == [])
}

/// A replacement in the good line, and the location of the resulting fault.
private let breakages: [(String, String, String)] = [
    ("\"frame\":1,", "", "$: frame is missing"),
    ("\"frame\":1,", "\"frame\":0,", "$.frame"),
    ("\"frame\":1,", "\"frame\":1.5,", "$.frame"),
    ("\"frame\":1,", "\"frame\":\"1\",", "$.frame"),
    ("\"frame\":1,", "\"frame\":1,\"number\":1,", "$.number"),
    ("12:00:00.000000Z", "12:00:00.000Z", "$.time"),
    ("\"received\"", "\"incoming\"", "$.direction"),
    ("\"protocol\":\"btatt\"", "\"protocol\":\"\"", "$.layers[0].protocol"),
    ("\"range\":[0,4]", "\"range\":[0]", "$.layers[0].range"),
    ("\"range\":[0,4]", "\"range\":[0,4,5]", "$.layers[0].range"),
    ("\"range\":[1,3]", "\"range\":[-1,3]", "$.layers[0].fields[0].range[0]"),
    (",\"range\":[1,3]", "", "$.layers[0].fields[0]"),
    ("\"range\":[1,3]", "\"range\":[1,3],\"generated\":true", "$.layers[0].fields[0]"),
    ("\"value\":18", "\"value\":[18]", "$.layers[0].fields[0].value"),
    ("\"value\":18,", "", "$.layers[0].fields[0]: text without value"),
    ("c0:ff:ee:00:12:34", "C0:FF:EE:00:12:34", "$.peer"),
    ("\"peer_name\":\"Puck\"", "\"peer_name\":\"\"", "$.peer_name"),
    ("\"handle\":18", "\"handle\":65536", "$.gatt.handle"),
    ("\"discovered\"", "\"certain\"", "$.gatt.confidence"),
    ("\"value\":\"55\"", "\"value\":\"5\"", "$.gatt.value"),
    ("{\"level\":85}", "[85]", "$.device.fields"),
    ("\"severity\":\"note\",", "", "$.diagnosis[0]: severity is missing"),
]

@Test(arguments: breakages)
func aBrokenLineIsRefused(good: String, bad: String, fault: String) throws {
    #expect(goodLine.contains(good))
    let found = try faults(goodLine.replacing(good, with: bad, maxReplacements: 1))
    #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
}

@Test(arguments: [
    #"{"type":"object","unevaluatedProperties":false}"#, #"{"properties":{"a":{"multipleOf":2}}}"#,
    ##"{"items":{"$ref":"#/$defs/nothing"}}"##, #"{"required":["a",1]}"#, "[]",
])
func aSchemaThatCannotBeCheckedIsRefused(text: String) throws {
    let schema = try JSONValue(reading: Array(text.utf8))
    #expect(throws: JSONSchema.Unsupported.self) { try JSONSchema(schema) }
}
