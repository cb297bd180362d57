import Bytes
import Dissection

/// Caches rendered field trees: most trees of a capture repeat, and copying a thousand bytes is many times faster than
/// rendering them.
///
/// The cache stores forms: a tree's text with gaps for values that cannot be known in advance, because they come from
/// the frame's bytes or proved to be new nearly every time. Trees with the same fields at the same offsets share a form
/// if all values outside its gaps are equal.
struct RenderCache: ~Copyable {
    private var slots: [Slot] = Array(repeating: Slot(), count: Self.slotCount)
    /// The fields of all forms, concatenated.
    private var fields: [RecordedField] = []
    private var gaps: [Gap] = []
    private var texts = TextWriter(capacity: 64 * 1024)
    /// Hash table of the fields' value histories, with linear probing.
    private var histories: [ValueHistory] = Array(repeating: ValueHistory(), count: Self.slotCount)
    private var historyCount = 0
    private var kinds: [Kind] = Array(repeating: Kind(), count: Self.slotCount)
    /// Hashes of fields and values in trees without a known form.
    private var values: [UInt64] = Array(repeating: 0, count: Self.slotCount)
    /// Number of trees seen.
    private var trees = 0
    /// The tree being rendered, and its gaps so far.
    private var drafted: Tree?
    private var draftedGaps: [(field: Int, text: Range<Int>)] = []

    /// Size of every hash table.
    private static let slotCount = 1 << slotBits
    private static let slotBits = 12
    /// The cache is cleared when its texts exceed this size in bytes.
    private static let capacity = 512 * 1024
    /// Maximum number of fields per tree, because a 64-bit mask marks the fields in gaps.
    private static let treeLimit = 64

    enum Style: UInt64 {
        /// A protocol layer.
        case layer = 1
        /// A device's record.
        case record
    }

    /// A tree and the key of its form.
    struct Tree {
        let range: Range<Int>
        fileprivate let hash: UInt64
        /// Bit mask of the fields in gaps.
        fileprivate let open: UInt64
    }

    /// The rendered form of a tree.
    struct Form {
        let text: Range<Int>
        let gaps: Range<Int>
    }

    /// A value that differs between trees of the same form.
    struct Gap {
        let field: Int
        /// End of the text before the gap.
        let end: Int
    }

    private struct Slot {
        var hash: UInt64 = 0
        var open: UInt64 = 0
        var firstField: UInt32 = 0
        var fieldCount: UInt32 = 0
        var textStart: UInt32 = 0
        var textEnd: UInt32 = 0
        var firstGap: UInt32 = 0
        var endOfGaps: UInt32 = 0

        var fields: Range<Int> { Int(firstField)..<(Int(firstField) + Int(fieldCount)) }
        var form: Form {
            Form(text: Int(textStart)..<Int(textEnd), gaps: Int(firstGap)..<Int(endOfGaps))
        }
    }

    /// Counts how often a field's value had occurred before, in trees without a known form.
    private struct ValueHistory {
        /// Identifies the field.
        var field: UInt = 0
        /// The value in the previous tree without a known form.
        var value: UInt64 = 0
        var hits: UInt16 = 0
        var misses: UInt16 = 0
        /// Whether the field's values are gaps of forms.
        var isOpen = false

        mutating func count(_ isHit: Bool) {
            if hits == .max || misses == .max {
                hits /= 2
                misses /= 2
            }
            if isHit { hits += 1 } else { misses += 1 }
            isOpen = misses > 64 && hits < misses
        }
    }

    /// Counts the unknown forms among trees with the same first field and the same number of fields.
    private struct Kind {
        /// Number of the last tree without a known form.
        var last = 0
        /// Number of such trees in close succession.
        var misses = 0

        /// Whether most forms are new. Caching more of them then helps only while further values can become gaps.
        var isVolatile: Bool { misses > 64 }
        var isUncacheable: Bool { misses > 4096 }

        mutating func miss(at tree: Int) {
            misses = tree - last < 64 ? misses + 1 : misses / 2
            last = tree
        }
    }

    /// The tree at `first`: all fields up to the next layer, or to `limit`.
    @inline(__always)
    mutating func tree(
        _ fields: borrowing Span<RecordedField>, from first: Int, before limit: Int, _ style: Style
    ) -> Tree {
        if let tree = known(fields, from: first, before: limit, style) { return tree }
        let end = style == .layer ? fields.endOfTree(first, before: limit) : limit
        for index in first..<end { insert(fields[index].field) }
        // A tree with more fields than the table can hold is too long to cache.
        return known(fields, from: first, before: limit, style) ?? Tree(range: first..<end, hash: 0, open: 0)
    }

    /// The tree at `first`; nil if it contains a field without a history.
    private func known(
        _ fields: borrowing Span<RecordedField>, from first: Int, before limit: Int, _ style: Style
    ) -> Tree? {
        let histories = histories.span
        var hash = style.rawValue
        var open: UInt64 = 0
        var index = first
        while index < limit {
            let recorded = fields[index]
            if recorded.depth == 0, index > first { break }
            var place = Self.place(of: recorded.field)
            while histories[place].field != recorded.field.address {
                if histories[place].field == 0 { return nil }
                place = (place &+ 1) & (Self.slotCount - 1)
            }
            let history = histories[place]
            let value = history.isOpen ? 0 : recorded.value
            if history.isOpen { open |= 1 &<< UInt64(truncatingIfNeeded: index &- first) }
            hash = Self.hash(recorded, value: value, after: hash)
            index &+= 1
        }
        return Tree(range: first..<index, hash: hash, open: open)
    }

    /// The form of a tree; nil if it is unknown.
    @inline(__always)
    mutating func form(of tree: Tree, _ fields: borrowing Span<RecordedField>) -> Form? {
        trees &+= 1
        let slot = slots[Self.slot(tree.hash)]
        guard slot.hash == tree.hash, slot.open == tree.open, matches(slot.fields, tree, fields) else { return nil }
        return slot.form
    }

    func gap(_ number: Int) -> Gap { gaps[number] }

    func write(_ text: Range<Int>, to output: inout TextWriter) { output.write(texts, text) }

    // MARK: Storing

    /// Starts rendering a tree. The output until `keep` becomes its text, if it is worth caching.
    mutating func draft(_ tree: Tree, _ fields: borrowing Span<RecordedField>) {
        draftedGaps.removeAll(keepingCapacity: true)
        let kind = Self.kind(of: tree, fields)
        kinds[kind].miss(at: trees)
        drafted = tree.range.count > Self.treeLimit || kinds[kind].isUncacheable ? nil : tree
    }

    /// Records that the output since `start` is the value of the field at `index`.
    mutating func note(_ index: Int, _ output: borrowing TextWriter, from start: Int) {
        guard let drafted else { return }
        let field = index - drafted.range.lowerBound
        if drafted.open >> UInt64(field) & 1 == 1 { draftedGaps.append((field, start..<output.count)) }
    }

    /// Caches the output since `start` as the text of the drafted tree.
    mutating func keep(_ fields: borrowing Span<RecordedField>, _ output: borrowing TextWriter, from start: Int) {
        guard let tree = drafted else { return }
        drafted = nil
        if texts.count > Self.capacity { forget() }
        let (firstField, firstGap, firstByte) = (self.fields.count, gaps.count, texts.count)
        for index in tree.range { self.fields.append(fields[index]) }
        var next = start
        for gap in draftedGaps {
            texts.write(output, next..<gap.text.lowerBound)
            gaps.append(Gap(field: gap.field, end: texts.count))
            next = gap.text.upperBound
        }
        texts.write(output, next..<output.count)
        slots[Self.slot(tree.hash)] = Slot(
            hash: tree.hash, open: tree.open, firstField: UInt32(firstField), fieldCount: UInt32(tree.range.count),
            textStart: UInt32(firstByte), textEnd: UInt32(texts.count), firstGap: UInt32(firstGap),
            endOfGaps: UInt32(gaps.count))
        recordMisses(tree, fields)
    }

    private mutating func forget() {
        texts.truncate(to: 0)
        fields.removeAll(keepingCapacity: true)
        gaps.removeAll(keepingCapacity: true)
        slots = Array(repeating: Slot(), count: Self.slotCount)
    }

    /// Records the values that made a tree's form unknown: new values and, where most trees of the kind have new forms,
    /// values that differ from the previous tree.
    private mutating func recordMisses(_ tree: Tree, _ fields: borrowing Span<RecordedField>) {
        let isVolatile = kinds[Self.kind(of: tree, fields)].isVolatile
        for index in tree.range where tree.open >> UInt64(index - tree.range.lowerBound) & 1 == 0 {
            let (field, value) = (fields[index].field, fields[index].value)
            let hash = (UInt64(field.address) &+ value &* 0xD6E8_FEB8_6659_FD93) &* 0xC4CE_B9FE_1A85_EC53
            let isNew = values[Self.slot(hash)] != hash
            values[Self.slot(hash)] = hash
            let place = insert(field)
            let isOther = histories[place].value != value
            histories[place].value = value
            histories[place].count(!isNew && !(isVolatile && isOther))
        }
    }

    /// Index of a field's history, which is created if needed.
    @discardableResult
    private mutating func insert(_ field: Field) -> Int {
        var place = Self.place(of: field)
        while histories[place].field != 0 {
            if histories[place].field == field.address { return place }
            place = (place + 1) & (Self.slotCount - 1)
        }
        if historyCount > Self.slotCount / 2 {
            histories = Array(repeating: ValueHistory(), count: Self.slotCount)
            historyCount = 0
            place = Self.place(of: field)
        }
        histories[place] = ValueHistory(field: field.address, isOpen: field.format.isOpen)
        historyCount += 1
        return place
    }

    // MARK: Lookup

    private func matches(_ known: Range<Int>, _ tree: Tree, _ fields: borrowing Span<RecordedField>) -> Bool {
        guard known.count == tree.range.count else { return false }
        let ones = self.fields.span.extracting(known)
        let others = fields.extracting(tree.range)
        var open = tree.open
        for index in ones.indices {
            let (one, other) = (ones[index], others[index])
            guard one.hasPlace(of: other), one.value == other.value || open & 1 == 1 else { return false }
            open >>= 1
        }
        return true
    }

    /// The field's contribution is computed independently of `hash`, so that it does not wait for the previous fields.
    private static func hash(_ recorded: RecordedField, value: UInt64, after hash: UInt64) -> UInt64 {
        let place = UInt64(recorded.length) << 32 | UInt64(recorded.offset)
        let own = value &* 0xD6E8_FEB8_6659_FD93 &+ (UInt64(recorded.field.address) ^ place << 20)
        return (hash ^ hash >> 29 ^ own) &* 0xC4CE_B9FE_1A85_EC53
    }

    private static func slot(_ hash: UInt64) -> Int { Int(hash >> UInt64(64 - slotBits)) }

    private static func place(of field: Field) -> Int { slot(UInt64(field.address) &* 0x9E37_79B9_7F4A_7C15) }

    private static func kind(of tree: Tree, _ fields: borrowing Span<RecordedField>) -> Int {
        let first = fields[tree.range.lowerBound].field
        return slot(UInt64(first.address) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(tree.range.count) << 48)
    }
}

extension Field.Format {
    /// Whether the recorded number does not determine the value's text, or the value is new every time.
    fileprivate var isOpen: Bool {
        switch self {
        case .bytes, .text, .uuid128, .bigEndianUUID128, .time: true
        case .group, .decimal, .signed, .hex, .number, .float, .dotted, .timestamp, .boolean, .address: false
        }
    }
}
