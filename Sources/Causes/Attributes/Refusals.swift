import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit

/// A request that the server refused with an Error Response (Vol 3, Part F, 3.4.1.1).
struct Refusal: Sendable {
    /// Direction in which the server sends.
    let server: Direction
    let opcode: ATT.Opcode
    let handle: Handle
    let error: ATT.ErrorCode
    /// The request; nil if it was not captured.
    let request: SentRequest?
    let refused: FrameReference
    /// The attribute, or what was searched for: `Battery Level (0x000c)`.
    let name: String
    /// The characteristic, if the attribute is its value.
    let properties: GATT.Properties?
    let isConfiguration: Bool
    /// Whether the server's table knows the attribute from discovery on this connection.
    let isDiscovered: Bool
    /// Whether discovery on this connection came before the request.
    let followsDiscovery: Bool
    /// The shortest value that the profile lets a client write; nil if it is not known.
    let shortestWrite: Int?
    /// What the search was for; nil for requests about one attribute.
    let searched: UUID?
    /// Whether the response may be one to another request.
    let isAmbiguous: Bool
    /// Values that were refused and not accepted later.
    var values: Set<UInt64> = []
    /// Number of times that the request was refused.
    var count = 1

    /// `the server refused the Write Request for Battery Level (0x000c) of frame 12 with Write Not Permitted (0x03) in
    /// frame 13`.
    var text: String {
        let asked = request.map { " of frame \($0.sent.frame)" } ?? ""
        let times = count > 1 ? ", \(count) times in all" : ""
        return "the server refused the client's \(opcode.text) for \(name)\(asked) with \(error.text)"
            + " in frame \(refused.frame)\(times)"
    }

    var frames: [FrameReference] { (request.map { [$0.sent] } ?? []) + [refused] }

    /// How sure a cause is that the error itself names.
    func confidence(in session: Session) -> Confidence {
        request != nil && !isAmbiguous && session.connection.isGapless && session.connection.isHandleOpened
            ? .certain : .likely
    }
}

/// The refused requests of a connection, without those that succeeded when they were repeated.
struct Refusals {
    private struct Key: Hashable {
        var server: Direction
        var opcode: ATT.Opcode
        var handle: Handle
        var error: ATT.ErrorCode
        var searched: UUID?
    }

    /// A search for an attribute type or a service.
    private struct Search: Hashable {
        var server: Direction
        var opcode: ATT.Opcode
        var type: UUID
    }

    private var kept: [Key: Refusal] = [:]
    private var found: Set<Search> = []
    /// The refusals that are failures, by the frame of the error.
    private(set) var failed: [Int: Refusal] = [:]

    private static let (limit, searchLimit, valueLimit) = (128, 256, 16)

    /// Records an Error Response.
    mutating func refuse(_ event: Event, _ request: SentRequest?, followsDiscovery: Bool) {
        guard let error = event.att(ATT.ErrorResponse.self), !error.requestOpcode.isCommand else { return }
        let asked = event.request
        let search = search(asked, event.direction)
        guard !Self.isOfSecurity(error.errorCode), !isNormal(error, asked, search) else { return }
        let handle = error.requestOpcode.hasHandleRange ? Handle(0) : request?.handle ?? error.handle
        let key = Key(
            server: event.direction, opcode: error.requestOpcode, handle: handle, error: error.errorCode,
            searched: search?.type)
        if kept[key] != nil {
            kept[key]?.count += 1
            if let request, kept[key]?.values.count ?? 0 < Self.valueLimit {
                kept[key]?.values.insert(request.valueHash)
            }
            return
        }
        guard kept.count < Self.limit else { return }
        let attribute = event.frame.server?.attribute(at: handle)
        var refusal = Refusal(
            server: event.direction, opcode: error.requestOpcode, handle: handle, error: error.errorCode,
            request: request,
            refused: event.moment, name: search.map { event.searchName($0.type) } ?? event.name(of: handle),
            properties: attribute?.0.valueProperties,
            isConfiguration: attribute?.0.type == .clientCharacteristicConfiguration,
            isDiscovered: attribute.map { $0.1 == .discovered && $0.0.kind != .unknown } ?? false,
            followsDiscovery: followsDiscovery, shortestWrite: event.shortestWrite, searched: search?.type,
            isAmbiguous: asked?.isAmbiguous ?? false || event.frame.metadata.notes.contains(.undecidedRepetition))
        if let request { refusal.values.insert(request.valueHash) }
        kept[key] = refusal
    }

    /// Records a response that carries out a request: a refusal of the same request before is no failure.
    mutating func accept(_ event: Event, _ request: SentRequest?) {
        guard let asked = event.request else { return }
        if let search = search(asked, event.direction) {
            if found.count < Self.searchLimit { found.insert(search) }
            drop { $0.server == search.server && $0.opcode == search.opcode && $0.searched == search.type }
            return
        }
        accept(asked.opcode, asked.handle, request, from: event.direction)
    }

    /// Records a command that writes a value, which the server has refused as a request.
    mutating func command(_ request: SentRequest, to server: Direction) {
        for key in kept.keys where key.server == server && key.handle == request.handle {
            guard key.opcode == .writeRequest, [.writeNotPermitted, .requestNotSupported].contains(key.error),
                kept[key]?.properties?.contains(.writeWithoutResponse) == true
            else { continue }
            remove(request.valueHash, from: key)
        }
    }

    private mutating func accept(
        _ opcode: ATT.Opcode, _ handle: Handle, _ request: SentRequest?, from server: Direction
    ) {
        for key in kept.keys where key.server == server && key.handle == handle {
            switch (opcode, key.opcode) {
            case (.writeRequest, .writeRequest), (.prepareWriteRequest, .prepareWriteRequest):
                remove(request?.valueHash ?? 0, from: key)
            case (.prepareWriteRequest, _): break
            // A client that executes what fitted into the queue has not written the value.
            case (.executeWriteRequest, _) where key.error == .prepareQueueFull: break
            default:
                if opcode == key.opcode || opcode.isValueRead && key.opcode.isValueRead
                    || opcode.isValueWrite && key.opcode.isValueWrite
                {
                    kept[key] = nil
                }
            }
        }
    }

    private mutating func remove(_ value: UInt64, from key: Key) {
        guard kept[key]?.values.remove(value) != nil, kept[key]?.values.isEmpty == true else { return }
        kept[key] = nil
    }

    private mutating func drop(where isDropped: (Key) -> Bool) {
        for key in kept.keys where isDropped(key) { kept[key] = nil }
    }
}

// MARK: - Errors that are no failure

extension Refusals {
    /// Errors of security, whose causes belong to the pairing of the devices.
    private static func isOfSecurity(_ error: ATT.ErrorCode) -> Bool {
        switch error {
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .encryptionKeySizeTooShort:
            true
        default: false
        }
    }

    /// Whether an error ends a procedure as it should, or is one that clients expect.
    private func isNormal(_ error: ATT.ErrorResponse, _ asked: RequestFacts?, _ search: Search?) -> Bool {
        switch error.errorCode {
        case .attributeNotFound:
            guard let asked, let range = asked.range else { return error.requestOpcode.hasHandleRange }
            // A search ends where nothing more is found.
            guard let search, !found.contains(search) else { return true }
            return switch asked.opcode {
            case .readByGroupTypeRequest: search.type != .primaryService || range.start != 1
            default: Self.optional.contains(search.type)
            }
        case .invalidOffset, .attributeNotLong: return error.requestOpcode == .readBlobRequest
        case .invalidHandle, .unsupportedGroupType: return error.requestOpcode.hasHandleRange
        case .requestNotSupported: return Self.optionalRequests.contains(error.requestOpcode)
        default: return false
        }
    }

    /// Requests that a server may not support; clients have another way.
    private static let optionalRequests: Set<ATT.Opcode> = [
        .exchangeMTURequest, .readMultipleRequest, .readMultipleVariableRequest,
    ]

    /// Services and attribute types that many servers lack, and that clients ask for all the same.
    private static let optional: Set<UUID> = Set(
        ([
            0x2800, 0x2801, 0x2802, 0x2803, 0x1800, 0x1801, 0x1805, 0x180A, 0x180F, 0x2A00, 0x2A01, 0x2A02, 0x2A03,
            0x2A04, 0x2A05, 0x2A19, 0x2A23, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A2A, 0x2A50, 0x2AA6,
            0x2AC9, 0x2B29, 0x2B2A, 0x2B3A, 0x2B88, 0x2BF5,
        ] as [UInt32]).map { UUID($0) })

    private func search(_ request: RequestFacts?, _ server: Direction) -> Search? {
        guard let request, request.opcode.hasHandleRange else { return nil }
        let type = request.opcode == .findByTypeValueRequest ? request.value ?? request.type : request.type
        return type.map { Search(server: server, opcode: request.opcode, type: $0) }
    }
}

// MARK: - Failures

extension Refusals {
    /// Adds the failures of the connection.
    mutating func finish(_ session: Session, _ servers: [Direction: ServerUse]) {
        for (key, refusal) in kept.sorted(by: { $0.value.refused < $1.value.refused }) {
            if let server = servers[key.server], server.hasRecovered(from: refusal) { continue }
            failed[refusal.refused.frame] = refusal
            let isMisdirected =
                refusal.request.flatMap { servers[key.server]?.subscriptions.misdirected(at: $0.sent.frame) } != nil
            session.add(
                Failure(
                    isMisdirected ? .subscriptionFailed : refusal.failureKind, refusal.frames,
                    .error(refusal.error, request: refusal.opcode, handle: refusal.handle)))
        }
    }
}

extension Refusal {
    fileprivate var failureKind: Failure.Kind {
        if opcode.hasHandleRange, opcode != .readByTypeRequest { return .discoveryFailed }
        return isConfiguration ? .subscriptionFailed : .procedureFailed
    }
}

extension ATT.Opcode {
    fileprivate var isValueRead: Bool { self == .readRequest || self == .readBlobRequest }
    fileprivate var isValueWrite: Bool {
        [.writeRequest, .prepareWriteRequest, .executeWriteRequest].contains(self)
    }
}

extension GATT.Attribute {
    /// The properties of the characteristic whose value the attribute is; nil for other attributes.
    var valueProperties: GATT.Properties? {
        if case .value(let characteristic) = kind { characteristic.properties } else { nil }
    }
}

extension Event {
    /// `Heart Rate`: the name of a service or an attribute type that was searched for.
    fileprivate func searchName(_ type: UUID) -> String {
        var names = AttributeNames()
        if let name = frame.plugins.name(of: type, plugin: frame.plugin) { return name }
        if type == .primaryService { return "primary services" }
        let name = names.attribute(type)
        return name == type.description ? names.service(type) : name
    }
}
