package import Bytes

/// What every PDU must hold to, tried on one example of it.
package enum WireFormatCheck {
    /// Everything that is wrong with how `type` reads and writes `bytes`: it must write what it has read, read the same
    /// with a recorder, and read every shorter input without a trap, throwing an error that lies inside of the input
    /// or a value that writes the shorter input again. Empty when all is well.
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
