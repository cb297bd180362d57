import Profile

/// The fields of a struct, laid out as by a C compiler: with padding unless packed, and adjacent bit-fields combined
/// into one number.
struct CRows {
    let isPacked: Bool
    private(set) var fields: [DraftField] = []
    /// Size so far in bytes, without a flexible array member.
    private(set) var least = 0
    private var isOpen = false
    /// Size of the struct in bytes; nil if it ends in a flexible array member.
    var size: Int? { isOpen ? nil : least }
    private(set) var alignment = 1
    private(set) var hasPadding = false

    /// Type, size and alignment of a field, in bytes.
    struct Element {
        var type: String
        var size: Int
        var alignment: Int
    }

    /// Bit-fields that share a number.
    private struct Run {
        var parts: [DraftField.Bits] = []
        var width = 0
        /// Size of the declared type of the bit-fields, in bytes.
        var unit: Int
    }

    private var run: Run?
    private var runs = 0

    init(isPacked: Bool) {
        self.isPacked = isPacked
    }

    // MARK: - Fields

    mutating func add(_ element: Element, count: Int?, _ field: CField) {
        endRun()
        pad(to: element.alignment)
        var row = DraftField(ProfileName.make(from: field.name), type: element.type, doc: field.doc)
        switch (element.type, count) {
        case (_, nil): break
        case ("string", CField.unbounded?): row.keys = [("ends_at_nul", "true")]
        case ("string", let count?): row.keys = [("length", "\(count)"), ("ends_at_nul", "true")]
        case ("u8", CField.unbounded?): row.type = "bytes"
        case ("u8", let count?):
            row.type = "bytes"
            row.keys = [("length", "\(count)")]
        case (_, CField.unbounded?): row.keys = [("count", "rest")]
        case (_, let count?): row.keys = [("count", "\(count)")]
        }
        fields.append(row)
        if count == CField.unbounded { isOpen = true } else { least += element.size * (count ?? 1) }
    }

    /// Adds padding up to a multiple of the alignment.
    private mutating func pad(to alignment: Int) {
        guard !isPacked, let size else { return }
        self.alignment = max(self.alignment, alignment)
        let gap = (alignment - size % alignment) % alignment
        if gap > 0 { fill(gap) }
    }

    private mutating func fill(_ bytes: Int) {
        hasPadding = true
        fields.append(DraftField("padding", type: "bytes", doc: "not used", keys: [("length", "\(bytes)")]))
        least += bytes
    }

    /// Completes the struct after its last field.
    mutating func end() {
        endRun()
        pad(to: alignment)
    }

    // MARK: - Bits

    /// Adds a bit-field; the first one has the lowest bits. A zero width ends the number.
    mutating func add(bits: Int, of unit: Int, isSigned: Bool, _ field: CField) {
        if bits == 0 { return endRun() }
        let room = isPacked ? 64 : 8 * unit
        if let open = run, open.width + bits > room || !isPacked && open.unit != unit { endRun() }
        var open = run ?? Run(unit: unit)
        if !field.name.isEmpty {
            open.parts.append(
                DraftField.Bits(
                    name: ProfileName.make(from: field.name), lowest: open.width, width: bits, isSigned: isSigned,
                    doc: field.doc))
        }
        open.width += bits
        run = open
    }

    private mutating func endRun() {
        guard let open = run else { return }
        run = nil
        runs += 1
        let bytes = isPacked ? (open.width + 7) / 8 : open.unit
        if !isPacked { pad(to: open.unit) }
        var row = DraftField(runs == 1 ? "bits" : "bits_\(runs)", type: "u\(8 * bytes)")
        row.bits = open.parts
        // Unnamed bits are padding, so their content is ignored.
        let named = open.parts.reduce(0) { $0 + $1.width }
        if !open.parts.isEmpty, named < 8 * bytes { row.keys = [("other_bits", "ignored")] }
        fields.append(row)
        least += bytes
    }
}
