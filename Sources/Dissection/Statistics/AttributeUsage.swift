package import Bluetooth
package import Conversation

/// Counts operations by characteristic, independent of handles and over all devices of a kind.
package struct AttributeUsage: Sendable {
    package enum Operation: Int, Sendable, CaseIterable {
        case read, write, writeCommand, notification, indication

        init?(_ opcode: ATT.Opcode) {
            // A Read Blob Response continues a read that is counted already.
            guard let shape = ATT.Opcode.table.shape(of: opcode), shape.valueOffset != nil,
                opcode != .readBlobResponse
            else { return nil }
            switch shape.operation {
            case .read: self = .read
            case .write: self = shape.kind == .command ? .writeCommand : .write
            case .notify: self = .notification
            case .indicate: self = .indication
            case nil: return nil
            }
        }
    }

    /// A characteristic or a descriptor, identified through the server's attribute table.
    package struct Key: Hashable, Sendable {
        package var service: UUID?
        package var characteristic: UUID?
        /// The descriptor's type; nil for the characteristic's value.
        package var descriptor: UUID?
        /// The handle, if the attribute is unknown.
        package var handle: Handle?
    }

    /// Counts of each operation, by attribute.
    package var totals: [Key: [Int]] { places.mapValues { counts[$0] } }

    /// Counts of each operation, and the index of each key's counts.
    private var counts: [[Int]] = []
    private var places: [Key: Int] = [:]
    /// Index cache of the table settled last: most devices of a capture have the same table.
    private var last = PlacesOfTable()
    /// Counts of open connections by slot, handle and operation; one flat array, so that counting takes a single
    /// access.
    private var running: [UInt32] = []
    /// Number of handles per slot.
    private var width = 64
    /// Counts of handles above the slots' range, by table version, until the connection ends.
    private var high: [TableVersion: [UInt16: [Int]]] = [:]
    private var highCount = 0
    private var slotCount: Int { running.count / (width * Self.operationCount) }
    /// Slot of each table version, and the free slots.
    private var slots: [TableVersion: Int] = [:]
    private var freeSlots: [Int] = []
    /// Start of the counts of recent table versions, indexed by their numbers modulo 16; faster than the dictionary.
    private var recent = InlineArray<16, (tableVersion: TableVersion, start: Int)>(repeating: (.unknown, 0))
    /// Operation index by opcode; -1 for opcodes that are not counted. A table, because the branches of a switch would
    /// be unpredictable.
    private let operations = InlineArray<256, Int8> { opcode in
        Int8(Operation(ATT.Opcode(rawValue: UInt8(opcode)))?.rawValue ?? -1)
    }

    /// Maximum number of keys with separate counts; further attributes share one.
    private static let keyLimit = 20_000
    /// Highest handle counted in slots.
    private static let highestInSlot = 1024
    /// Maximum number of higher handles with separate counts at a time; further ones share one.
    private static let highLimit = 20_000
    private static let operationCount = Operation.allCases.count
    private static let none = Array(repeating: 0, count: operationCount)

    package init() {}

    @inline(__always)
    package mutating func count(_ attribute: borrowing AttributeFacts) {
        let operation = Int(operations[Int(attribute.opcode.rawValue)])
        guard operation >= 0, attribute.tableVersion.isKnown, attribute.handle.rawValue != 0 else { return }
        let handle = Int(attribute.handle.rawValue)
        if handle >= width {
            guard handle <= Self.highestInSlot else { return countHigh(attribute, operation) }
            widen(for: handle)
        }
        running[start(attribute.tableVersion) + handle * Self.operationCount + operation] += 1
    }

    /// Counts a PDU for a handle above the slots' range.
    private mutating func countHigh(_ attribute: borrowing AttributeFacts, _ operation: Int) {
        let handle = attribute.handle.rawValue
        if high[attribute.tableVersion]?[handle] == nil {
            guard highCount < Self.highLimit else {
                let place = place(Key())
                counts[place][operation] += 1
                return
            }
            highCount += 1
        }
        high[attribute.tableVersion, default: [:]][handle, default: Self.none][operation] += 1
    }

    /// Extends every slot to higher handles.
    private mutating func widen(for handle: Int) {
        let wider = min(max(2 * width, handle + 1), Self.highestInSlot + 1)
        let (old, new) = (width * Self.operationCount, wider * Self.operationCount)
        var widened = Array(repeating: 0 as UInt32, count: slotCount * new)
        for slot in 0..<slotCount {
            widened.replaceSubrange((slot * new)..<(slot * new + old), with: running[(slot * old)..<((slot + 1) * old)])
        }
        (running, width) = (widened, wider)
        recent = InlineArray(repeating: (TableVersion.unknown, 0))
    }

    /// Adds the counts of servers whose connections ended, under the names from their tables.
    package mutating func settle(_ ended: [TableVersion: AttributeTableStore.Version]) {
        for (tableVersion, contents) in ended {
            if let high = high.removeValue(forKey: tableVersion) {
                highCount -= high.count
                settle(high, contents)
            }
            guard let slot = slots.removeValue(forKey: tableVersion) else { continue }
            settle(slot, contents)
            recent[Int(tableVersion.index & 15)] = (.unknown, 0)
            freeSlots.append(slot)
        }
    }

    /// Index of a table version's first count.
    @inline(__always)
    private mutating func start(_ tableVersion: TableVersion) -> Int {
        let place = Int(tableVersion.index & 15)
        return recent[place].tableVersion == tableVersion
            ? recent[place].start : findStart(tableVersion, rememberedAt: place)
    }

    private mutating func findStart(_ tableVersion: TableVersion, rememberedAt place: Int) -> Int {
        let slot = slots[tableVersion] ?? freeSlots.popLast() ?? slotCount
        if slot == slotCount { running.append(contentsOf: repeatElement(0, count: width * Self.operationCount)) }
        slots[tableVersion] = slot
        recent[place] = (tableVersion, slot * width * Self.operationCount)
        return recent[place].start
    }

    /// Indices of the counts of a table's attributes, by handle; -1 if not looked up yet.
    private struct PlacesOfTable: Sendable {
        var discovered = GATT.Table()
        var earlier: GATT.Table?
        var byHandle: [Int] = []
    }

    private mutating func settle(_ slot: Int, _ contents: AttributeTableStore.Version) {
        if last.discovered != contents.discovered || last.earlier != contents.earlier || last.byHandle.isEmpty {
            last = PlacesOfTable(
                discovered: contents.discovered, earlier: contents.earlier,
                byHandle: Array(repeating: -1, count: Self.highestInSlot + 1))
        }
        let start = slot * width * Self.operationCount
        for index in counted(start..<(start + width * Self.operationCount)) {
            let (number, operation) = (index - start).quotientAndRemainder(dividingBy: Self.operationCount)
            if last.byHandle[number] < 0 {
                last.byHandle[number] = place(Self.key(Handle(UInt16(number)), contents))
            }
            counts[last.byHandle[number]][operation] += Int(running[index])
            running[index] = 0
        }
    }

    private mutating func settle(_ high: [UInt16: [Int]], _ contents: AttributeTableStore.Version) {
        for (handle, counted) in high {
            let place = place(Self.key(Handle(handle), contents))
            for operation in counted.indices { counts[place][operation] += counted[operation] }
        }
    }

    /// Indices of the nonzero counts in a range of `running`, which is sparse.
    private func counted(_ range: Range<Int>) -> [Int] {
        let counts = running.span.extracting(range)
        return counts.indices.filter { counts[$0] > 0 }.map { range.lowerBound + $0 }
    }

    /// Index of a key's counts; at the limit, the shared counts for all further keys.
    private mutating func place(_ key: Key) -> Int {
        let key = places.count >= Self.keyLimit && places[key] == nil ? Key() : key
        if let place = places[key] { return place }
        counts.append(Self.none)
        places[key] = counts.count - 1
        return counts.count - 1
    }

    private static func key(_ handle: Handle, _ contents: AttributeTableStore.Version) -> Key {
        guard let attribute = contents.attribute(at: handle)?.0 else { return Key(handle: handle) }
        let isDescriptor = attribute.kind == .descriptor
        let characteristic =
            attribute.kind == .undeclaredValue ? attribute.type : attribute.characteristic?.type
        return Key(
            service: attribute.service?.type, characteristic: characteristic,
            descriptor: isDescriptor ? attribute.type : nil, handle: characteristic == nil ? handle : nil)
    }
}
