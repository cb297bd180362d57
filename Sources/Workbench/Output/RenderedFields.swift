import Bytes

/// Remembers how runs of fields were written: most of what a frame says has been said before, with the same values at
/// the same places, and copying a thousand bytes is many times faster than putting them together.
///
/// A run is the value of one field, wherever that lies, or several fields that stand beside each other with their places
/// and all that is in them.
struct RenderedFields: ~Copyable {
    private var slots: [Slot] = Array(repeating: Slot(), count: Self.slotCount)
    /// The fields of the runs that are remembered, one run after the other.
    private var fields: [RecordedField] = []
    private var texts = TextWriter(capacity: 64 * 1024)
    private var habits: [Habit] = Array(repeating: Habit(), count: Self.habitCount)
    /// Fields with their values, as hashes, that were in runs not known before.
    private var values: [UInt64] = Array(repeating: 0, count: Self.slotCount)

    /// Powers of two.
    private static let slotCount = 4096
    private static let habitCount = 1024
    /// When the texts fill so many bytes, all is forgotten.
    private static let capacity = 512 * 1024
    /// Fields in a run at most.
    private static let runLimit = 48

    private struct Slot {
        var hash: UInt64 = 0
        var fields = 0..<0
        var text = 0..<0
    }

    /// How often runs that begin with a field were the same as before; it tells whether to go on remembering them.
    private struct Habit {
        var field: UInt = 0
        var hits: UInt16 = 0
        var misses: UInt16 = 0

        /// Whether it is new nearly every time, as a time or a counter is.
        var isRestless: Bool { misses > 64 && hits < misses }

        mutating func count(_ isHit: Bool) {
            if hits == .max || misses == .max {
                hits /= 2
                misses /= 2
            }
            if isHit { hits += 1 } else { misses += 1 }
        }
    }

    /// A run, and what it is found by.
    struct Run {
        let range: Range<Int>
        fileprivate let hash: UInt64
        fileprivate let habit: Int
        /// Whether the fields' places belong to it.
        fileprivate let hasPlaces: Bool
    }

    /// The value of the field at `index`; nil for one that is not worth remembering.
    func single(_ fields: borrowing Span<RecordedField>, _ index: Int) -> Run? {
        guard isSettled(fields[index]), Self.isCostly(fields[index]) else { return nil }
        return Run(
            range: index..<(index + 1), hash: Self.hash(fields[index], at: 0, after: 1),
            habit: Self.habit(fields[index].field, isTree: false), hasPlaces: false)
    }

    /// The longest run of trees that begins with the one at `index` and ends before `end`; nil when that tree holds
    /// something that is not worth remembering.
    func trees(_ fields: borrowing Span<RecordedField>, _ index: Int, before end: Int) -> Run? {
        let depth = fields[index].depth
        let habit = Self.habit(fields[index].field, isTree: true)
        if isRestless(habit, fields[index].field) { return nil }
        var (hash, hashOfTrees) = (UInt64(2), UInt64(2))
        var (next, endOfTrees) = (index, index)
        let limit = min(end, index + Self.runLimit)
        while next < limit {
            if fields[next].depth <= depth {
                endOfTrees = next
                hashOfTrees = hash
            }
            guard isSettled(fields[next]) else { break }
            hash = Self.hash(fields[next], at: fields[next].offset, after: hash)
            next += 1
        }
        if next == end || next == limit && fields[next].depth <= depth {
            endOfTrees = next
            hashOfTrees = hash
        }
        guard endOfTrees > index else { return nil }
        return Run(range: index..<endOfTrees, hash: hashOfTrees, habit: habit, hasPlaces: true)
    }

    /// A tree as it is written in a record of a device; nil where it holds something that is not worth remembering.
    func record(_ fields: borrowing Span<RecordedField>, _ tree: Range<Int>) -> Run? {
        let habit = Self.habit(fields[tree.lowerBound].field, isTree: true)
        guard tree.count <= Self.runLimit, !isRestless(habit, fields[tree.lowerBound].field) else { return nil }
        var hash: UInt64 = 4
        for index in tree {
            guard isSettled(fields[index]) else { return nil }
            hash = Self.hash(fields[index], at: fields[index].offset, after: hash)
        }
        return Run(range: tree, hash: hash, habit: habit, hasPlaces: true)
    }

    /// Writes the run as it was written before; false when it is not known.
    mutating func write(
        _ run: Run, of fields: borrowing Span<RecordedField>, to output: inout TextWriter
    ) -> Bool {
        let slot = slots[Self.slot(run.hash)]
        let isKnown = slot.hash == run.hash && slot.fields.count == run.range.count && matches(slot.fields, run, fields)
        count(isKnown, run.habit, of: fields[run.range.lowerBound].field)
        if isKnown { output.write(texts, slot.text) }
        return isKnown
    }

    /// Remembers that the run was written as what `output` holds since `start`.
    mutating func keep(
        _ run: Run, of fields: borrowing Span<RecordedField>, _ output: borrowing TextWriter, from start: Int
    ) {
        if texts.count > Self.capacity {
            texts.truncate(to: 0)
            self.fields.removeAll(keepingCapacity: true)
            slots = Array(repeating: Slot(), count: Self.slotCount)
        }
        if run.hasPlaces { blame(run, of: fields) }
        let firstField = self.fields.count
        for index in run.range { self.fields.append(fields[index]) }
        let firstByte = texts.count
        output.copy(from: start, to: &texts)
        slots[Self.slot(run.hash)] = Slot(
            hash: run.hash, fields: firstField..<self.fields.count, text: firstByte..<texts.count)
    }

    /// Notes which fields of a run that was not known have a new value: a run with one that is new nearly every time
    /// would never be the same.
    private mutating func blame(_ run: Run, of fields: borrowing Span<RecordedField>) {
        for index in run.range {
            let hash = Self.hash(fields[index], at: 0, after: 3)
            let habit = Self.habit(fields[index].field, isTree: false)
            count(values[Self.slot(hash)] == hash, habit, of: fields[index].field)
            values[Self.slot(hash)] = hash
        }
    }

    private mutating func count(_ isHit: Bool, _ habit: Int, of field: Field) {
        if habits[habit].field != field.address { habits[habit] = Habit(field: field.address) }
        habits[habit].count(isHit)
    }

    /// Whether a field is likely to come again as it is: its text depends on nothing but what was recorded of it, and
    /// that is not new nearly every time.
    private func isSettled(_ recorded: RecordedField) -> Bool {
        switch recorded.field.format {
        case .bytes, .text, .uuid128, .time: return false
        case .group, .decimal, .signed, .hex, .number, .float, .dotted, .timestamp, .boolean, .address:
            return !isRestless(Self.habit(recorded.field, isTree: false), recorded.field)
        }
    }

    private func isRestless(_ habit: Int, _ field: Field) -> Bool {
        habits[habit].field == field.address && habits[habit].isRestless
    }

    /// Whether putting the value's text together takes longer than finding it.
    private static func isCostly(_ recorded: RecordedField) -> Bool {
        switch recorded.field.format {
        case .decimal, .signed: recorded.field.names != nil
        case .group: recorded.depth == 0
        default: true
        }
    }

    private func matches(_ known: Range<Int>, _ run: Run, _ fields: borrowing Span<RecordedField>) -> Bool {
        for offset in 0..<known.count {
            let one = self.fields[known.lowerBound + offset]
            let other = fields[run.range.lowerBound + offset]
            guard one.field == other.field, one.value == other.value, one.length == other.length else { return false }
            if run.hasPlaces,
                one.offset != other.offset || one.depth != other.depth || one.buffer != other.buffer
                    || one.isGenerated != other.isGenerated
            {
                return false
            }
        }
        return true
    }

    /// What comes from the field is put together before what came from those before it is waited for.
    private static func hash(_ recorded: RecordedField, at offset: UInt32, after hash: UInt64) -> UInt64 {
        let place = UInt64(recorded.length) << 32 | UInt64(offset)
        let own = UInt64(recorded.field.address) &* 0x9E37_79B9_7F4A_7C15 ^ place &* 0xFF51_AFD7_ED55_8CCD
        return ((hash ^ hash >> 29) &+ own ^ recorded.value &* 0xD6E8_FEB8_6659_FD93) &* 0xC4CE_B9FE_1A85_EC53
    }

    private static func slot(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 40) & (slotCount - 1) }

    private static func habit(_ field: Field, isTree: Bool) -> Int {
        let hash = (UInt64(field.address) ^ (isTree ? 1 : 0)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash >> 40) & (habitCount - 1)
    }
}
