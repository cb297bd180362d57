/// A profile that was parsed when the program was built: its document as trees, which are read without a YAML parser.
///
/// Decoding needs the outline at once and a type when its first value comes. Rules, vectors and the emulation are for
/// other commands, so every part is stored by itself.
public struct PackedProfile: Sendable {
    /// Path of the file, as messages name it.
    public let file: String
    /// Sections that say what a device is and what it has.
    package let outline: String
    /// The types in the order of the file.
    public let types: [(name: String, tree: String)]
    /// All other sections.
    package let others: String

    private static let outlineSections: Set = ["profile", "match", "gatt", "descriptors", "advertising", "messages"]

    public init(file: String, outline: String, types: [(name: String, tree: String)], others: String) {
        self.file = file
        self.outline = outline
        self.types = types
        self.others = others
    }

    /// Packs the profile in a text; throws all that is wrong with it.
    package init(packing text: String, file: String) throws(ProfileFaults) {
        _ = try CompiledProfile(ProfileReader.read(text, file: file))
        var outline: [YAMLNode.Entry] = []
        var types: [YAMLNode.Entry] = []
        var others: [YAMLNode.Entry] = []
        if case .mapping(let entries)? = YAMLDocument.read(text, FaultList())?.content {
            for entry in entries {
                if entry.key.text == "types", case .mapping(let definitions) = entry.value.content {
                    types = definitions
                } else if Self.outlineSections.contains(entry.key.text) {
                    outline.append(entry)
                } else {
                    others.append(entry)
                }
            }
        }
        self.init(
            file: file, outline: TreePacker.text(of: outline),
            types: types.map { ($0.key.text, TreePacker.text(of: [$0])) }, others: TreePacker.text(of: others))
    }
}

extension PackedProfile {
    /// The outline alone.
    func readOutline() throws(ProfileFaults) -> Profile {
        try ProfileReader.read(TreeUnpacker.node(of: outline), file: file)
    }

    /// All of it.
    package func read() throws(ProfileFaults) -> Profile {
        let types = YAMLNode(
            content: .mapping(types.flatMap { TreeUnpacker.entries(of: $0.tree) }), place: .start, label: "types")
        let section = YAMLNode.Entry(
            key: YAMLNode.Scalar(text: "types", isPlain: true, start: .start), place: .start, value: types)
        let entries = TreeUnpacker.entries(of: outline) + [section] + TreeUnpacker.entries(of: others)
        return try ProfileReader.read(YAMLNode(content: .mapping(entries), place: .start, label: ""), file: file)
    }
}
