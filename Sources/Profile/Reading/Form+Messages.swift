// Section `messages`.

extension Form where Value == MessageDefinition {
    static var message: Self {
        Form(mapping: "a message") { keys in
            let name = keys.require("name", .name)
            let title = keys.take("title", .line)
            let doc = keys.take("doc", .text)
            let characteristic = keys.require("characteristic", .name)
            let operation = keys.require("operation", Form<OperationKind>.word)
            let framing = keys.one(
                of: "how its parts are told",
                [
                    ("chunks", .chunks),
                    (
                        "length_prefix",
                        .word((1...4).map { ("u\($0 * 8)", MessageDefinition.Framing.lengthPrefix(bytes: $0)) })
                    ),
                    ("stream", Form<StreamFraming>.stream.map { .stream($0) }),
                ])
            let reading = keys.require("type", .payload)
            let timeout = keys.take("timeout", .duration)
            let request = keys.take("request", .name)
            let part = keys.take("part", .integer(1...512))
            guard let name, let characteristic, let operation, let framing, let reading else { return nil }
            var message = Value(
                name: name, title: title ?? Form<String>.title(from: name), characteristic: characteristic,
                operation: operation, framing: framing, reading: reading, place: keys.place)
            message.doc = doc
            message.timeout = timeout
            message.request = request
            message.part = part
            return message
        }
    }
}

extension Form where Value == MessageDefinition.Framing {
    fileprivate static var chunks: Self {
        Form(mapping: "the fields with index, total and content") { keys in
            let index = keys.require("index", .path)
            let total = keys.require("total", .path)
            let content = keys.require("content", .path)
            guard let index, let total, let content else { return nil }
            return .chunks(index: index, total: total, content: content)
        }
    }
}

// MARK: - Streams

extension Form where Value == StreamFraming {
    fileprivate static var stream: Self {
        Form(mapping: "delimiters or a length, like {start: DD, end: 77}") { keys in
            var framing = Value()
            framing.start = keys.take("start", .delimiter) ?? []
            framing.end = keys.take("end", .delimiter) ?? []
            framing.escape = keys.take("escape", .escape)
            framing.length = keys.take("length", .streamLength)
            framing.limit = keys.take("at_most", .integer(1...StreamFraming.largestLimit)) ?? StreamFraming.defaultLimit
            if !keys.has("end"), !keys.has("length") { keys.missing("what ends a message, \"end\" or \"length\"") }
            if framing.escape != nil, framing.start.count > 1 || framing.end.count > 1 {
                keys.report("expected delimiters of one byte beside it", at: "escape")
            }
            if case .field(let field)? = framing.length, field.offset + field.size > framing.limit {
                keys.report("expected a place within the \(framing.limit) bytes of a message", at: "length")
            }
            if case .fixed(let length)? = framing.length, length > framing.limit {
                keys.report("expected at most \(framing.limit) bytes, as \"at_most\" says", at: "length")
            }
            return framing
        }
    }
}

extension Form where Value == [UInt8] {
    fileprivate static var delimiter: Self {
        let limit = StreamFraming.delimiterLimit
        return Form("1 to \(limit) bytes in hexadecimal") { node, faults in
            guard let bytes = Form.bytes.read(node, faults) else { return nil }
            if (1...limit).contains(bytes.count) { return bytes }
            faults.add("expected 1 to \(limit) bytes, found \(bytes.count)", at: node)
            return nil
        }
    }
}

extension Form where Value == UInt8 {
    /// One byte in hexadecimal, like those of delimiters.
    fileprivate static var byte: Self {
        Form(scalar: "a byte in hexadecimal, like 7D") { $0.text.count == 2 ? UInt8($0.text, radix: 16) : nil }
    }
}

extension Form where Value == StreamFraming.Escape {
    fileprivate static var escape: Self {
        Form(mapping: "a byte, and what those after it stand for, like {byte: 7D, xor: 20}") { keys in
            let byte = keys.require("byte", .byte)
            let form = keys.one(
                of: "what a byte after it stands for",
                [
                    ("xor", Form<UInt8>.byte.map { StreamFraming.Escape.Form.xor($0) }),
                    (
                        "codes",
                        Form<[(key: UInt8, value: UInt8, place: SourcePlace)]>
                            .entries("bytes by byte, like {DC: C0, DD: DB}", .byte, .byte)
                            .map { codes in .codes(Dictionary(codes.map { ($0.key, $0.value) }) { first, _ in first }) }
                    ),
                ])
            guard let byte, let form else { return nil }
            return Value(byte, form)
        }
    }
}

extension Form where Value == StreamFraming.Length {
    /// A number of bytes, or the field that contains it.
    fileprivate static var streamLength: Self {
        let fixed = Form<Int>.integer(1...StreamFraming.largestLimit).map { Value.fixed($0) }
        let field = Form<StreamFraming.LengthField>.lengthField.map { Value.field($0) }
        return Form("a number of bytes, or the place of one: {at: 2, type: u8, add: 5}") { node, faults in
            if case .mapping = node.content { return field.read(node, faults) }
            return fixed.read(node, faults)
        }
    }
}

extension Form where Value == StreamFraming.LengthField {
    fileprivate static var lengthField: Self {
        Form(mapping: "the place of a length") { keys in
            let offset = keys.require("at", .integer(0...0xFFFF))
            let addend = keys.take("add", .integer(-0xFFFF...0xFFFF)) ?? 0
            if keys.has("digits") {
                let digits = keys.take("digits", .integer(1...5))
                let base = keys.take("base", .word([("10", 10), ("16", 16)])) ?? 10
                keys.refuse(["type", "endian"], "does not go with digits")
                guard let offset, let digits else { return nil }
                return Value(offset: offset, size: digits, form: .digits(base: base), addend: addend)
            }
            let size = keys.require("type", .word([("u8", 1), ("u16", 2), ("u24", 3), ("u32", 4)]))
            let endian = keys.take("endian", .endian) ?? .little
            keys.refuse(["base"], "belongs to digits")
            guard let offset, let size else { return nil }
            return Value(offset: offset, size: size, form: .unsigned(isBigEndian: endian == .big), addend: addend)
        }
    }
}
