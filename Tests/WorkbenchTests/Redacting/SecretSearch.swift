import Foundation

/// A secret that is put into a capture, and the forms in which an output could still have it.
struct Secret: Sendable, CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    var isText = false

    init(_ description: String, _ bytes: [UInt8]) {
        self.description = description
        self.bytes = bytes
    }

    init(_ description: String, text: String) {
        self.init(description, Array(text.utf8))
        isText = true
    }

    /// The bytes in both orders, in hexadecimal digits, in UTF-16 and in base64 wherever a group of it begins.
    var forms: [[UInt8]] {
        var forms: [[UInt8]] = []
        for bytes in [bytes, Array(bytes.reversed())] {
            forms.append(bytes)
            let digits = bytes.map { String(format: "%02x", $0) }
            for separator in ["", ":", " ", "-"] {
                let text = digits.joined(separator: separator)
                forms += [Array(text.utf8), Array(text.uppercased().utf8)]
            }
            for start in 0..<3 where bytes.count >= start + 6 {
                let groups = bytes.dropFirst(start).prefix((bytes.count - start) / 3 * 3)
                forms.append(Array(Data(groups).base64EncodedString().utf8))
            }
        }
        if isText {
            let units = Array(String(decoding: bytes, as: UTF8.self).utf16)
            forms.append(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
            forms.append(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        return forms
    }

    /// Whether an output has the secret in any form.
    func isFound(in output: [UInt8]) -> Bool { forms.contains { output.contains($0) } }
}
