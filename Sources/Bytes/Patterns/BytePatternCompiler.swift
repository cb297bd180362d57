/// Compiles a regular expression into the steps of a `BytePattern`.
struct BytePatternCompiler {
    typealias Fault = BytePattern.Fault

    /// Maximum number of steps of a pattern.
    private static let maximumSteps = 5_000
    /// Maximum nesting depth of groups.
    private static let maximumDepth = 100
    /// Maximum number in `{n,m}`.
    private static let maximumCount = 1_000

    /// A part of the pattern.
    private indirect enum Node {
        case bytes(ByteSet)
        case assertion(BytePattern.Assertion)
        case sequence([Node])
        case alternatives([Node])
        /// No upper bound if `max` is nil.
        case repeated(Node, min: Int, max: Int?)
    }

    private let pattern: [UInt8]
    private var position = 0
    private var depth = 0
    private var steps: [BytePattern.Step] = []
    /// Nodes emitted so far, including nodes that produce no step.
    private var emitted = 0

    static func steps(of pattern: [UInt8]) throws(Fault) -> [BytePattern.Step] {
        var compiler = BytePatternCompiler(pattern: pattern)
        let node = try compiler.alternatives()
        if compiler.position < pattern.count { throw Fault(message: ") without (") }
        try compiler.emit(node)
        compiler.steps.append(.accept)
        return compiler.steps
    }

    private init(pattern: [UInt8]) {
        self.pattern = pattern
    }

    private var next: Character? {
        position < pattern.count ? Character(Unicode.Scalar(pattern[position])) : nil
    }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }
}

// MARK: - Reading

extension BytePatternCompiler {
    private mutating func alternatives() throws(Fault) -> Node {
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
    }

    private mutating func sequence() throws(Fault) -> Node {
        var nodes: [Node] = []
        while let character = next, character != "|", character != ")" {
            nodes.append(try repeated(try atom()))
        }
        return .sequence(nodes)
    }

    private mutating func repeated(_ node: Node) throws(Fault) -> Node {
        var node = node
        var count = 0
        while let (min, max) = try quantifier() {
            count += 1
            if count > 1 { throw Fault(message: "a quantifier follows another") }
            // Reluctant and possessive quantifiers match at the same places.
            if !take("?") { _ = take("+") }
            node = .repeated(node, min: min, max: max)
        }
        return node
    }

    private mutating func quantifier() throws(Fault) -> (min: Int, max: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = position
        guard take("{") else { return nil }
        guard let min = number() else {
            // `{` without a number is a literal.
            position = start
            return nil
        }
        var max: Int? = min
        if take(",") { max = number() }
        guard take("}") else {
            position = start
            return nil
        }
        if min > Self.maximumCount || (max ?? 0) > Self.maximumCount {
            throw Fault(message: "a number of repetitions is greater than \(Self.maximumCount)")
        }
        if let max, max < min { throw Fault(message: "the numbers of repetitions are out of order") }
        return (min, max)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next?.wholeNumberValue, next?.isASCII == true {
            value = min((value ?? 0) * 10 + digit, Self.maximumCount + 1)
            position += 1
        }
        return value
    }

    private mutating func atom() throws(Fault) -> Node {
        guard let character = next else { return .sequence([]) }
        let byte = pattern[position]
        position += 1
        switch character {
        case "(": return try group()
        case "[": return .bytes(try byteClass())
        case ".": return .bytes(ByteSet.newline.inverted)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "*", "+", "?": throw Fault(message: "\(character) has nothing to repeat")
        case "\\":
            if take("b") { return .assertion(.boundary) }
            if take("B") { return .assertion(.noBoundary) }
            if take("A") { return .assertion(.start) }
            if take("Z") || take("z") { return .assertion(.end) }
            return .bytes(try escape().ignoringCase)
        default: return .bytes(ByteSet(byte...byte).ignoringCase)
        }
    }

    private mutating func group() throws(Fault) -> Node {
        if take("?"), !take(":") { throw Fault(message: "groups are (…) or (?:…)") }
        if depth >= Self.maximumDepth { throw Fault(message: "nested deeper than \(Self.maximumDepth) groups") }
        depth += 1
        let node = try alternatives()
        depth -= 1
        if !take(")") { throw Fault(message: ") is missing") }
        return node
    }

    /// The bytes that an escape sequence matches.
    private mutating func escape() throws(Fault) -> ByteSet {
        guard let character = next else { throw Fault(message: "a backslash ends it") }
        let byte = pattern[position]
        position += 1
        switch character {
        case "d": return .digit
        case "D": return ByteSet.digit.inverted
        case "w": return .word
        case "W": return ByteSet.word.inverted
        case "s": return .space
        case "S": return ByteSet.space.inverted
        case "n": return ByteSet(0x0A...0x0A)
        case "r": return ByteSet(0x0D...0x0D)
        case "t": return ByteSet(0x09...0x09)
        case "f": return ByteSet(0x0C...0x0C)
        case "v": return ByteSet(0x0B...0x0B)
        case "a": return ByteSet(0x07...0x07)
        case "e": return ByteSet(0x1B...0x1B)
        case "0": return ByteSet(0x00...0x00)
        case "x":
            var value: UInt8 = 0
            for _ in 0..<2 {
                guard let digit = next?.hexDigitValue else { break }
                value = value << 4 | UInt8(digit)
                position += 1
            }
            return ByteSet(value...value)
        default:
            let isWord = ByteSet.word.contains(byte)
            if isWord { throw Fault(message: "\\\(character) is not known") }
            return ByteSet(byte...byte)
        }
    }

    private mutating func byteClass() throws(Fault) -> ByteSet {
        let isInverted = take("^")
        var set = ByteSet()
        var isFirst = true
        while isFirst || next != "]" {
            isFirst = false
            let low = try classMember()
            guard next == "-", position + 1 < pattern.count, pattern[position + 1] != UInt8(ascii: "]") else {
                set.formUnion(low)
                continue
            }
            position += 1
            let high = try classMember()
            guard let first = low.single, let last = high.single, first <= last else {
                throw Fault(message: "a range of characters is out of order")
            }
            set.insert(first...last)
        }
        position += 1
        set = set.ignoringCase
        return isInverted ? set.inverted : set
    }

    private mutating func classMember() throws(Fault) -> ByteSet {
        guard position < pattern.count else { throw Fault(message: "] is missing") }
        let byte = pattern[position]
        position += 1
        if byte == UInt8(ascii: "["), next == ":" { throw Fault(message: "[:name:] is not known") }
        return byte == UInt8(ascii: "\\") ? try escape() : ByteSet(byte...byte)
    }
}

// MARK: - Writing

extension BytePatternCompiler {
    private mutating func append(_ step: BytePattern.Step) throws(Fault) {
        if steps.count >= Self.maximumSteps { throw Fault(message: "it is too large") }
        steps.append(step)
    }

    private mutating func emit(_ node: Node) throws(Fault) {
        emitted += 1
        if emitted > 10 * Self.maximumSteps { throw Fault(message: "it is too large") }
        switch node {
        case .bytes(let set): try append(.byte(set))
        case .assertion(let assertion): try append(.assert(assertion))
        case .sequence(let nodes):
            for node in nodes { try emit(node) }
        case .alternatives(let nodes): try emitAlternatives(nodes[...])
        case .repeated(let node, let min, let max): try emit(node, min, max)
        }
    }

    private mutating func emitAlternatives(_ nodes: ArraySlice<Node>) throws(Fault) {
        var ends: [Int] = []
        for (index, node) in nodes.enumerated() {
            if index == nodes.count - 1 {
                try emit(node)
            } else {
                let split = steps.count
                try append(.jump(0))
                try emit(node)
                ends.append(steps.count)
                try append(.jump(0))
                steps[split] = .split(split + 1, steps.count)
            }
        }
        for end in ends { steps[end] = .jump(steps.count) }
    }

    private mutating func emit(_ node: Node, _ min: Int, _ max: Int?) throws(Fault) {
        for _ in 0..<min { try emit(node) }
        guard let max else {
            let split = steps.count
            try append(.jump(0))
            try emit(node)
            try append(.jump(split))
            steps[split] = .split(split + 1, steps.count)
            return
        }
        var splits: [Int] = []
        for _ in min..<max {
            splits.append(steps.count)
            try append(.jump(0))
            try emit(node)
        }
        for split in splits { steps[split] = .split(split + 1, steps.count) }
    }
}
