import Bluetooth
package import Bytes
import Captures
import PluginKit

/// Receives the events that the traffic reader makes from frames.
package protocol EventConsumer: AnyObject {
    /// Handles the next event of a connection. `link` is `event.link`, as a parameter that costs no reference counting.
    func handle(_ event: TrafficEvent, on link: ConnectionState)
    /// Ends a connection: no event of it follows. `time` is the last time at which the peers could communicate: a lost
    /// connection ended one supervision timeout before the loss was reported.
    func end(_ link: ConnectionState, at time: Timestamp)
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
    private var links: [Int32: ConnectionState] = [:]
    private var keys: [ConnectionRecord.Key: Int32] = [:]
    /// The open connections with the most recent frames.
    private var recent = RecentValues<ConnectionState>(places: 64)
    /// Slots of connections that have ended, and the number of all slots.
    private var freeSlots: [Int] = []
    private var slotCount = 0
    var scans = ScanTimes()
    /// The state for events outside connections.
    let noConnection = ConnectionState(number: 0, opened: FrameReference(frame: 0, time: .epoch))
    package let event: TrafficEvent

    /// Open connections at one time; beyond that, the connection opened first counts as ended.
    private static let linkLimit = 512
    /// The longest supervision timeout, in units of 10 ms.
    private static let longestTimeout: UInt16 = 3200

    package init(_ wants: Wants, owns: @escaping (Int32) -> Bool = { _ in true }) {
        self.wants = wants
        self.owns = owns
        let nothing = CapturedPacket(
            number: 0, time: .epoch, encapsulation: .h4, originalLength: 0, start: 0, count: 0)
        event = TrafficEvent(FrameMetadata(packet: nothing, in: RawSpan()), on: noConnection)
    }

    /// Reads the frames of a batch and emits their events.
    package mutating func read(_ batch: borrowing TrackedBatch, into observer: some EventConsumer) {
        event.begin(batch)
        for index in batch.metadata.indices {
            if batch.metadata[index].isPlain, isForeign(batch.metadata[index].connection) {
                count(batch.metadata[index], observer)
            } else {
                read(batch.metadata[index], batch, observer)
            }
        }
        event.begin(TrackedBatch())
    }

    /// Times of the earliest and the latest frame.
    package var times: ClosedRange<Timestamp>? { first <= end ? first...end : nil }

    /// Ends the capture, and with it all connections that are still open.
    package mutating func finish(_ observer: some EventConsumer) {
        for link in links.values.sorted(by: { $0.number < $1.number }) { observer.end(link, at: max(lastTime, .epoch)) }
        links.removeAll()
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
        switch metadata.kind {
        case .empty: if links[metadata.connection] == nil { return }
        // The peer may acknowledge LL_TERMINATE_IND with data (Vol 6, Part B, 5.1.6), which does not reopen the
        // connection.
        case .data, .control: if hasEnded(metadata.connection, batch) { return }
        case .sco, .iso, .other, .isochronous, .damaged, .unassigned: if metadata.connection < 0 { return }
        default: break
        }
        event.begin(metadata)
        if metadata.notes.contains(.finding) {
            event.channelFaults = batch.reassembly.channelFaults[metadata.packet.number] ?? []
        }
        if metadata.notes.contains(.vendorData) { return dismiss(metadata.connection, metadata, observer) }
        let link = metadata.connection >= 0 ? link(of: metadata, batch, observer) : noConnection
        if !metadata.notes.isEmpty { noteGaps(metadata, link, observer) }
        if metadata.direction == .unknown, metadata.kind == .data || metadata.kind == .control {
            gap(.unknownDirection, metadata, link, observer)
        }
        if metadata.packet.isCut {
            if link.number > 0 {
                gap(.cutPacket, metadata, link, observer)
            } else if metadata.hci != nil {
                emit(.gap(CaptureGap(.cutPacket)), at: metadata.moment, metadata.direction, noConnection, to: observer)
            }
            return
        }
        switch metadata.kind {
        case .command: readCommand(metadata, batch, observer)
        case .event: readEvent(metadata, batch, link, observer)
        case .acl, .data: readPDU(metadata, batch, link, observer)
        case .control:
            if metadata.notes.isDisjoint(with: [.retransmission, .encrypted, .undecidedEncryption]) {
                readControl(metadata, batch, link, observer)
            }
        case .advertising, .auxiliary, .periodic: readAdvertising(metadata, batch, link, observer)
        case .sco, .iso, .empty, .other, .isochronous, .damaged, .unassigned: break
        }
        if !batch.reassembly.linkChanges.isEmpty, link.opened.frame != metadata.packet.number {
            for change in batch.reassembly.linkChanges[metadata.packet.number] ?? [] {
                apply(change, to: link, metadata, observer)
            }
        }
    }

    private mutating func count(_ metadata: borrowing FrameMetadata, _ observer: some EventConsumer) {
        let time = metadata.packet.time
        frames += 1
        if time < lastTime {
            quality.clockJumps += 1
            for link in links.values { gap(.clockJump, metadata, link, observer) }
        }
        if metadata.packet.followsDrop {
            quality.drops += 1
            for link in links.values { gap(.droppedPackets, metadata, link, observer) }
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
        if notes.contains(.badCRC) { quality.badCRCs += 1 }
        if notes.contains(.encrypted) { quality.encryptedFrames += 1 }
        if !notes.isDisjoint(with: .brokenFragment) { quality.brokenPDUs += 1 }
        if !notes.isDisjoint(with: [.unasked, .overlapping]) { quality.lostExchanges += 1 }
        if notes.contains(.beginningMissing) { quality.lateConnections += 1 }
    }

    /// Records the gaps that a frame's notes indicate. On the air, the missing side of an exchange was not captured.
    private mutating func noteGaps(
        _ metadata: FrameMetadata, _ link: ConnectionState, _ observer: some EventConsumer
    ) {
        guard link.number > 0 else { return }
        let notes = metadata.notes
        if notes.contains(.missed) { gap(.missedPDU, metadata, link, observer) }
        if notes.contains(.badCRC) { gap(.badCRC, metadata, link, observer) }
        if notes.contains(.encrypted) { gap(.encrypted, metadata, link, observer) }
        if notes.contains(.undecidedEncryption) { gap(.undecidedEncryption, metadata, link, observer) }
        if notes.contains(.decrypted) { encrypt(link, true, metadata, observer) }
        if !notes.isDisjoint(with: [.orphan, .unfinished]) { gap(.lostFragment, metadata, link, observer) }
        if metadata.hci != nil {
            if notes.contains(.overlapping) { link.lastOverlap = metadata.packet.number }
            return
        }
        if notes.contains(.unasked) { gap(.unaskedResponse, metadata, link, observer) }
        if notes.contains(.overlapping) { gap(.unanswered, metadata, link, observer) }
    }

    mutating func gap(
        _ reason: CaptureGap.Reason, _ metadata: borrowing FrameMetadata, _ link: ConnectionState,
        _ observer: some EventConsumer
    ) {
        link.lastGap = metadata.packet.number
        event.followsLoss = true
        guard link.gaps[reason] == nil else { return }
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: link.number)
        link.gaps[reason] = moment
        link.state.isGapless = false
        emit(.gap(CaptureGap(reason)), at: moment, metadata.direction, link, to: observer)
    }

    /// Passes an event of the frame to the observer.
    func emit(
        _ content: TrafficEvent.Content, at moment: FrameReference, _ direction: Direction, _ link: ConnectionState,
        _ payload: consuming ArraySlice<UInt8> = [], to observer: some EventConsumer
    ) {
        event.moment = moment
        event.moment.sender = link.sender(of: direction)
        event.direction = direction
        event.content = content
        event.payload = payload
        if event.link !== link { event.link = link }
        observer.handle(event, on: link)
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
        guard recent[UInt64(UInt32(bitPattern: index))] == nil, links[index] == nil,
            let key = batch.connections[index]?.key
        else { return false }
        return keys[key] == index
    }

    /// The connection of a frame, opened if it is new.
    private mutating func link(
        of metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch, _ observer: some EventConsumer
    ) -> ConnectionState {
        let index = metadata.connection
        let key = UInt64(UInt32(bitPattern: index))
        if let known = recent[key] { return known }
        var known = links[index]
        if known == nil { known = open(index, metadata, batch, observer) }
        recent[key] = known
        return known ?? noConnection
    }

    private mutating func open(
        _ index: Int32, _ metadata: borrowing FrameMetadata, _ batch: borrowing TrackedBatch,
        _ observer: some EventConsumer
    ) -> ConnectionState {
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: Int(index) + 1)
        let link = ConnectionState(number: Int(index) + 1, opened: moment)
        let connection = batch.connections[index]
        if let key = connection?.key {
            if let before = keys[key], let old = links[before] { closeUnseen(before, old, metadata, observer) }
            keys[key] = index
        }
        if links.count >= Self.linkLimit, let oldest = links.min(by: { $0.key < $1.key }) {
            closeUnseen(oldest.key, oldest.value, metadata, observer)
        }
        link.slot = freeSlots.popLast() ?? slotCount
        slotCount = max(slotCount, link.slot + 1)
        links[index] = link
        link.sender = Self.resolved(connection?.sender ?? -1, batch)
        link.receiver = Self.resolved(connection?.receiver ?? -1, batch)
        link.state.isBeginningCaptured = connection?.isBeginningKnown ?? false
        link.isHandleOpened = metadata.hci == nil || link.state.isBeginningCaptured
        link.central = metadata.hci == nil ? .sent : .unknown
        let start = ConnectionStart(metadata, in: batch)
        for change in batch.reassembly.linkChanges[metadata.packet.number] ?? [] { link.settings.apply(change) }
        if let central = start?.central { link.central = central }
        link.isOwned = owns(link.central == .received ? link.sender : link.receiver)
        emit(
            .opened(
                ConnectionOpening(
                    isBeginningCaptured: link.state.isBeginningCaptured, parameters: link.parameters)),
            at: moment, metadata.direction, link, (start?.payload ?? [])[...], to: observer)
        return link
    }

    package static func resolved(_ device: Int32, _ batch: borrowing TrackedBatch) -> Int32 {
        guard device >= 0, let identity = batch.devices[device]?.identity, identity >= 0 else { return device }
        return identity
    }

    mutating func close(
        _ index: Int32, _ link: ConnectionState, _ cause: ConnectionClosing.Cause, _ metadata: borrowing FrameMetadata,
        _ observer: some EventConsumer
    ) {
        guard !link.isClosed else { return }
        link.isClosed = true
        let moment = FrameReference(
            frame: metadata.packet.number, time: metadata.packet.time, connection: link.number)
        var closing = ConnectionClosing(cause)
        if closing.isLoss {
            closing.silence = TimeSpan(milliseconds: Int64(link.parameters?.timeout ?? Self.longestTimeout) * 10)
        }
        emit(.closed(closing), at: moment, metadata.direction, link, to: observer)
        observer.end(link, at: moment.time - closing.silence)
        links[index] = nil
        recent[UInt64(UInt32(bitPattern: index))] = nil
        freeSlots.append(link.slot)
    }

    /// Closes a connection whose end was not captured: it may have ended right after its last frame.
    private mutating func closeUnseen(
        _ index: Int32, _ link: ConnectionState, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer
    ) {
        gap(.unseenEnd, metadata, link, observer)
        close(index, link, .unknown, metadata, observer)
    }

    /// Closes a supposed connection that turned out to be none: no rule is evaluated on it.
    private mutating func dismiss(
        _ index: Int32, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer
    ) {
        guard let link = links[index] else { return }
        link.isDismissed = true
        close(index, link, .unknown, metadata, observer)
    }

    /// Ends all connections of a controller, which its host has reset.
    mutating func closeAll(adapter: UInt16, _ metadata: borrowing FrameMetadata, _ observer: some EventConsumer) {
        for (key, index) in keys {
            guard case .handle(adapter, _) = key, let link = links[index] else { continue }
            close(index, link, .unknown, metadata, observer)
        }
    }

    /// The open connection that has a handle at an adapter.
    func link(adapter: UInt16, handle: ConnectionHandle) -> ConnectionState? {
        keys[.handle(adapter: adapter, ConnectionHandle(handle.rawValue & 0x0FFF))].flatMap { links[$0] }
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
