import Bytes

/// Reads a YAML document as a tree with positions, within fixed limits.
package enum YAMLDocument {
    /// Maximum size of a document, in bytes.
    static let sizeLimit = 1 << 20
    /// Maximum number of nodes added by aliases.
    static let aliasLimit = 10_000
    /// Maximum nesting of lists and mappings.
    static let depthLimit = 64

    /// Reads a document; adds errors to `faults`, and returns nil if there is no tree.
    package static func read(_ text: String, _ faults: FaultList) -> YAMLNode? {
        do throws(Diagnostic) {
            guard text.utf8.count <= sizeLimit else {
                throw Diagnostic("longer than 1 MB: not a profile", at: .start)
            }
            var composer = YAMLComposer(text, faults)
            return try composer.document()
        } catch {
            faults.add(error.text, at: error.place)
            return nil
        }
    }
}
