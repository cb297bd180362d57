import Bluetooth
package import Bytes
import Captures
package import PluginKit

/// Receives the events that the traffic reader makes from frames.
package protocol EventConsumer: AnyObject {
    /// Handles the next event. `frame` and `connection` are those of the event, as parameters that cost no reference
    /// counting.
    func handle(_ event: Event, of frame: EventFrame, on connection: Connection)
    /// Ends a connection: no event of it follows. `time` is the last time at which the peers could communicate: a lost
    /// connection ended one supervision timeout before the loss was reported.
    func end(_ connection: Connection, at time: Timestamp)
}

/// Makes events from tracked frames, in order, and keeps the state of the open connections.
package struct TrafficReader {
    /// Kinds of events that are frequent and costly, and that observers must request.
    package struct Wants {
        package var commands = false
        package var events = false
        package var advertising = false

        package init(commands: Bool = false, events: Bool = false, advertising: Bool = false) {
            self.commands = commands
            self.events = events
            self.advertising = advertising
        }
    }

    let wants: Wants
    /// Whether the connections whose peripheral is the device with this index are evaluated.
    private let owns: (Int32) -> Bool
    package private(set) var quality = CaptureQuality()
    package private(set) var frames = 0
    /// Times of the earliest and the latest frame.
    private var first = Timestamp.latest
    private(set) var end = Timestamp.earliest
    private var lastTime = Timestamp.earliest
    /// Open connections, by index.
    private var connections: [Int32: Connection] = [:]
    private var keys: [ConnectionRecord.Key: Int32] = [:]
    /// The open connections with the most recent frames.
    private var recent = RecentValues<Connection>(places: 64)
    var scans = ScanTimes()
    /// The state for events outside connections.
    let noConnection = Connection()
    let event: Event
    /// The frame of `event`.
    package let frame = EventFrame()

    /// Open connections at one time; beyond that, the connection opened first counts as ended.
    private static let connectionLimit = 512
    /// The longest supervision timeout, in units of 10 ms.
    private static let longestTimeout: UInt16 = 3200

    package init(_ wants: Wants, owns: @escaping (Int32) -> Bool = { _ in true }) {
        self.wants = wants
        self.owns = owns
        event = Event(frame, on: noConnection)
    }

    /// Reads the frames of a batch and emits their events.
    package mutating func read(_ batch: borrowing TrackedBatch, into observer: some EventConsumer) {
        frame.begin(batch)
        for index in batch.metadata.indices {
            if batch.metadata[index].isPlain, isForeign(batch.metadata[index].connection) {
                count(batch.metadata[index], observer)
            } else {
                read(batch.metadata[index], batch, observer)
            }
        }
        frame.begin(TrackedBatch())
        event.removePayload()
    }

    /// Times of the earliest and the latest frame.
    package var times: ClosedRange<Timestamp>? { first <= end ? first...end : nil }

    /// Ends the capture, and with it all connections that are still open.
    package mutating func finish(_ observer: some EventConsumer) {
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            observer.end(connection, at: max(lastTime, .epoch))
        }
        connections.removeAll()
        recent.removeAll()
    }
}

// MARK: - Frames

extension TrafficReader {
    private mutating func read(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) {
        count(metadata, observer)
        if metadata.notes.contains(.duplicate) { return }
        if metadata.notes.contains(.secondView) { readSecondView(metadata, batch, observer) }
        switch metadata.kind {
        case .empty: if connections[metadata.connection] == nil { return }
        // The peer may acknowledge LL_TERMINATE_IND with data (Vol 6, Part B, 5.1.6), which does not reopen the
        // connection.
        case .data, .control: if hasEnded(metadata.connection, batch) { return }
        case .sco, .iso, .other, .isochronous, .damaged, .unassigned: if metadata.connection < 0 { return }
        default: break
        }
        frame.begin(metadata)
        if metadata.notes.contains(.finding) {
            frame.channelFaults = batch.reassembly.channelFaults[metadata.packet.number] ?? []
        }
        if metadata.notes.contains(.vendorData) { return dismiss(metadata.connection, metadata, observer) }
        let connection = metadata.connection >= 0 ? self.connection(of: metadata, batch, observer) : noConnection
        if !metadata.notes.isEmpty { noteGaps(metadata, connection, observer) }
        if metadata.direction == .unknown, metadata.kind == .data || metadata.kind == .control {
            gap(.unknownDirection, metadata, connection, observer)
        }
        if metadata.packet.isCut {
            if connection.number > 0 {
                gap(.cutPacket, metadata, connection, observer)
            } else if metadata.hci != nil {
                emit(.gap(CaptureGap(.cutPacket)), at: metadata.moment, metadata.direction, noConnection, to: observer)
            }
            return
        }
        switch metadata.kind {
        case .command: readCommand(metadata, batch, observer)
        case .event: readEvent(metadata, batch, connection, observer)
        case .acl, .data: readPDU(metadata, batch, connection, observer)
        case .control:
            if metadata.notes.isDisjoint(with: [.retransmission, .encrypted, .undecidedEncryption]) {
                readControl(metadata, batch, connection, observer)
            }
        case .advertising, .auxiliary, .periodic: readAdvertising(metadata, batch, connection, observer)
        case .sco, .iso, .empty, .other, .isochronous, .damaged, .unassigned: break
        }
        if !batch.reassembly.linkChanges.isEmpty, connection.opened.frame != metadata.packet.number {
            for change in batch.reassembly.linkChanges[metadata.packet.number] ?? [] {
                apply(change, to: connection, metadata, observer)
            }
        }
    }

    private mutating func count(_ metadata: borrowing FrameMetadata, _ observer: some EventConsumer) {
        let time = metadata.packet.time
        frames += 1
        if time < lastTime {
            quality.clockJumps += 1
            for connection in connections.values { gap(.clockJump, metadata, connection, observer) }
        }
        if metadata.packet.followsDrop {
            quality.drops += 1
            for connection in connections.values { gap(.droppedPackets, metadata, connection, observer) }
            emit(.gap(CaptureGap(.droppedPackets)), at: metadata.moment, metadata.direction, noConnection, to: observer)
        }
        lastTime = time
        first = min(first, time)
        end = max(end, time)
        if metadata.packet.isCut { quality.cutPackets += 1 }
        if metadata.kind == .other { quality.unknownFrames += 1 }
        let notes = metadata.notes
        if notes.isEmpty { return }
        if notes.contains(.duplicate) { quality.duplicates += 1 }
        if notes.contains(.secondView) { quality.secondViews += 1 }
        if notes.contains(.badCRC) { quality.badCRCs += 1 }
        if notes.contains(.encrypted) { quality.encryptedFrames += 1 }
        if !notes.isDisjoint(with: .brokenFragment) { quality.brokenPDUs += 1 }
        if !notes.isDisjoint(with: [.unasked, .overlapping]) { quality.lostExchanges += 1 }
        if notes.contains(.beginningMissing) { quality.lateConnections += 1 }
    }

    /// Records the gaps that a frame's notes indicate. On the air, the missing side of an exchange was not captured.
    private mutating func noteGaps(
        _ metadata: FrameMetadata, _ connection: Connection, _ observer: some EventConsumer
    ) {
        guard connection.number > 0 else { return }
        let notes = metadata.notes
        if notes.contains(.missed) { gap(.missedPDU, metadata, connection, observer) }
        if notes.contains(.badCRC) { gap(.badCRC, metadata, connection, observer) }
        if notes.contains(.encrypted) { gap(.encrypted, metadata, connection, observer) }
        if notes.contains(.undecidedEncryption) { gap(.undecidedEncryption, metadata, connection, observer) }
        if notes.contains(.decrypted) { encrypt(connection, true, metadata, observer) }
        if !notes.isDisjoint(with: [.orphan, .unfinished]) { gap(.lostFragment, metadata, connection, observer) }
        if metadata.hci != nil {
            if notes.contains(.overlapping) { connection.lastOverlap = metadata.packet.number }
            return
        }
        if notes.contains(.unasked) { gap(.unaskedResponse, metadata, connection, observer) }
        if notes.contains(.overlapping) { gap(.unanswered, metadata, connection, observer) }
    }

    /// Records that the better view of a PDU is missing: the hosts' logs have lost it.
    private mutating func readSecondView(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) {
        guard batch.views(of: metadata).allSatisfy({ $0.frame == nil }) else { return }
        for (key, index) in keys {
            guard case .handle = key, let connection = connections[index] else { continue }
            gap(.missedPDU, metadata, connection, observer)
        }
    }

    mutating func gap(
        _ reason: CaptureGap.Reason, _ metadata: borrowing FrameMetadata, _ connection: Connection,
        _ observer: some EventConsumer
    ) {
        connection.lastGap = metadata.packet.number
        frame.followsLoss = true
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: connection.number)
        guard connection.record(reason, at: moment) else { return }
        emit(.gap(CaptureGap(reason)), at: moment, metadata.direction, connection, to: observer)
    }

    /// Passes an event of the frame to the observer.
    func emit(
        _ content: consuming Event.Content, at moment: FrameReference, _ direction: Direction, _ connection: Connection,
        _ payload: consuming ArraySlice<UInt8> = [], to observer: some EventConsumer
    ) {
        event.set(content, at: moment, direction, on: connection, payload)
        observer.handle(event, of: frame, on: connection)
    }
}

// MARK: - Connections

extension TrafficReader {
    /// Whether a connection is known to be evaluated elsewhere.
    private func isForeign(_ index: Int32) -> Bool {
        recent[UInt64(UInt32(bitPattern: index))].map { !$0.isOwned } ?? false
    }

    /// Whether a connection was open and has ended.
    private func hasEnded(_ index: Int32, _ batch: borrowing TrackedBatch) -> Bool {
        guard recent[UInt64(UInt32(bitPattern: index))] == nil, connections[index] == nil,
            let key = batch.connections[index]?.key
        else { return false }
        return keys[key] == index
    }

    /// The connection of a frame, opened if it is new.
    private mutating func connection(
        of metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) -> Connection {
        let index = metadata.connection
        let key = UInt64(UInt32(bitPattern: index))
        if let known = recent[key] { return known }
        var known = connections[index]
        if known == nil { known = open(index, metadata, batch, observer) }
        recent[key] = known
        return known ?? noConnection
    }

    private mutating func open(
        _ index: Int32, _ metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch,
        _ observer: some EventConsumer
    ) -> Connection {
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: Int(index) + 1)
        let connection = Connection(number: Int(index) + 1, opened: moment)
        let record = batch.connections[index]
        if let key = record?.key {
            if let before = keys[key], let old = connections[before] { closeUnseen(before, old, metadata, observer) }
            keys[key] = index
        }
        if connections.count >= Self.connectionLimit, let oldest = connections.min(by: { $0.key < $1.key }) {
            closeUnseen(oldest.key, oldest.value, metadata, observer)
        }
        connections[index] = connection
        connection.sender = Self.resolved(record?.sender ?? -1, batch)
        connection.receiver = Self.resolved(record?.receiver ?? -1, batch)
        connection.isBeginningCaptured = record?.isBeginningKnown ?? false
        connection.isHandleOpened = metadata.hci == nil || connection.isBeginningCaptured
        connection.central = metadata.hci == nil ? .sent : .unknown
        let start = ConnectionStart(metadata, in: batch)
        for change in batch.reassembly.linkChanges[metadata.packet.number] ?? [] {
            connection.parameters = change.applied(to: connection.parameters)
        }
        if let central = start?.central { connection.central = central }
        connection.isOwned = owns(connection.central == .received ? connection.sender : connection.receiver)
        emit(.opened, at: moment, metadata.direction, connection, (start?.payload ?? [])[...], to: observer)
        return connection
    }

    package static func resolved(_ device: Int32, _ batch: borrowing TrackedBatch) -> Int32 {
        guard device >= 0, let identity = batch.devices[device]?.identity, identity >= 0 else { return device }
        return identity
    }

    mutating func close(
        _ index: Int32, _ connection: Connection, _ cause: ConnectionClosing.Cause, _ metadata: borrowing FrameMetadata,
        _ observer: some EventConsumer
    ) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: connection.number)
        var closing = ConnectionClosing(cause)
        if closing.isLoss {
            closing.silence = TimeSpan(milliseconds: Int64(connection.parameters?.timeout ?? Self.longestTimeout) * 10)
        }
        emit(.closed(closing), at: moment, metadata.direction, connection, to: observer)
        observer.end(connection, at: moment.time - closing.silence)
        connections[index] = nil
        recent[UInt64(UInt32(bitPattern: index))] = nil
    }

    /// Closes a connection whose end was not captured: it may have ended right after its last frame.
    private mutating func closeUnseen(
        _ index: Int32, _ connection: Connection, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer
    ) {
        gap(.unseenEnd, metadata, connection, observer)
        close(index, connection, .unknown, metadata, observer)
    }

    /// Closes a supposed connection that turned out to be none: no rule is evaluated on it.
    private mutating func dismiss(
        _ index: Int32, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer
    ) {
        guard let connection = connections[index] else { return }
        connection.isDismissed = true
        close(index, connection, .unknown, metadata, observer)
    }

    /// Ends all connections of a controller, which its host has reset.
    mutating func closeAll(adapter: UInt16, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer) {
        for (key, index) in keys {
            guard case .handle(adapter, _) = key, let connection = connections[index] else { continue }
            close(index, connection, .unknown, metadata, observer)
        }
    }

    /// The open connection that has a handle at an adapter.
    func connection(adapter: UInt16, handle: ConnectionHandle) -> Connection? {
        keys[.handle(adapter: adapter, ConnectionHandle(handle.rawValue & 0x0FFF))].flatMap { connections[$0] }
    }
}

extension FrameMetadata {
    /// Whether the frame is data of a connection without any notes.
    fileprivate var isPlain: Bool {
        guard connection >= 0, notes.isEmpty, !packet.isCut, !packet.followsDrop else { return false }
        switch kind {
        case .acl: return true
        case .data: return direction != .unknown
        default: return false
        }
    }
}
