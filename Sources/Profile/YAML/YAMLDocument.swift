import Bytes

/// A YAML document as a tree with places, within bounds that no document can break.
package enum YAMLDocument {
    /// Bytes of a document.
    static let sizeLimit = 1 << 20
    /// Nodes that aliases may add.
    static let aliasLimit = 10_000
    /// Lists and mappings within each other.
    static let depthLimit = 64

    /// Reads a document; what is wrong with it goes to `faults`, nil where no tree comes of it.
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
