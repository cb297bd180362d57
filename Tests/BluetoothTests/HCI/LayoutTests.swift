import Bluetooth
import Bytes
import Testing

private let untyped = Layout.all.filter { !$0.isTyped }

@Test(arguments: untyped)
func rowWritesWhatItReads(layout: Layout) throws {
    for seed: UInt64 in 1...8 {
        var maker = SampleMaker(layout.side, seed: seed)
        let values = maker.values(layout.parameters)
        let bytes = try HCI.bytes(of: layout.parameters, layout.side, values)
        var reader = ByteReader(bytes.span)
        let read = try HCI.readValues(layout.parameters, layout.side, from: &reader)
        let left = reader.remaining
        #expect(read == values)
        #expect(left == 0, "\(layout.name) leaves \(left) bytes")
    }
}

@Test(arguments: untyped)
func rowRecordsEveryByteAndOnlyKnownFields(layout: Layout) throws {
    let known = Set(HCI.Fields.all)
    for seed: UInt64 in 1...8 {
        var maker = SampleMaker(layout.side, seed: seed)
        let bytes = try HCI.bytes(of: layout.parameters, layout.side, maker.values(layout.parameters))
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes.span, origin: 3, recorder: recorder)
        _ = try HCI.readValues(layout.parameters, layout.side, from: &reader)
        #expect(recorder.fields.allSatisfy { known.contains($0.field) })
        #expect(recorder.fields.allSatisfy { $0.offset >= 3 && Int($0.offset + $0.length) <= 3 + bytes.count })
        var covered = Set<Int>()
        for field in recorder.fields { covered.formUnion(Int(field.offset) - 3..<Int(field.offset + field.length) - 3) }
        let lost = bytes.indices.filter { !covered.contains($0) && bytes[$0] != 0 }
        #expect(lost == [], "\(layout.name) loses bytes")
    }
}

@Test(arguments: untyped)
func rowSurvivesTruncation(layout: Layout) throws {
    var maker = SampleMaker(layout.side, seed: 3)
    let bytes = try HCI.bytes(of: layout.parameters, layout.side, maker.values(layout.parameters))
    for count in bytes.indices {
        let short = Array(bytes[..<count])
        var reader = ByteReader(short.span)
        do throws(DecodeError) {
            _ = try HCI.readValues(layout.parameters, layout.side, from: &reader)
        } catch {
            #expect(error.offset <= count && error.needed > error.available)
            #expect(!error.field.isEmpty)
        }
    }
}
