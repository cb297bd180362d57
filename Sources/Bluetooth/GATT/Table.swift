/// A thing that has its place in a table by its handle.
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

    /// The last element that does not come after `handle`.
    fileprivate func last(upTo handle: Handle) -> Element? {
        let position = position(after: handle)
        return position > 0 ? self[position - 1] : nil
    }

    /// What an element would be beside those that are here: one more than the array takes in counts as known.
    fileprivate func compare(_ element: Element) -> GATT.Table.Learned where Element: Equatable {
        if let last = last(upTo: element.place), last.place == element.place {
            return last == element ? .known : .contradiction
        }
        return count < GATT.Table.capacity ? .new : .known
    }
}

extension GATT {
    /// The attributes of one server, as far as they are known: services, characteristics and descriptors, each in the
    /// order of their handles.
    public struct Table: Hashable, Sendable {
        /// A service: the handles from its declaration to its last attribute.
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

        /// A characteristic: its declaration and its value.
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

        /// A descriptor.
        public struct Descriptor: Hashable, Sendable, HandleOrdered {
            public var handle: Handle
            public var type: UUID

            fileprivate var place: Handle { handle }

            public init(handle: Handle, type: UUID) {
                self.handle = handle
                self.type = type
            }
        }

        /// One thing that discovery tells.
        public enum Entry: Hashable, Sendable {
            case service(Service)
            case characteristic(Characteristic)
            case descriptor(Descriptor)
        }

        /// Sum of the hashes of all entries, so that a table is hashed without a look at them. It comes first, so that
        /// tables which differ are told apart by it.
        private var digest = 0
        public private(set) var services: [Service] = []
        public private(set) var characteristics: [Characteristic] = []
        public private(set) var descriptors: [Descriptor] = []
        /// Declarations of characteristics that Find Information showed, until they are read.
        public private(set) var unreadDeclarations: [Descriptor] = []

        public init() {}

        public var isEmpty: Bool { services.isEmpty && characteristics.isEmpty && descriptors.isEmpty }

        /// Services, characteristics and descriptors.
        public var count: Int {
            services.count + characteristics.count + descriptors.count + unreadDeclarations.count
        }

        /// Entries that a table takes in; a device has some dozens.
        public static let capacity = 2048
    }
}

// MARK: - Learning

extension GATT.Table {
    /// What became of a thing that discovery told.
    public enum Learned: Sendable, Hashable {
        case new, known
        /// The table has something else at this handle: the server's table has changed.
        case contradiction
    }

    /// Takes in an entry.
    public mutating func learn(_ entry: Entry) -> Learned {
        switch entry {
        case .service(let service): learn(service)
        case .characteristic(let characteristic): learn(characteristic)
        case .descriptor(let descriptor): learn(descriptor)
        }
    }

    /// Whether an entry contradicts what is known.
    public func contradicts(_ entry: Entry) -> Bool {
        switch entry {
        case .service(let service): compare(service) == .contradiction
        case .characteristic(let characteristic): compare(characteristic) == .contradiction
        case .descriptor(let descriptor): compare(descriptor) == .contradiction
        }
    }

    /// Takes in a service; it must not reach into another one.
    public mutating func learn(_ service: Service) -> Learned {
        let learned = compare(service)
        if learned == .new { Self.insert(service, into: &services, &digest) }
        return learned
    }

    /// Takes in a characteristic; its declaration and its value must not be known as something else.
    public mutating func learn(_ characteristic: Characteristic) -> Learned {
        let learned = compare(characteristic)
        guard learned == .new else { return learned }
        // Find Information may have told of the value before its declaration was read.
        if case .descriptor = toldAttribute(at: characteristic.value)?.kind {
            Self.forget(in: &descriptors, &digest) { $0.handle == characteristic.value }
        }
        Self.forget(in: &unreadDeclarations, &digest) { $0.handle == characteristic.declaration }
        Self.insert(characteristic, into: &characteristics, &digest)
        return .new
    }

    /// Takes in the type of an attribute that Find Information told; declarations and values say more when they are read.
    public mutating func learn(_ descriptor: Descriptor) -> Learned {
        let learned = compare(descriptor)
        if learned == .new { Self.insert(descriptor, into: &descriptors, &digest) }
        if learned == .known, descriptor.type == .characteristic, toldAttribute(at: descriptor.handle)?.type == nil,
            unreadDeclarations.count < Self.capacity
        {
            Self.insert(descriptor, into: &unreadDeclarations, &digest)
        }
        return learned
    }

    /// Forgets what lies in a range, as after Service Changed (Vol 3, Part G, 7.1).
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
            let known = toldAttribute(at: handle)
            switch known?.kind {
            case .characteristic(characteristic), .value(characteristic), .unknown, nil: break
            case .descriptor where handle == characteristic.value && known?.type == characteristic.type: break
            default: return .contradiction
            }
        }
        return characteristics.compare(characteristic)
    }

    /// Whether a characteristic comes after all that are known, as in discovery, and touches nothing else.
    private func comesAfterAll(_ characteristic: Characteristic) -> Bool {
        let (first, last) = (characteristic.declaration, characteristic.value)
        return first < last && characteristics.last.map { max($0.declaration, $0.value) < first } ?? true
            && descriptors.last.map { $0.handle < first } ?? true
            && services.last(upTo: last).map { $0.start < first } ?? true
    }

    private func compare(_ descriptor: Descriptor) -> Learned {
        switch toldAttribute(at: descriptor.handle)?.kind {
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

    /// Puts an entry in its place.
    private static func insert<Element: HandleOrdered & Hashable>(
        _ element: Element, into list: inout [Element], _ digest: inout Int
    ) {
        digest &+= element.hashValue
        list.insert(element, at: list.position(after: element.place))
    }

    private static func forget<Element: Hashable>(
        in list: inout [Element], _ digest: inout Int, where isForgotten: (Element) -> Bool
    ) {
        // A list that nothing is taken from keeps the storage that it shares.
        guard list.contains(where: isForgotten) else { return }
        for element in list where isForgotten(element) { digest &-= element.hashValue }
        list.removeAll(where: isForgotten)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

// MARK: - Looking up

extension GATT {
    /// What a table knows of one attribute.
    public struct Attribute: Hashable, Sendable {
        /// The attribute's place in its service.
        public enum Kind: Hashable, Sendable {
            case service
            case characteristic(Table.Characteristic)
            case value(Table.Characteristic)
            case descriptor
            /// The value of a characteristic whose declaration was listed by Find Information but not read.
            case undeclaredValue
            /// In a known service, but nothing more is known of it.
            case unknown
        }

        public var handle: Handle
        /// Attribute type; nil where it is not known.
        public var type: UUID?
        public var kind: Kind
        public var service: Table.Service?
        /// The characteristic that it declares, is the value of or describes.
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
    /// type behind the value: that describes nothing.
    public var owner: UUID? {
        guard case .descriptor = kind, let owner = characteristic?.type, owner != type else { return nil }
        return owner
    }
}

extension GATT.Table {
    /// The service that a handle lies in.
    public func service(at handle: Handle) -> Service? {
        services.last(upTo: handle).flatMap { $0.end >= handle ? $0 : nil }
    }

    /// What is known of the attribute at a handle; nil when nothing is.
    ///
    /// Where a characteristic notifies or indicates and has one handle beside its value, that is its Client Characteristic
    /// Configuration, which it must have (Vol 3, Part G, 3.3.3.3). Clients such as BlueZ do not ask for its type.
    public func attribute(at handle: Handle) -> GATT.Attribute? {
        guard var attribute = toldAttribute(at: handle) else { return nil }
        if let declaration = unreadDeclaration(upTo: handle) {
            // What is known of an earlier characteristic ends here. The value comes next (Vol 3, Part G, 3.3.2).
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

    /// Handle of a characteristic's Client Characteristic Configuration; nil where none is known.
    public func configuration(of characteristic: Characteristic) -> Handle? {
        let told = descriptors.first {
            $0.type == .clientCharacteristicConfiguration
                && toldAttribute(at: $0.handle)?.characteristic == characteristic
        }
        if let told { return told.handle }
        let next = Handle(characteristic.value.rawValue &+ 1)
        guard let attribute = attribute(at: next), attribute.characteristic == characteristic else { return nil }
        return attribute.type == .clientCharacteristicConfiguration ? next : nil
    }

    /// The declaration in the service of a handle that no later one before the handle follows, if it was not read.
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

    /// What the server has told of the attribute at a handle; nil when nothing.
    private func toldAttribute(at handle: Handle) -> GATT.Attribute? {
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
