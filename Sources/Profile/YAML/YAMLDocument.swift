import Bytes
import Yams

/// A YAML document as a tree with places, within bounds that no document can break.
///
/// The library resolves aliases while it composes and hashes whole keys, which takes exponential time on a document made
/// for that, and it stops at the first key that stands twice. So asterisks are hidden from it and aliases are resolved
/// here, on a budget; keys that stand twice are renamed until it accepts them, and reported here, all of them.
public enum YAMLDocument {
    /// Bytes of a document.
    static let sizeLimit = 1 << 20
    /// Nodes that aliases may add.
    static let aliasLimit = 10_000
    /// Lists and mappings within each other.
    static let depthLimit = 64

    /// Reads a document; what is wrong with it goes to `faults`, nil where no tree comes of it.
    public static func read(_ text: String, _ faults: FaultList) -> YAMLNode? {
        do {
            return try tree(of: text, faults)
        } catch {
            faults.add(error.text, at: error.place)
            return nil
        }
    }

    private static func tree(of text: String, _ faults: FaultList) throws(Diagnostic) -> YAMLNode {
        guard text.utf8.count <= sizeLimit else {
            throw Diagnostic("longer than 1 MB: not a profile", at: .start)
        }
        var source = try YAMLSource(hiding: text)
        while true {
            do {
                // The parser owns the anchors that its nodes refer to.
                let parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
                let root = try parser.singleRoot()
                return try withExtendedLifetime(parser) { () throws(Diagnostic) in
                    guard let root else { throw Diagnostic("expected a profile, found nothing", at: .start) }
                    var composer = YAMLComposer(source, faults)
                    return composer.compose(root)
                }
            } catch let fault as Diagnostic {
                throw fault
            } catch {
                if case YamlError.duplicatedKeysInMapping(_, let context) = error, source.rename(keyAt: context.mark) {
                    continue
                }
                throw Diagnostic(error, source)
            }
        }
    }
}

extension Diagnostic {
    /// What the library says about a text that is not YAML.
    fileprivate init(_ error: any Error, _ source: YAMLSource) {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            let around = context.map { " \($0.text) that begins at \($0.mark)" } ?? ""
            let advice = Self.advice[problem].map { "; \($0)" } ?? ""
            self.init("not YAML: \(source.restored(problem))\(around)\(advice)", at: SourcePlace(mark))
        case YamlError.reader(let problem, let offset?, _, let text):
            let index = text.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) ?? text.endIndex
            self.init("not YAML: \(problem)", at: SourcePlace(of: index, in: text))
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            let names = keys.prefix(3).map { source.restored($0) }.joined(separator: ", ")
            self.init("\(names): stands here more than once", at: SourcePlace(context.mark))
        default: self.init("not YAML", at: .start)
        }
    }

    /// What helps against what libYAML often says.
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
