import Bytes
import PluginKit
import Profile
import TestKit
import Testing

/// The profile's vectors, against the engine, the protocol document and its tables.
struct VectorTests {
    static let puck = Result { try ProfileUnderTest(plugin: "Aquavate") }
    private static let reference = ReferenceDescription("aquavate")

    @Test func everyVectorPasses() throws {
        let puck = try Self.puck.get()
        #expect(puck.profile.vectors.count >= 100)
        for vector in puck.profile.vectors {
            let fault = puck.failure(of: vector)
            #expect(fault == nil, "\(vector.id): \(fault ?? "")")
        }
    }

    @Test(arguments: DecodedValues.all)
    func valuesAreThoseOfTheTables(_ expected: (id: String, text: String)) throws {
        let puck = try Self.puck.get()
        let vector = try #require(puck.vector(expected.id))
        #expect(try puck.decode(vector).brief == expected.text)
    }

    /// A chunk header without its records is not a complete value, but its fields are still recorded.
    @Test func theHeaderOfACutChunkIsKept() throws {
        let puck = try Self.puck.get()
        let vector = try #require(puck.vector("V-DRINK-HEADER-20"))
        let layout = try #require(puck.compiled.types[vector.type])
        let recorder = FieldRecorder()
        var reader = ByteReader(vector.bytes.span, recorder: recorder)
        #expect(throws: DecodeError.self) { try layout.read(&reader) }
        let numbers = Dictionary(recorder.fields.map { ($0.field.name, $0.value) }) { first, _ in first }
        #expect(numbers["aquavate.drink_chunk.chunk_index"] == 0)
        #expect(numbers["aquavate.drink_chunk.total_chunks"] == 3)
        #expect(numbers["aquavate.drink_chunk.record_count"] == 20)
    }

    @Test func everyVectorOfTheDescriptionHasItsValueHere() {
        let named = DecodedValues.all.map(\.id) + ["V-DRINK-HEADER-20"]
        #expect(named.count == 72)
        #expect(Set(named).count == named.count)
    }

    @Test(.enabled(if: reference.vectors != nil, "../shared/protocols is not there"))
    func bytesAreThoseOfTheDescription() throws {
        let puck = try Self.puck.get()
        let vectors = try #require(Self.reference.vectors)
        #expect(vectors.count == 72)
        for (id, bytes) in vectors { #expect(puck.vector(id)?.bytes == bytes, "\(id)") }
    }

    @Test func aVectorThatIsWrongFails() throws {
        let puck = try Self.puck.get()
        var vector = try #require(puck.vector("V-CS-NORMAL"))
        vector.bytes[4] += 1
        #expect(puck.failure(of: vector) != nil)
        vector.expectation = .error("needs 1 byte")
        #expect(puck.failure(of: vector) != nil)
    }
}
