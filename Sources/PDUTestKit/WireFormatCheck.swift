package import Bytes

/// Checks that every PDU must pass, run on one example.
package enum WireFormatCheck {
    /// All faults in how `type` reads and writes `bytes`; empty when it passes. It must write the bytes that it read
    /// and read the same with a recorder. It must read every shorter input without a trap: it throws an error located
    /// inside the input, or returns a value that encodes to the shorter input.
    package static func faults(_ type: any WireFormat.Type, _ bytes: [UInt8]) -> [String] {
        var faults: [String] = []
        do {
            let written = try type.init(decoding: bytes).encoded
            if written != bytes { faults.append("\(type) writes \(hexText(written)) for \(hexText(bytes))") }
            let recorder = FieldRecorder()
            let recorded = try type.init(decoding: bytes, recorder: recorder).encoded
            if recorded != written { faults.append("\(type) reads differently with a recorder") }
            for field in recorder.fields where Int(field.offset) + Int(field.length) > bytes.count {
                faults.append("\(type): \(field.field.name) lies outside of the bytes")
            }
        } catch {
            faults.append("\(type) does not read \(hexText(bytes)): \(error)")
        }
        for count in bytes.indices {
            let short = Array(bytes[..<count])
            do throws(DecodeError) {
                let written = try type.init(decoding: short).encoded
                if written != short { faults.append("\(type) reads \(hexText(short)) and writes \(hexText(written))") }
            } catch {
                if error.offset > count || (error.reason == .truncated && error.needed <= error.available) {
                    faults.append("\(type): an error that does not fit \(hexText(short)): \(error)")
                }
            }
        }
        return faults
    }
}
