/// Writes trees of YAML as text that needs no parser: each node is a letter, its place and its content.
///
///     node    = ("p" / "P" / "q") place text [place]     ; scalar: plain, plain that begins elsewhere, other
///             / "l" place number *node                   ; list: count, nodes
///             / "m" place entries                        ; mapping
///     entries = number *(node node)                      ; a key and its value
///     place   = number number                            ; line, column
///     text    = number *octet                            ; bytes of UTF-8
///
/// A number has five bits in each character, the lowest first: "0" to "O" for the last one, "P" to "o" before it.
struct TreePacker {
    private var text = ""

    /// The text of a mapping's entries.
    static func text(of entries: [YAMLNode.Entry]) -> String {
        var packer = TreePacker()
        packer.write(entries)
        return packer.text
    }

    private mutating func write(_ entries: [YAMLNode.Entry]) {
        write(entries.count)
        for entry in entries {
            write(entry.key, at: entry.place)
            write(entry.value)
        }
    }

    private mutating func write(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar): write(scalar, at: node.place)
        case .list(let nodes):
            text += "l"
            write(node.place)
            write(nodes.count)
            for node in nodes { write(node) }
        case .mapping(let entries):
            text += "m"
            write(node.place)
            write(entries)
        }
    }

    private mutating func write(_ scalar: YAMLNode.Scalar, at place: SourcePlace) {
        let beginsThere = scalar.isPlain && scalar.start == place
        text += beginsThere ? "p" : scalar.isPlain ? "P" : "q"
        write(place)
        write(scalar.text.utf8.count)
        text += scalar.text
        if !beginsThere { write(scalar.start) }
    }

    private mutating func write(_ place: SourcePlace) {
        write(place.line)
        write(place.column)
    }

    private mutating func write(_ number: Int) {
        var rest = number
        repeat {
            let isLast = rest < 32
            text.unicodeScalars.append(Unicode.Scalar(UInt8(0x30 + rest % 32 + (isLast ? 0 : 32))))
            rest /= 32
        } while rest > 0
    }
}

/// Reads what `TreePacker` wrote. A text that it did not write reads as empty nodes.
struct TreeUnpacker {
    private let bytes: [UInt8]
    private var offset = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The mapping in a text.
    static func node(of text: String) -> YAMLNode {
        YAMLNode(content: .mapping(entries(of: text)), place: .start, label: "")
    }

    /// The entries of a mapping in a text.
    static func entries(of text: String) -> [YAMLNode.Entry] {
        var unpacker = TreeUnpacker(text)
        return unpacker.entries()
    }

    private mutating func entries() -> [YAMLNode.Entry] {
        let count = countOfParts()
        var entries: [YAMLNode.Entry] = []
        entries.reserveCapacity(count)
        for _ in 0..<count {
            let letter = byte()
            let place = place()
            let key = scalar(letter, at: place)
            entries.append(YAMLNode.Entry(key: key, place: place, value: node(label: key.text)))
        }
        return entries
    }

    private mutating func node(label: String) -> YAMLNode {
        let letter = byte()
        let place = place()
        let content: YAMLNode.Content
        switch letter {
        case UInt8(ascii: "l"):
            let count = countOfParts()
            var nodes: [YAMLNode] = []
            nodes.reserveCapacity(count)
            for _ in 0..<count { nodes.append(node(label: label)) }
            content = .list(nodes)
        case UInt8(ascii: "m"): content = .mapping(entries())
        default: content = .scalar(scalar(letter, at: place))
        }
        return YAMLNode(content: content, place: place, label: label)
    }

    private mutating func scalar(_ letter: UInt8, at place: SourcePlace) -> YAMLNode.Scalar {
        let count = number()
        let start = offset
        offset = min(start + min(count, bytes.count), bytes.count)
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        let begin = letter == UInt8(ascii: "p") ? place : self.place()
        return YAMLNode.Scalar(text: text, isPlain: letter != UInt8(ascii: "q"), start: begin)
    }

    /// How many entries or nodes follow; each needs a byte at least.
    private mutating func countOfParts() -> Int { min(number(), bytes.count - offset) }

    private mutating func place() -> SourcePlace {
        let line = number()
        return SourcePlace(line: line, column: number())
    }

    private mutating func number() -> Int {
        var number = 0
        var shift = 0
        while shift < 60 {
            let digit = Int(byte()) & 0x7F - 0x30
            number |= (digit & 31) << shift
            if digit < 32 { break }
            shift += 5
        }
        return number
    }

    private mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }
}
