/// An element of a table, ordered by handle.
private protocol HandleOrdered {
    var place: Handle { get }
}

extension Array where Element: HandleOrdered {
    /// Index of the first element after `handle`.
    fileprivate func position(after handle: Handle) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].place <= handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The last element at or before `handle`.
    fileprivate func last(upTo handle: Handle) -> Element? {
        let position = position(after: handle)
        return position > 0 ? self[position - 1] : nil
    }

    /// Compares an element with the array. A new element counts as known if the array is full.
    fileprivate func compare(_ element: Element) -> GATT.Table.Learned where Element: Equatable {
        if let last = last(upTo: element.place), last.place == element.place {
            return last == element ? .known : .contradiction
        }
        return count < GATT.Table.capacity ? .new : .known
    }
}

extension GATT {
    /// A server's attribute table, as far as it is known: services, characteristics and descriptors, each in handle
    /// order.
    public struct Table: Hashable, Sendable {
        /// A service: the handle range from its declaration to its last attribute.
        public struct Service: Hashable, Sendable, HandleOrdered {
            public var start: Handle
            public var end: Handle
            public var type: UUID

            fileprivate var place: Handle { start }

            public init(start: Handle, end: Handle, type: UUID) {
                self.start = start
                self.end = end
                self.type = type
            }
        }

        /// A characteristic: the handles of its declaration and its value.
        public struct Characteristic: Hashable, Sendable, HandleOrdered {
            public var declaration: Handle
            public var value: Handle
            public var properties: Properties
            public var type: UUID

            fileprivate var place: Handle { declaration }

            public init(declaration: Handle, value: Handle, properties: Properties, type: UUID) {
                self.declaration = declaration
                self.value = value
                self.properties = properties
                self.type = type
            }
        }

        /// A descriptor: its handle and type.
        public struct Descriptor: Hashable, Sendable, HandleOrdered {
            public var handle: Handle
            public var type: UUID

            fileprivate var place: Handle { handle }

            public init(handle: Handle, type: UUID) {
                self.handle = handle
                self.type = type
            }
        }

        /// A discovered attribute or service.
        public enum Entry: Hashable, Sendable {
            case service(Service)
            case characteristic(Characteristic)
            case descriptor(Descriptor)
        }

        /// Sum of the hashes of all entries, so that hashing a table does not visit its entries. It is the first
        /// property, so that comparing different tables stops at it.
        private var digest = 0
        public private(set) var services: [Service] = []
        public private(set) var characteristics: [Characteristic] = []
        public private(set) var descriptors: [Descriptor] = []
        /// Characteristic declarations listed by Find Information but not read yet.
        public private(set) var unreadDeclarations: [Descriptor] = []

        public init() {}

        public var isEmpty: Bool { services.isEmpty && characteristics.isEmpty && descriptors.isEmpty }

        /// Number of services, characteristics, descriptors and unread declarations.
        public var count: Int {
            services.count + characteristics.count + descriptors.count + unreadDeclarations.count
        }

        /// Maximum number of entries of each kind; a device has a few dozen.
        public static let capacity = 2048
    }
}

// MARK: - Discovery

extension GATT.Table {
    /// The result of adding a discovered entry.
    public enum Learned: Sendable, Hashable {
        case new, known
        /// The table has a different entry at this handle: the server's table has changed.
        case contradiction
    }

    /// Adds an entry.
    public mutating func learn(_ entry: Entry) -> Learned {
        switch entry {
        case .service(let service): learn(service)
        case .characteristic(let characteristic): learn(characteristic)
        case .descriptor(let descriptor): learn(descriptor)
        }
    }

    /// Whether an entry contradicts the table.
    public func contradicts(_ entry: Entry) -> Bool {
        switch entry {
        case .service(let service): compare(service) == .contradiction
        case .characteristic(let characteristic): compare(characteristic) == .contradiction
        case .descriptor(let descriptor): compare(descriptor) == .contradiction
        }
    }

    /// Adds a service; it must not overlap another service.
    public mutating func learn(_ service: Service) -> Learned {
        let learned = compare(service)
        if learned == .new { Self.insert(service, into: &services, &digest) }
        return learned
    }

    /// Adds a characteristic; its declaration and value must not be known as different attributes.
    public mutating func learn(_ characteristic: Characteristic) -> Learned {
        let learned = compare(characteristic)
        guard learned == .new else { return learned }
        // Find Information may have listed the value before its declaration was read.
        if case .descriptor = describedAttribute(at: characteristic.value)?.kind {
            Self.forget(in: &descriptors, &digest) { $0.handle == characteristic.value }
        }
        Self.forget(in: &unreadDeclarations, &digest) { $0.handle == characteristic.declaration }
        Self.insert(characteristic, into: &characteristics, &digest)
        return .new
    }

    /// Adds an attribute type from Find Information. For a declaration or a value, reading the declaration gives more
    /// detail.
    public mutating func learn(_ descriptor: Descriptor) -> Learned {
        let learned = compare(descriptor)
        if learned == .new { Self.insert(descriptor, into: &descriptors, &digest) }
        if learned == .known, descriptor.type == .characteristic,
            describedAttribute(at: descriptor.handle)?.type == nil,
            unreadDeclarations.count < Self.capacity
        {
            Self.insert(descriptor, into: &unreadDeclarations, &digest)
        }
        return learned
    }

    /// Removes the entries in a range, as after Service Changed (Vol 3, Part G, 7.1).
    public mutating func forget(_ range: ClosedRange<Handle>) {
        Self.forget(in: &services, &digest) { range.contains($0.start) }
        Self.forget(in: &characteristics, &digest) { range.contains($0.declaration) || range.contains($0.value) }
        Self.forget(in: &descriptors, &digest) { range.contains($0.handle) }
        Self.forget(in: &unreadDeclarations, &digest) { range.contains($0.handle) }
    }

    private func compare(_ service: Service) -> Learned {
        if let before = services.last(upTo: service.end), before.end >= service.start, before != service {
            return .contradiction
        }
        return services.compare(service)
    }

    private func compare(_ characteristic: Characteristic) -> Learned {
        if comesAfterAll(characteristic) { return characteristics.count < Self.capacity ? .new : .known }
        for handle in [characteristic.declaration, characteristic.value] {
            let known = describedAttribute(at: handle)
            switch known?.kind {
            case .characteristic(characteristic), .value(characteristic), .unknown, nil: break
            case .descriptor where handle == characteristic.value && known?.type == characteristic.type: break
            default: return .contradiction
            }
        }
        return characteristics.compare(characteristic)
    }

    /// Whether a characteristic follows all known entries, as in discovery, and overlaps none.
    private func comesAfterAll(_ characteristic: Characteristic) -> Bool {
        let (first, last) = (characteristic.declaration, characteristic.value)
        return first < last && characteristics.last.map { max($0.declaration, $0.value) < first } ?? true
            && descriptors.last.map { $0.handle < first } ?? true
            && services.last(upTo: last).map { $0.start < first } ?? true
    }

    private func compare(_ descriptor: Descriptor) -> Learned {
        switch describedAttribute(at: descriptor.handle)?.kind {
        case .value(let characteristic):
            return characteristic.type == descriptor.type ? .known : .contradiction
        case .service, .characteristic:
            return switch descriptor.type {
            case .primaryService, .secondaryService, .characteristic: .known
            default: .contradiction
            }
        case .descriptor, .undeclaredValue, .unknown, nil: break
        }
        switch descriptor.type {
        case .primaryService, .secondaryService, .include, .characteristic: return .known
        default: return descriptors.compare(descriptor)
        }
    }

    /// Inserts an entry in handle order.
    private static func insert<Element: HandleOrdered & Hashable>(
        _ element: Element, into list: inout [Element], _ digest: inout Int
    ) {
        digest &+= element.hashValue
        list.insert(element, at: list.position(after: element.place))
    }

    private static func forget<Element: Hashable>(
        in list: inout [Element], _ digest: inout Int, where isForgotten: (Element) -> Bool
    ) {
        // A list without removed elements keeps its shared storage.
        guard list.contains(where: isForgotten) else { return }
        for element in list where isForgotten(element) { digest &-= element.hashValue }
        list.removeAll(where: isForgotten)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

// MARK: - Look-up

extension GATT {
    /// The known properties of an attribute.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's role in its service.
        public enum Kind: Hashable, Sendable {
            case service
            case characteristic(Table.Characteristic)
            case value(Table.Characteristic)
            case descriptor
            /// The value of a characteristic whose declaration Find Information listed but no client read.
            case undeclaredValue
            /// An attribute of a known service, otherwise unknown.
            case unknown
        }

        public var handle: Handle
        /// Attribute type; nil if unknown.
        public var type: UUID?
        public var kind: Kind
        public var service: Table.Service?
        /// The characteristic that the attribute declares, holds the value of, or describes.
        public var characteristic: Table.Characteristic?

        public init(
            handle: Handle, type: UUID?, kind: Kind, service: Table.Service? = nil,
            characteristic: Table.Characteristic? = nil
        ) {
            self.handle = handle
            self.type = type
            self.kind = kind
            self.service = service
            self.characteristic = characteristic
        }
    }
}

extension GATT.Attribute {
    /// The type of the characteristic that a descriptor belongs to. Some servers have a second attribute of the value's
    /// type after the value; it is not a descriptor.
    public var owner: UUID? {
        guard case .descriptor = kind, let owner = characteristic?.type, owner != type else { return nil }
        return owner
    }
}

extension GATT.Table {
    /// The service whose handle range contains a handle.
    public func service(at handle: Handle) -> Service? {
        services.last(upTo: handle).flatMap { $0.end >= handle ? $0 : nil }
    }

    /// The known properties of the attribute at a handle; nil if nothing is known.
    ///
    /// If a characteristic notifies or indicates and has a single handle after its value, that attribute is taken to be
    /// its Client Characteristic Configuration, which is mandatory then (Vol 3, Part G, 3.3.3.3). Clients such as BlueZ
    /// do not discover its type.
    public func attribute(at handle: Handle) -> GATT.Attribute? {
        guard var attribute = describedAttribute(at: handle) else { return nil }
        if let declaration = unreadDeclaration(upTo: handle) {
            // The previous characteristic ends at the unread declaration. The value follows the declaration (Vol 3,
            // Part G, 3.3.2).
            attribute.characteristic = nil
            if attribute.kind == .descriptor, handle.rawValue == declaration.rawValue &+ 1 {
                attribute.kind = .undeclaredValue
            }
            return attribute
        }
        if attribute.kind == .unknown, attribute.type == nil, let owner = attribute.characteristic,
            let service = attribute.service,
            isOnlyDescriptor(handle, of: owner, in: service)
        {
            attribute.type = .clientCharacteristicConfiguration
            attribute.kind = .descriptor
        }
        return attribute
    }

    /// Handle of a characteristic's Client Characteristic Configuration; nil if unknown.
    public func configuration(of characteristic: Characteristic) -> Handle? {
        let reported = descriptors.first {
            $0.type == .clientCharacteristicConfiguration
                && describedAttribute(at: $0.handle)?.characteristic == characteristic
        }
        if let reported { return reported.handle }
        let next = Handle(characteristic.value.rawValue &+ 1)
        guard let attribute = attribute(at: next), attribute.characteristic == characteristic else { return nil }
        return attribute.type == .clientCharacteristicConfiguration ? next : nil
    }

    /// The last unread declaration at or before `handle` in the same service; nil if a declaration that was read
    /// follows it.
    private func unreadDeclaration(upTo handle: Handle) -> Handle? {
        guard !unreadDeclarations.isEmpty, let declaration = unreadDeclarations.last(upTo: handle)?.handle,
            service(at: declaration)?.start == service(at: handle)?.start
        else { return nil }
        if let read = characteristics.last(upTo: handle), read.declaration > declaration { return nil }
        return declaration
    }

    private func isOnlyDescriptor(_ handle: Handle, of characteristic: Characteristic, in service: Service) -> Bool {
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]),
            handle.rawValue == characteristic.value.rawValue &+ 1
        else { return false }
        if service.end == handle { return true }
        let next = Handle(handle.rawValue &+ 1)
        return characteristics.last(upTo: next)?.declaration == next
    }

    /// The discovered properties of the attribute at a handle, without inference; nil if nothing is known.
    private func describedAttribute(at handle: Handle) -> GATT.Attribute? {
        let service = service(at: handle)
        var attribute = GATT.Attribute(handle: handle, type: nil, kind: .unknown, service: service)
        if let characteristic = characteristics.last(upTo: handle),
            self.service(at: characteristic.declaration)?.start == service?.start
        {
            attribute.characteristic = characteristic
            if characteristic.declaration == handle {
                attribute.type = .characteristic
                attribute.kind = .characteristic(characteristic)
                return attribute
            }
            if characteristic.value == handle {
                attribute.type = characteristic.type
                attribute.kind = .value(characteristic)
                return attribute
            }
        }
        if let service, service.start == handle {
            attribute.type = .primaryService
            attribute.kind = .service
        } else if let descriptor = descriptors.last(upTo: handle), descriptor.handle == handle {
            attribute.type = descriptor.type
            attribute.kind = .descriptor
        } else if unreadDeclarations.last(upTo: handle)?.handle == handle {
            attribute.type = .characteristic
        } else if service == nil {
            return nil
        }
        return attribute
    }
}
