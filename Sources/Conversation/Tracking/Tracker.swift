package import Bluetooth
import Bytes
import Captures

/// Tracks the conversations of a capture, frame by frame in order: connections, fragments, requests and responses, and
/// the servers' tables as discovery shows them.
///
/// It reads only as much of a frame as that needs and builds no fields: dissection does, from the frame and its
/// metadata. So the only sequential part of decoding is small, and its memory depends on the number of devices, not of
/// packets.
package struct Tracker: Sendable {
    /// Every connection, if recorded: in its initial state while open, in its final state once closed.
    private(set) var listed: [ConnectionRecord] = []
    package internal(set) var devices = DeviceTable()
    package internal(set) var knowledge = AttributeTableStore()
    /// Tables given by the user.
    let imported: GATT.KnownTables
    /// The signs that plugins look for in advertising data.
    let evidence: EvidenceTable

    /// Time of the first frame.
    var start: Timestamp?
    /// Time of the last frame of the previous batch.
    var last: Timestamp?
    var links: [OpenConnection] = []
    /// State of each direction of each connection, at `slot(link, direction)`: for PDUs and fragments, and for every
    /// frame.
    var directions: [DirectionState] = []
    var summaries: [DirectionSummary] = []
    private var freeLinks: [Int] = []
    /// Index in `links` by connection handle, for each adapter.
    private var linksByHandle: [UInt16: [Int32]] = [:]
    private var lastAdapter: UInt16 = 0
    private var handlesOfLastAdapter: [Int32] = []
    /// Handles of ACL data that belongs to no connection, with the adapter in the high bits.
    var vendorHandles: Set<UInt32> = []
    /// Incomplete advertising data.
    var advertisingData = AdvertisingDataAssembler()
    var linksByAccessAddress: [UInt32: Int] = [:]
    var lastAccessAddress: (address: UInt32, link: Int)?
    /// Streams outside connections.
    var streamTable = StreamTable()
    var classifier = StreamClassifier()
    /// Advertisers of the trains that adapters are synchronized to, by sync handle, with the adapter in the high bits.
    var syncedTrains: [UInt32: Int32] = [:]
    /// Senders of the auxiliary PDUs that AuxPtrs point to, by the ADI and the channel of these PDUs.
    var pointedSenders: [AdvertisingDataAssembler.Source: Int32] = [:]
    /// Number of connections so far.
    private var opened = 0
    /// Number of changes that connections list.
    private var changeCount = 0
    /// The adapters' roles by the connection's index, as far as events report them.
    private(set) var roles = PagedArray<ConnectionRole?>()
    private let record: Record
    /// Servers whose connections have ended since the last batch.
    private var ended: [Int32] = []

    /// Upper bound of the bytes held in incomplete PDUs and SDUs, over all connections.
    var heldAtMost = 0
    /// Detects HCI records that were written several times.
    var repeated = RepeatedRecords()
    var handlePlaces = HCI.HandlePlaces()
    /// Number of the last frame before which the recorder dropped packets; 0 for none.
    var lastDrop = 0
    private(set) var currentFrame = 0
    /// Writes whose outcome the frames of the current batch show.
    var settledWrites: [SettledWrite] = []

    /// Open connections at one time; a new one replaces the one idle longest.
    static let linkLimit = 256
    /// Connections listed; later ones are tracked but share the last entry of `connections`.
    static let connectionLimit = 250_000
    /// Changes of parameters that connections list, in all.
    static let changeLimit = 100_000
    /// Handles in `vendorHandles`.
    static let vendorHandleLimit = 4096
    /// Handles in `syncedTrains`, and places in `pointedSenders`.
    static let (syncLimit, pointerLimit) = (1024, 256)
    /// Adapters whose connections are tracked.
    static let adapterLimit = 64

    /// Optional results, which grow with the capture or take time.
    package struct Record: OptionSet, Sendable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Every connection, in `connections`.
        package static let connections = Self(rawValue: 1 << 0)
        /// The servers' tables at the ends of connections, in `TrackedBatch.ended`.
        package static let ends = Self(rawValue: 1 << 1)
    }

    package init(
        imported: GATT.KnownTables = GATT.KnownTables(), plugins: PluginSet = .none, record: Record = .connections
    ) {
        self.imported = imported
        evidence = plugins.evidence
        self.record = record
    }

    /// Ends the capture and settles everything that is still open.
    package mutating func finish() {
        for link in links.indices {
            for slot in slots(of: link) { settle(slot) }
            if links[link].isOpen { Self.keep(connection(of: link), number: links[link].number, in: &listed) }
            links[link].reset()
        }
    }

    /// Every connection in its current state, if connections are recorded.
    package var connections: [ConnectionRecord] {
        var connections = listed
        for link in links.indices where links[link].isOpen {
            Self.keep(connection(of: link), number: links[link].number, in: &connections)
        }
        return connections
    }

    /// Every stream outside connections, in its current state.
    package var streams: [AirStream] { streamTable.all }

    /// The record of a connection in its current state.
    private func connection(of link: Int) -> ConnectionRecord {
        var connection = links[link].connection
        connection.add(summaries[slots(of: link)])
        return connection
    }

    /// Stores the current record of a connection; connections beyond the list's limit share its last entry.
    private static func keep(_ connection: ConnectionRecord, number: Int, in list: inout [ConnectionRecord]) {
        if list.isEmpty { return }
        if number < Self.connectionLimit - 1 {
            list[number] = connection
        } else {
            list[list.count - 1].add(connection)
        }
    }

    /// Stores the table learned from a server in its smallest form.
    mutating func settle(_ slot: Int) {
        let tableVersion = summaries[slot].tableVersion
        guard tableVersion >= 0 else { return }
        knowledge.settle(tableVersion)
        if record.contains(.ends) { ended.append(tableVersion) }
    }

    /// Tables of the servers whose connections have ended since the last call.
    package mutating func takeEnded() -> [Int32: AttributeTableStore.Version] {
        if ended.isEmpty { return [:] }
        let tableVersions = ended.map { ($0, knowledge[$0]) }
        ended.removeAll(keepingCapacity: true)
        return Dictionary(tableVersions) { $1 }
    }

    /// Approximate bytes not shared with `other`, which may be an earlier copy.
    package func footprint(beside other: borrowing Tracker) -> Int {
        links.count * MemoryLayout<OpenConnection>.stride + directions.count * MemoryLayout<DirectionState>.stride
            + summaries.count * MemoryLayout<DirectionSummary>.stride + roles.footprint(beside: other.roles)
            + devices.footprint(beside: other.devices) + knowledge.footprint(beside: other.knowledge)
            + streamTable.footprint
    }

    /// Tracks the frame whose packet is in `metadata`; `bytes` are those of its batch.
    package mutating func track(
        _ metadata: inout FrameMetadata, in bytes: [UInt8], into reassembly: inout ReassemblyBuffers
    ) {
        currentFrame = metadata.packet.number
        if metadata.packet.followsDrop { lastDrop = metadata.packet.number }
        switch metadata.packet.encapsulation {
        case .h4, .h4WithDirection, .h1, .monitor, .monitorWithHeader, .packetLogger:
            trackHCI(bytes, &metadata, &reassembly)
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi:
            trackLinkLayer(bytes, &metadata, &reassembly)
        }
    }
}

// MARK: - Links

extension Tracker {
    /// Opens a connection with its first frame; an open connection with the same key ends.
    mutating func open(
        _ key: ConnectionRecord.Key, sender: Int32, receiver: Int32, with metadata: inout FrameMetadata,
        isBeginning: Bool
    ) -> Int {
        let time = metadata.packet.time
        if let old = link(for: key) { close(old, at: time, reason: nil) }
        let connection = ConnectionRecord(
            key: key, sender: sender, receiver: receiver, isBeginningKnown: isBeginning, start: time, end: time)
        if !isBeginning { metadata.notes.insert(.beginningMissing) }
        if record.contains(.connections), opened < Self.connectionLimit { listed.append(connection) }
        for device in [sender, receiver] where device >= 0 { devices.update(device) { $0.connections &+= 1 } }
        let link = place(OpenConnection(connection, number: opened))
        opened += 1
        if roles.count < Self.connectionLimit { roles.append(nil) }
        switch key {
        case .handle(let adapter, let handle): setLink(link, adapter: adapter, handle: handle)
        case .accessAddress(let address):
            streamTable.close(key)
            linksByAccessAddress[address] = link
            lastAccessAddress = (address, link)
        }
        return link
    }

    /// Applies a change of parameters by a frame to the frame's connection.
    mutating func apply(
        _ change: LinkChange, to link: Int, _ metadata: borrowing FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        let isListed = record.contains(.connections) && changeCount < Self.changeLimit
        if isListed { changeCount += 1 }
        links[link].connection.apply(change, metadata, isListed: isListed)
        reassembly.linkChanges[metadata.packet.number, default: []].append(change)
    }

    /// Adds a change to the connection's list if a frame begins or ends encryption.
    mutating func noteEncryption(
        of link: Int, _ metadata: borrowing FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        let isEncrypted = links[link].connection.isEncrypted
        guard isEncrypted != links[link].isEncryptionListed else { return }
        links[link].isEncryptionListed = isEncrypted
        apply(.encryption(isEncrypted), to: link, metadata, &reassembly)
    }

    /// Records the role of a connection's adapter. Connections beyond the limit share the last entry.
    mutating func setRole(_ role: ConnectionRole?, of link: Int) {
        roles[min(links[link].number, Self.connectionLimit - 1)] = role
    }

    private mutating func place(_ link: OpenConnection) -> Int {
        if freeLinks.isEmpty, links.count >= Self.linkLimit { closeIdlest() }
        let place = freeLinks.popLast() ?? links.count
        if place < links.count {
            links[place] = link
        } else {
            links.append(link)
            directions.append(contentsOf: repeatElement(DirectionState(), count: 3))
            summaries.append(contentsOf: repeatElement(DirectionSummary(), count: 3))
        }
        for slot in slots(of: place) { summaries[slot].connection = Int32(min(link.number, Self.connectionLimit - 1)) }
        let (sent, received) = (slot(place, .sent), slot(place, .received))
        (summaries[sent].sender, summaries[sent].receiver) = (link.connection.sender, link.connection.receiver)
        (summaries[received].sender, summaries[received].receiver) = (link.connection.receiver, link.connection.sender)
        return place
    }

    /// Closes the connection idle longest, to make room for another one.
    private mutating func closeIdlest() {
        guard let idlest = links.indices.min(by: { lastFrame(of: $0) < lastFrame(of: $1) }) else { return }
        close(idlest, at: connection(of: idlest).end, reason: nil)
    }

    /// Index of a direction of a connection in `directions` and `summaries`.
    @inline(__always)
    func slot(_ link: Int, _ direction: Direction) -> Int { 3 * link + Int(direction.rawValue) }

    /// Indices of all directions of a connection.
    func slots(of link: Int) -> ClosedRange<Int> { slot(link, .unknown)...slot(link, .received) }

    /// Number of the last frame of a connection.
    func lastFrame(of link: Int) -> Int { summaries[slots(of: link)].map(\.lastFrame).max() ?? 0 }

    /// Closes a connection and keeps its record and the tables learned from it.
    mutating func close(_ link: Int, at time: Timestamp, reason: UInt8?) {
        var connection = connection(of: link)
        connection.end = time
        connection.reason = reason ?? connection.reason
        Self.keep(connection, number: links[link].number, in: &listed)
        settleWrites(of: link)
        for slot in slots(of: link) {
            settle(slot)
            directions[slot] = DirectionState()
            summaries[slot] = DirectionSummary()
        }
        switch links[link].connection.key {
        case .handle(let adapter, let handle): setLink(nil, adapter: adapter, handle: handle)
        case .accessAddress(let address):
            linksByAccessAddress[address] = nil
            lastAccessAddress = nil
        }
        links[link].reset()
        freeLinks.append(link)
    }

    /// Closes all connections of an adapter after a reset.
    mutating func closeAll(adapter: UInt16) {
        for link in links.indices {
            if case .handle(adapter, let handle) = links[link].connection.key,
                self.link(adapter: adapter, handle: handle) == link
            {
                close(link, at: connection(of: link).end, reason: nil)
            }
        }
    }

    func link(for key: ConnectionRecord.Key) -> Int? {
        switch key {
        case .handle(let adapter, let handle): link(adapter: adapter, handle: handle)
        case .accessAddress(let address): linksByAccessAddress[address]
        }
    }

    /// The connection with a handle (12 bits) of an adapter. Every data packet needs it: a call would pass a copy of
    /// the tracker's members.
    @inline(__always)
    func link(adapter: UInt16, handle: ConnectionHandle) -> Int? {
        let index = Int(handle.rawValue & 0x0FFF)
        if adapter == lastAdapter {
            guard index < handlesOfLastAdapter.count, handlesOfLastAdapter[index] >= 0 else { return nil }
            return Int(handlesOfLastAdapter[index])
        }
        guard let handles = linksByHandle[adapter], index < handles.count, handles[index] >= 0 else { return nil }
        return Int(handles[index])
    }

    private mutating func setLink(_ link: Int?, adapter: UInt16, handle: ConnectionHandle) {
        if adapter != lastAdapter {
            linksByHandle[lastAdapter] = handlesOfLastAdapter
            handlesOfLastAdapter = linksByHandle[adapter, default: []]
            lastAdapter = adapter
        }
        let index = Int(handle.rawValue & 0x0FFF)
        if index >= handlesOfLastAdapter.count {
            let missing = index + 1 - handlesOfLastAdapter.count
            handlesOfLastAdapter.append(contentsOf: repeatElement(-1, count: missing))
        }
        handlesOfLastAdapter[index] = link.map { Int32($0) } ?? -1
    }

    /// Whether the connections of an adapter are tracked.
    func follows(adapter: UInt16) -> Bool {
        adapter == lastAdapter || linksByHandle[adapter] != nil || linksByHandle.count < Self.adapterLimit
    }

    /// Adds a frame to a connection, and records its sender.
    @inline(__always)
    mutating func join(_ metadata: inout FrameMetadata, _ link: Int) {
        summaries[slot(link, metadata.direction)].add(&metadata)
    }

    /// The device that sends in a direction of a connection, by its identity where that is known.
    func device(of link: Int, sendingIn direction: Direction) -> Int32 {
        let device =
            switch direction {
            case .sent: links[link].connection.sender
            case .received: links[link].connection.receiver
            case .unknown: -1 as Int32
            }
        return device >= 0 ? devices.resolved(device) : device
    }
}
