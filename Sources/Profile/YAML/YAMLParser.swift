import Bytes
import CYAML

/// A parser event of a YAML document, in text order.
struct YAMLEvent {
    enum Kind {
        case scalar(String, isPlain: Bool, start: ScalarStart)
        case listStart, mappingStart
        /// End of a list or a mapping.
        case end
        /// An alias of the node with this anchor.
        case alias(String)
        case documentStart, documentEnd, streamEnd
    }

    /// Start of a scalar's text, relative to the event's position.
    enum ScalarStart {
        case here, behindQuote, inNextLine
    }

    var kind: Kind
    var place: SourcePlace
    var anchor: String?
    /// The expanded tag: `tag:yaml.org,2002:int`.
    var tag: String?
}

/// Parses a YAML document with libYAML. The only file of this module that uses unsafe memory: the library's.
@safe struct YAMLParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// The library's input buffer, which must not move.
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let text: String

    init(_ text: String) {
        self.text = text
        unsafe input = .allocate(capacity: text.utf8.count)
        _ = unsafe input.initialize(fromContentsOf: text.utf8)
        unsafe parser = .allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        unsafe yaml_parser_initialize(parser)
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// The next event; throws if the text is not valid YAML. Must not be called after that or after `streamEnd`.
    mutating func next() throws(Diagnostic) -> YAMLEvent {
        var event = unsafe yaml_event_t()
        while true {
            guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault }
            defer { unsafe yaml_event_delete(&event) }
            if let event = unsafe YAMLEvent(event) { return event }
        }
    }

    /// The library's error as a diagnostic.
    private var fault: Diagnostic {
        let state = unsafe parser.pointee
        let problem = unsafe state.problem.map { unsafe String(cString: $0) } ?? "out of memory"
        if unsafe state.error == YAML_READER_ERROR {
            let offset = min(unsafe state.problem_offset, text.utf8.count)
            let index = text.utf8.index(text.startIndex, offsetBy: offset)
            return Diagnostic("not YAML: \(problem)", at: SourcePlace(of: index, in: text))
        }
        let around = unsafe state.context.map {
            unsafe " \(String(cString: $0)) that begins at \(state.context_mark.text)"
        }
        let advice = Self.advice[problem].map { "; \($0)" } ?? ""
        return unsafe Diagnostic(
            "not YAML: \(problem)\(around ?? "")\(advice)", at: SourcePlace(state.problem_mark))
    }

    /// Advice for frequent libYAML errors.
    private static let advice = [
        "mapping values are not allowed in this context": "a text with \": \" in it needs quotes",
        "found character that cannot start any token":
            "indent with spaces, and put texts that begin with @, ` or % in quotes",
        "did not find expected key": "look at the indentation of this line and of those before it",
        "could not find expected ':'": "every line of a mapping needs a key and a colon",
        "did not find expected ',' or ']'": "a list in brackets ends with ]",
        "did not find expected ',' or '}'": "a mapping in braces ends with }",
        "found unexpected end of stream": "a quote or a bracket is not closed",
        "found unknown escape character": "in double quotes a backslash is written \\\\; single quotes need none",
        "did not find expected '-' indicator": "look at the indentation of this list",
    ]
}

extension YAMLEvent {
    /// Nil for the start of the stream.
    fileprivate init?(_ event: yaml_event_t) {
        let place = unsafe SourcePlace(event.start_mark)
        switch unsafe event.type {
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            let start: ScalarStart =
                switch unsafe scalar.style {
                case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .behindQuote
                case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .inNextLine
                default: .here
                }
            self.init(kind: .scalar(text, isPlain: start == .here, start: start), place: place)
            unsafe note(scalar.anchor, scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            self.init(kind: .listStart, place: place)
            unsafe note(event.data.sequence_start.anchor, event.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            self.init(kind: .mappingStart, place: place)
            unsafe note(event.data.mapping_start.anchor, event.data.mapping_start.tag)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: self.init(kind: .end, place: place)
        case YAML_ALIAS_EVENT:
            self.init(kind: .alias(unsafe String(cString: event.data.alias.anchor)), place: place)
        case YAML_DOCUMENT_START_EVENT: self.init(kind: .documentStart, place: place)
        case YAML_DOCUMENT_END_EVENT: self.init(kind: .documentEnd, place: place)
        case YAML_STREAM_END_EVENT: self.init(kind: .streamEnd, place: place)
        default: return nil
        }
    }

    private mutating func note(_ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?) {
        self.anchor = unsafe anchor.map { unsafe String(cString: $0) }
        self.tag = unsafe tag.map { unsafe String(cString: $0) }
    }
}

extension SourcePlace {
    fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}

extension yaml_mark_t {
    /// `3:14`.
    fileprivate var text: String { "\(line + 1):\(column + 1)" }
}
