import Bytes
import Dissection

/// Remembers how field trees were written: most of what a frame says has been said before, and copying a thousand bytes
/// is many times faster than putting them together.
///
/// What is remembered of a tree is its form: its text with gaps for the values that cannot be known before, as they lie
/// in the frame's bytes or turned out to be new nearly every time. Trees of the same fields at the same places have one
/// form if all values outside of its gaps are the same.
struct RenderCache: ~Copyable {
    private var slots: [Slot] = Array(repeating: Slot(), count: Self.slotCount)
    /// The fields of the forms, one form after the other.
    private var fields: [RecordedField] = []
    private var gaps: [Gap] = []
    private var texts = TextWriter(capacity: 64 * 1024)
    /// By the fields' places, or the next free ones after these.
    private var histories: [ValueHistory] = Array(repeating: ValueHistory(), count: Self.slotCount)
    private var historyCount = 0
    private var kinds: [Kind] = Array(repeating: Kind(), count: Self.slotCount)
    /// Fields with their values, as hashes, that were in trees whose form was not known.
    private var values: [UInt64] = Array(repeating: 0, count: Self.slotCount)
    /// Trees so far.
    private var trees = 0
    /// The tree that is written anew, and its gaps so far.
    private var drafted: Tree?
    private var draftedGaps: [(field: Int, text: Range<Int>)] = []

    /// Of every table.
    private static let slotCount = 1 << slotBits
    private static let slotBits = 12
    /// The cache starts anew when its texts exceed this number of bytes.
    private static let capacity = 512 * 1024
    /// Fields of a tree at most, as a bit for each tells which are in gaps.
    private static let treeLimit = 64

    /// What a tree is written as.
    enum Style: UInt64 {
        /// A protocol layer.
        case layer = 1
        /// A device's record.
        case record
    }

    /// A tree, and what its form is found by.
    struct Tree {
        let range: Range<Int>
        fileprivate let hash: UInt64
        /// The fields in gaps, a bit for each.
        fileprivate let open: UInt64
    }

    /// How a tree was written.
    struct Form {
        let text: Range<Int>
        let gaps: Range<Int>
    }

    /// A value that is not the same in all trees of a form.
    struct Gap {
        /// Index of the field in the tree.
        let field: Int
        /// Where the text before it ends.
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

    /// How often the value of a field was one of those before, when a form was not known.
    private struct ValueHistory {
        /// Tells the field.
        var field: UInt = 0
        /// The value in the tree before whose form was not known.
        var value: UInt64 = 0
        var hits: UInt16 = 0
        var misses: UInt16 = 0
        /// Whether the field's values are left out of forms.
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

    /// How often forms of trees that begin with one field and have as many are not known.
    private struct Kind {
        /// The number of the last tree whose form was not known.
        var last = 0
        /// Such trees that came soon after one another.
        var misses = 0

        /// Most forms are new; then to remember more of them helps as long as there are values to leave out.
        var isVolatile: Bool { misses > 64 }
        var isUncacheable: Bool { misses > 4096 }

        mutating func miss(at tree: Int) {
            misses = tree - last < 64 ? misses + 1 : misses / 2
            last = tree
        }
    }

    /// The tree that begins at `first`: all fields up to the next layer, or to `limit`.
    @inline(__always)
    mutating func tree(
        _ fields: borrowing Span<RecordedField>, from first: Int, before limit: Int, _ style: Style
    ) -> Tree {
        if let tree = known(fields, from: first, before: limit, style) { return tree }
        let end = style == .layer ? fields.endOfTree(first, before: limit) : limit
        for index in first..<end { insert(fields[index].field) }
        // A tree of more fields than the table has room for is too long to be kept.
        return known(fields, from: first, before: limit, style) ?? Tree(range: first..<end, hash: 0, open: 0)
    }

    /// The same; nil if there is a field that comes for the first time.
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

    /// The form of a tree; nil when it is not known.
    @inline(__always)
    mutating func form(of tree: Tree, _ fields: borrowing Span<RecordedField>) -> Form? {
        trees &+= 1
        let slot = slots[Self.slot(tree.hash)]
        guard slot.hash == tree.hash, slot.open == tree.open, matches(slot.fields, tree, fields) else { return nil }
        return slot.form
    }

    /// A gap of a form.
    func gap(_ number: Int) -> Gap { gaps[number] }

    /// Writes a part of a form's text.
    func write(_ text: Range<Int>, to output: inout TextWriter) { output.write(texts, text) }

    // MARK: Remembering

    /// A tree is written anew: what is written until `keep` is its text, if it is worth remembering.
    mutating func draft(_ tree: Tree, _ fields: borrowing Span<RecordedField>) {
        draftedGaps.removeAll(keepingCapacity: true)
        let kind = Self.kind(of: tree, fields)
        kinds[kind].miss(at: trees)
        drafted = tree.range.count > Self.treeLimit || kinds[kind].isUncacheable ? nil : tree
    }

    /// The value of the field at `index` was written as what `output` holds since `start`.
    mutating func note(_ index: Int, _ output: borrowing TextWriter, from start: Int) {
        guard let drafted else { return }
        let field = index - drafted.range.lowerBound
        if drafted.open >> UInt64(field) & 1 == 1 { draftedGaps.append((field, start..<output.count)) }
    }

    /// Remembers that the drafted tree was written as what `output` holds since `start`.
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

    /// Notes which values kept the form of a tree from being known: those that are new, and where most trees of the kind
    /// have new forms, those that are others than in the tree before.
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

    /// Where a field's history is, or begins.
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

    // MARK: Finding

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

    /// What comes from the field is put together before what came from those before it is waited for.
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
    /// Whether a value is told by more than the number that is recorded of it, or is new every time.
    fileprivate var isOpen: Bool {
        switch self {
        case .bytes, .text, .uuid128, .bigEndianUUID128, .time: true
        case .group, .decimal, .signed, .hex, .number, .float, .dotted, .timestamp, .boolean, .address: false
        }
    }
}
