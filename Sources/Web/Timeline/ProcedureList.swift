import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Output

/// Packets grouped into GATT procedures: a request with its response, the requests of a long read, the values of a
/// segmented message.
struct ProcedureList {
    private let index: CaptureIndex

    /// Number of packets searched after the last procedure for packets that belong to it.
    private static let reach = 4000
    /// Maximum number of packets searched in total.
    private static let limit = 200_000
    /// Maximum number of packets listed per procedure.
    private static let listed = 1000

    init(_ index: CaptureIndex) {
        self.index = index
    }

    /// An ATT bearer, which has at most one outstanding request.
    private struct Bearer: Hashable {
        var connection: Int32
        var number: UInt8
    }

    private struct Group {
        var kind: String
        var packets: [Int]
        var connection: Int32
        var start: Timestamp
        var end: Timestamp
        var handle: UInt16
        var opcode: ATT.Opcode
        var isAnswered: Bool?
        var isError = false
        /// The packet with the result of the procedure.
        var result: Int
    }

    func json(from: Int, count: Int) throws -> JSONValue {
        var groups: [Group] = []
        /// The group of each packet, and the last group of each ATT bearer that may continue.
        var owners: [Int: Int] = [:]
        var last: [Bearer: Int] = [:]
        var looked = 0
        var extra = 0
        var next: Int?
        var window = try index.window(atNumber: from)
        scan: while let current = window {
            for metadata in current.batch.metadata where metadata.packet.number >= from {
                add(metadata, current.batch, from, &groups, &owners, &last)
                looked += 1
                if groups.count > count { extra += 1 }
                if extra >= Self.reach || looked >= Self.limit {
                    next = metadata.packet.number + 1
                    break scan
                }
            }
            window = try index.window(after: current)
        }
        let whole = groups.filter { !$0.packets.isEmpty }.sorted { $0.packets[0] < $1.packets[0] }
        if whole.count > count { next = whole[count].packets[0] }
        let lines = PacketLines(index)
        return .members([
            "rows": .array(whole.prefix(count).map { row($0, lines) }), "next": next.map { .integer($0) } ?? .null,
        ])
    }

    private func add(
        _ metadata: FrameMetadata, _ batch: TrackedBatch, _ from: Int, _ groups: inout [Group],
        _ owners: inout [Int: Int],
        _ last: inout [Bearer: Int]
    ) {
        guard let attribute = metadata.attribute, let shape = ATT.Opcode.table.shape(of: attribute.opcode) else {
            return
        }
        let number = metadata.packet.number
        let bearer = Bearer(connection: metadata.connection, number: metadata.bearer)
        let time = metadata.packet.time
        if let request = batch.request(of: metadata) {
            // A response to an earlier request belongs to an earlier procedure.
            guard let owner = owners[request.frame] else { return }
            groups[owner].packets.append(number)
            groups[owner].end = time
            groups[owner].isAnswered = true
            groups[owner].isError = attribute.opcode == .errorResponse
            // A discovery ends with an error response, which is no failure.
            if groups[owner].kind == "Discovery" { groups[owner].isError = false }
            groups[owner].result = number
            owners[number] = owner
        } else {
            let isContinued = last[bearer].map { continues(groups[$0], attribute) } ?? false
            if isContinued, let owner = last[bearer] {
                groups[owner].packets.append(number)
                groups[owner].end = time
                groups[owner].opcode = attribute.opcode
                if attribute.opcode == .readBlobRequest { groups[owner].kind = "Long Read" }
                owners[number] = owner
            } else {
                if shape.kind == .response || shape.kind == .confirmation { return }
                groups.append(
                    Group(
                        kind: Self.kind(of: attribute.opcode, shape), packets: [number],
                        connection: metadata.connection,
                        start: time, end: time, handle: attribute.handle.rawValue, opcode: attribute.opcode,
                        isAnswered: shape.kind == .request || shape.kind == .indication ? false : nil, result: number))
                owners[number] = groups.count - 1
                if shape.kind == .request { last[bearer] = groups.count - 1 }
            }
        }
        for value in 0..<8 {
            guard let found = batch.applications[.init(frame: number, value: value)] else { continue }
            for message in found.messages where message.frames.count > 1 {
                join(message.frames, from, &groups, &owners, result: number)
            }
        }
    }

    /// Whether a request continues the procedure.
    private func continues(_ group: Group, _ attribute: AttributeFacts) -> Bool {
        switch (group.opcode, attribute.opcode) {
        case (.readRequest, .readBlobRequest), (.readBlobRequest, .readBlobRequest):
            group.handle == attribute.handle.rawValue
        case (.prepareWriteRequest, .prepareWriteRequest), (.prepareWriteRequest, .executeWriteRequest): true
        case (.findInformationRequest, .findInformationRequest), (.readByTypeRequest, .readByTypeRequest),
            (.readByGroupTypeRequest, .readByGroupTypeRequest), (.findByTypeValueRequest, .findByTypeValueRequest):
            group.isAnswered == true && !group.isError
        default: false
        }
    }

    /// Joins the packets of a message into one procedure.
    private func join(
        _ frames: [Int], _ from: Int, _ groups: inout [Group], _ owners: inout [Int: Int], result: Int
    ) {
        let parts = Set(frames.compactMap { owners[$0] }).sorted()
        guard let first = parts.first else { return }
        // A message that began before the first packet examined was listed there.
        let isEarlier = frames.contains { $0 < from }
        for part in parts where part != first || isEarlier {
            if !isEarlier { groups[first].packets += groups[part].packets }
            groups[first].end = max(groups[first].end, groups[part].end)
            for packet in groups[part].packets { owners[packet] = first }
            groups[part].packets = []
        }
        groups[first].packets.sort()
        groups[first].kind = "Message"
        groups[first].result = result
    }

    private static func kind(of opcode: ATT.Opcode, _ shape: ATT.PDUShape) -> String {
        switch opcode {
        case .readRequest, .readBlobRequest: "Read"
        case .writeRequest: "Write"
        case .prepareWriteRequest, .executeWriteRequest: "Long Write"
        case .exchangeMTURequest: "MTU Exchange"
        case .findInformationRequest, .readByTypeRequest, .readByGroupTypeRequest, .findByTypeValueRequest:
            "Discovery"
        default:
            switch shape.kind {
            case .notification: "Notification"
            case .indication: "Indication"
            case .command: "Command"
            default: opcode.name ?? "Request"
            }
        }
    }

    private func row(_ group: Group, _ lines: PacketLines) -> JSONValue {
        let first = lines.visit(group.packets[0]) {
            frame, metadata, batch -> (String?, String?, Direction, Timestamp) in
            (metadata.peer(in: batch)?.title, frame.attribute?.name, metadata.direction, batch.start)
        }
        return .members([
            "number": .integer(group.packets[0]), "last": .integer(group.packets.last ?? 0),
            "time": .number((group.start - (first?.3 ?? .epoch)).seconds),
            "duration": .number((group.end - group.start).seconds), "kind": .string(group.kind),
            "direction": .string((first?.2 ?? .unknown).name), "peer": first?.0.map { .string($0) },
            "connection": group.connection >= 0 ? .integer(Int(group.connection) + 1) : .null,
            "attribute": first?.1.map { .string($0) },
            "info": .string(lines.info(ofNumber: group.result) ?? ""), "error": .boolean(group.isError),
            "answered": group.isAnswered.map { .boolean($0) },
            "packets": .array(group.packets.prefix(Self.listed).map { .integer($0) }),
            "count": .integer(group.packets.count),
        ])
    }
}
