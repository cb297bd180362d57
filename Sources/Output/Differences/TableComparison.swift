import Bluetooth
import Bytes
import PluginKit

/// Compares the attribute tables of the servers of two connections, by the identities of attributes.
///
/// What one client has not discovered is no difference: services are compared if both clients have listed all of them,
/// characteristics if both know some of their service, descriptors if both know some of their characteristic.
struct TableComparison {
    private let a: ServerOutline
    private let b: ServerOutline
    /// Whether a client has listed all services of a side.
    private let listsServices: (a: Bool, b: Bool)
    private var names = AttributeNames()
    private var differences: [Difference] = []
    /// Attributes on both sides whose handles differ.
    private var moved: [(name: String, a: Handle, b: Handle)] = []

    /// Differences of the tables of both sides' servers.
    static func differences(_ a: ConnectionOutline, _ b: ConnectionOutline) -> [Difference] {
        var all: [Difference] = []
        for side in [FrameReference.Sender.peripheral, .central, .unknown] {
            guard let one = a.tables[side], let other = b.tables[side], one.table != other.table else { continue }
            var comparison = TableComparison(
                one, other, listsServices: (a.listedServers.contains(side), b.listedServers.contains(side)))
            comparison.compareServices()
            comparison.addMoved()
            all += comparison.differences
        }
        return all
    }

    private init(_ a: ServerOutline, _ b: ServerOutline, listsServices: (a: Bool, b: Bool)) {
        (self.a, self.b, self.listsServices) = (a, b, listsServices)
    }

    private mutating func name(_ type: UUID, isService: Bool = false) -> String {
        a.names[type] ?? b.names[type] ?? (isService ? names.service(type) : names.attribute(type))
    }

    private mutating func title(_ element: AttributePath.Element, isService: Bool = false) -> String {
        let name = name(element.type, isService: isService)
        return element.instance == 0 ? name : "\(name) #\(element.instance + 1)"
    }

    private mutating func add(_ subject: String, _ field: FieldDifference) {
        differences.append(Difference(.table, subject, [field]))
    }

    private mutating func addMissing(_ subject: String, isInA: Bool, _ what: String) {
        add(subject, FieldDifference(what, isInA ? "present" : nil, isInA ? nil : "present"))
    }
}

// MARK: - Services, characteristics, descriptors

extension TableComparison {
    /// Elements of a table with their identities, in handle order.
    private static func numbered<Element>(
        _ elements: [Element], type: (Element) -> UUID
    ) -> [(key: AttributePath.Element, element: Element)] {
        var counts: [UUID: Int] = [:]
        return elements.map { element in
            let instance = counts[type(element), default: 0]
            counts[type(element)] = instance + 1
            return (AttributePath.Element(type(element), instance: instance), element)
        }
    }

    /// Pairs the elements of both sides; nil for a side without the element.
    private static func paired<Element>(
        _ one: [(key: AttributePath.Element, element: Element)],
        _ other: [(key: AttributePath.Element, element: Element)]
    ) -> [(key: AttributePath.Element, a: Element?, b: Element?)] {
        let ofA = Dictionary(one.map { ($0.key, $0.element) }) { first, _ in first }
        let ofB = Dictionary(other.map { ($0.key, $0.element) }) { first, _ in first }
        return one.map { ($0.key, $0.element, ofB[$0.key]) }
            + other.filter { ofA[$0.key] == nil }.map { ($0.key, nil, $0.element) }
    }

    private mutating func compareServices() {
        let services = Self.paired(
            Self.numbered(a.table.services) { $0.type }, Self.numbered(b.table.services) { $0.type })
        for (key, one, other) in services {
            let title = title(key, isService: true)
            guard let one, let other else {
                if one == nil ? listsServices.a : listsServices.b {
                    addMissing(title, isInA: one != nil, "service")
                }
                continue
            }
            if one.start != other.start { moved.append((title, one.start, other.start)) }
            compareCharacteristics(of: one, other, title)
        }
    }

    private mutating func compareCharacteristics(
        of one: GATT.Table.Service, _ other: GATT.Table.Service, _ title: String
    ) {
        func characteristics(_ table: GATT.Table, _ service: GATT.Table.Service) -> [GATT.Table.Characteristic] {
            Self.elements(table.characteristics, from: service.start, upTo: service.end) { $0.declaration }
        }
        let (ofA, ofB) = (characteristics(a.table, one), characteristics(b.table, other))
        if ofA.isEmpty || ofB.isEmpty { return }
        let pairs = Self.paired(Self.numbered(ofA) { $0.type }, Self.numbered(ofB) { $0.type })
        for (key, before, now) in pairs {
            let name = "\(title) / \(self.title(key))"
            guard let before, let now else {
                addMissing(name, isInA: before != nil, "characteristic")
                continue
            }
            if before.value != now.value { moved.append((name, before.value, now.value)) }
            if before.properties != now.properties {
                add(
                    name,
                    FieldDifference(
                        "properties", before.properties.names.joined(separator: ", "),
                        now.properties.names.joined(separator: ", ")))
            }
            compareDescriptors(
                Self.descriptors(of: before, among: ofA, in: a.table, upTo: one.end),
                Self.descriptors(of: now, among: ofB, in: b.table, upTo: other.end), name)
        }
    }

    private mutating func compareDescriptors(
        _ one: [GATT.Table.Descriptor], _ other: [GATT.Table.Descriptor], _ title: String
    ) {
        if one.isEmpty || other.isEmpty { return }
        for (key, before, now) in Self.paired(Self.numbered(one) { $0.type }, Self.numbered(other) { $0.type }) {
            let name = "\(title) / \(self.title(key))"
            guard let before, let now else {
                addMissing(name, isInA: before != nil, "descriptor")
                continue
            }
            if before.handle != now.handle { moved.append((name, before.handle, now.handle)) }
        }
    }

    /// The descriptors of a characteristic: those up to the next declaration, or the end of the service.
    private static func descriptors(
        of characteristic: GATT.Table.Characteristic, among all: [GATT.Table.Characteristic], in table: GATT.Table,
        upTo end: Handle
    ) -> [GATT.Table.Descriptor] {
        let later = elements(all, from: characteristic.value, upTo: end) { $0.declaration }
        let next = later.first { $0.declaration > characteristic.value }?.declaration.rawValue
        let last = next.map { Handle($0 - 1) } ?? end
        return elements(table.descriptors, from: characteristic.value, upTo: last) { $0.handle }
    }

    /// The elements of a list in handle order whose handles are in a range.
    private static func elements<Element>(
        _ list: [Element], from first: Handle, upTo last: Handle, handle: (Element) -> Handle
    ) -> [Element] {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if handle(list[middle]) < first { low = middle + 1 } else { high = middle }
        }
        return Array(list[low...].prefix { handle($0) <= last })
    }

    /// Adds one difference for all attributes whose handles differ.
    private mutating func addMoved() {
        guard let first = moved.first else { return }
        let subject = moved.count == 1 ? first.name : "\(first.name) and \((moved.count - 1).counted("more attribute"))"
        differences.append(
            Difference(
                .table, subject, [FieldDifference("handle", "\(first.a)", "\(first.b)")], count: moved.count))
    }
}
