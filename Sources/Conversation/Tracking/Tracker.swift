package import Bluetooth
import Bytes
import Captures

/// Follows the conversations of a capture, frame by frame in order: connections, fragments, requests and responses,
/// and what discovery tells of the servers' tables.
///
/// It reads no more of a frame than that needs and builds no field: dissection does, from the frame and the facts. So
/// the only sequential part of decoding is small, and its memory depends on the devices seen, not on the packets.
package struct Tracker: Sendable {
    /// Every connection, if that is recorded: as it began, and when it has ended as it was then.
    private(set) var listed: [Connection] = []
    package internal(set) var devices = DeviceTable()
    package internal(set) var knowledge = AttributeTableStore()
    /// Tables given by the user.
    let imported: GATT.KnownTables
    /// What plugins look for in advertising data.
    let evidence: EvidenceTable

    /// Time of the first frame.
    var start: Timestamp?
    /// Time of the last frame of the batch before.
    var last: Timestamp?
    var links: [OpenConnection] = []
    /// What goes on in each direction of each link, at `slot(link, direction)`: what few frames need, and what all do.
    var directions: [DirectionState] = []
    var summaries: [DirectionSummary] = []
    private var freeLinks: [Int] = []
    /// Index in `links` by connection handle, for each adapter.
    private var linksByHandle: [UInt16: [Int32]] = [:]
    private var lastAdapter: UInt16 = 0
    private var handlesOfLastAdapter: [Int32] = []
    /// Handles of ACL data that is no connection's, with the adapter in the high bits.
    var vendorHandles: Set<UInt32> = []
    /// Advertising data of which more is to come.
    var advertisingData = AdvertisingDataAssembler()
    var linksByAccessAddress: [UInt32: Int] = [:]
    var lastAccessAddress: (address: UInt32, link: Int)?
    /// Streams that are no connections.
    var streamTable = StreamTable()
    var classifier = StreamClassifier()
    /// Advertisers of the trains that adapters are synchronized to, by sync handle, with the adapter in the high bits.
    var syncedTrains: [UInt32: Int32] = [:]
    /// Senders of auxiliary PDUs that others lead to, by where they are to be heard.
    var pointedSenders: [AdvertisingDataAssembler.Source: Int32] = [:]
    /// Connections so far.
    private var opened = 0
    /// Changes that connections list.
    private var changeCount = 0
    /// The adapters' roles by the connection's index, as far as events told them.
    private(set) var roles = PagedArray<ConnectionRole?>()
    private let record: Record
    /// Servers whose connections have ended since the last batch.
    private var ended: [Int32] = []

    /// Bytes that wait for others, over all links: not more than so many.
    var heldAtMost = 0
    /// Records of HCI that were written several times.
    var repeated = RepeatedRecords()
    var handlePlaces = HCI.HandlePlaces()
    /// Number of the last frame before which the recorder has dropped packets; 0 for none.
    var lastDrop = 0
    /// Number of the frame that is tracked.
    private(set) var currentFrame = 0
    /// Writes whose outcome the frames of the batch show.
    var settledWrites: [SettledWrite] = []

    /// Connections at one time; the one that rested longest makes room for one more.
    static let linkLimit = 256
    /// Connections in all; later ones are followed, but share the last entry of `connections`.
    static let connectionLimit = 250_000
    /// Changes of parameters that connections list, in all.
    static let changeLimit = 100_000
    /// Handles in `vendorHandles`.
    static let vendorHandleLimit = 4096
    /// Handles in `syncedTrains`, and places in `pointedSenders`.
    static let (syncLimit, pointerLimit) = (1024, 256)
    /// Adapters whose connections are followed.
    static let adapterLimit = 64

    /// What is recorded beside what following needs: it grows with the capture, or takes time.
    package struct Record: OptionSet, Sendable {
        package var rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// `connections`.
        package static let connections = Self(rawValue: 1 << 0)
        /// `TrackedBatch.ended`.
        package static let ends = Self(rawValue: 1 << 1)
    }

    package init(
        imported: GATT.KnownTables = GATT.KnownTables(), plugins: PluginSet = .none, record: Record = .connections
    ) {
        self.imported = imported
        evidence = plugins.evidence
        self.record = record
    }

    /// The capture ends: settles what is still open.
    package mutating func finish() {
        for link in links.indices {
            for slot in slots(of: link) { settle(slot) }
            if links[link].isOpen { Self.keep(connection(of: link), number: links[link].number, in: &listed) }
            links[link].reset()
        }
    }

    /// Every connection, if that is recorded, as far as it has come.
    package var connections: [Connection] {
        var connections = listed
        for link in links.indices where links[link].isOpen {
            Self.keep(connection(of: link), number: links[link].number, in: &connections)
        }
        return connections
    }

    /// Every stream that is no connection, as far as it has come.
    package var streams: [AirStream] { streamTable.all }

    /// The connection of a link as far as it has come.
    private func connection(of link: Int) -> Connection {
        var connection = links[link].connection
        connection.add(summaries[slots(of: link)])
        return connection
    }

    /// Keeps a connection as it is now; later ones than the list has room for share its last entry.
    private static func keep(_ connection: Connection, number: Int, in list: inout [Connection]) {
        if list.isEmpty { return }
        if number < Self.connectionLimit - 1 {
            list[number] = connection
        } else {
            list[list.count - 1].add(connection)
        }
    }

    /// Keeps what was learned from a server in its smallest form.
    mutating func settle(_ slot: Int) {
        let binding = summaries[slot].binding
        guard binding >= 0 else { return }
        knowledge.settle(binding)
        if record.contains(.ends) { ended.append(binding) }
    }

    /// What is known of the servers whose connections have ended since this was asked last.
    package mutating func takeEnded() -> [Int32: AttributeTableStore.Binding] {
        if ended.isEmpty { return [:] }
        let bindings = ended.map { ($0, knowledge[$0]) }
        ended.removeAll(keepingCapacity: true)
        return Dictionary(bindings) { $1 }
    }

    /// About how many bytes it takes beside another one, of which it may be a copy that has gone on.
    package func footprint(beside other: borrowing Tracker) -> Int {
        links.count * MemoryLayout<OpenConnection>.stride + directions.count * MemoryLayout<DirectionState>.stride
            + summaries.count * MemoryLayout<DirectionSummary>.stride + roles.footprint(beside: other.roles)
            + devices.footprint(beside: other.devices) + knowledge.footprint(beside: other.knowledge)
            + streamTable.footprint
    }

    /// Follows the frame whose packet `facts` hold. `bytes` are the batch's.
    package mutating func track(_ facts: inout FrameMetadata, in bytes: [UInt8], into gathered: inout Gathered) {
        currentFrame = facts.packet.number
        if facts.packet.followsDrop { lastDrop = facts.packet.number }
        switch facts.packet.encapsulation {
        case .h4, .h4WithDirection, .h1, .monitor, .monitorWithHeader, .packetLogger:
            trackHCI(bytes, &facts, &gathered)
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi:
            trackLinkLayer(bytes, &facts, &gathered)
        }
    }
}

// MARK: - Links

extension Tracker {
    /// Opens a link with its first frame; what went on under the same key ends.
    mutating func open(
        _ key: Connection.Key, sender: Int32, receiver: Int32, with facts: inout FrameMetadata, isBeginning: Bool
    ) -> Int {
        let time = facts.packet.time
        if let old = link(for: key) { close(old, at: time, reason: nil) }
        let connection = Connection(
            key: key, sender: sender, receiver: receiver, isBeginningKnown: isBeginning, start: time, end: time)
        if !isBeginning { facts.notes.insert(.beginningMissing) }
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

    /// Applies a change of parameters, which a frame makes, to its connection.
    mutating func apply(
        _ change: LinkChange, to link: Int, _ facts: borrowing FrameMetadata, _ gathered: inout Gathered
    ) {
        let isListed = record.contains(.connections) && changeCount < Self.changeLimit
        if isListed { changeCount += 1 }
        links[link].connection.apply(change, facts, isListed: isListed)
        gathered.linkChanges[facts.packet.number, default: []].append(change)
    }

    /// Lists that a frame begins or ends encryption, if it does.
    mutating func noteEncryption(of link: Int, _ facts: borrowing FrameMetadata, _ gathered: inout Gathered) {
        let isEncrypted = links[link].connection.isEncrypted
        guard isEncrypted != links[link].isEncryptionListed else { return }
        links[link].isEncryptionListed = isEncrypted
        apply(.encryption(isEncrypted), to: link, facts, &gathered)
    }

    /// Notes the role of the adapter of a link. Later connections than there is room for share the last entry.
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

    /// The link that rested longest makes room for another one.
    private mutating func closeIdlest() {
        guard let idlest = links.indices.min(by: { lastFrame(of: $0) < lastFrame(of: $1) }) else { return }
        close(idlest, at: connection(of: idlest).end, reason: nil)
    }

    /// Index of a direction of a link in `directions` and `summaries`.
    @inline(__always)
    func slot(_ link: Int, _ direction: Direction) -> Int { 3 * link + Int(direction.rawValue) }

    /// Those of all directions.
    func slots(of link: Int) -> ClosedRange<Int> { slot(link, .unknown)...slot(link, .received) }

    /// Number of the last frame of a link.
    func lastFrame(of link: Int) -> Int { summaries[slots(of: link)].map(\.lastFrame).max() ?? 0 }

    /// Ends a link and keeps what was learned from it.
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

    /// Ends all links of an adapter, as a reset does.
    mutating func closeAll(adapter: UInt16) {
        for link in links.indices {
            if case .handle(adapter, let handle) = links[link].connection.key,
                self.link(adapter: adapter, handle: handle) == link
            {
                close(link, at: connection(of: link).end, reason: nil)
            }
        }
    }

    func link(for key: Connection.Key) -> Int? {
        switch key {
        case .handle(let adapter, let handle): link(adapter: adapter, handle: handle)
        case .accessAddress(let address): linksByAccessAddress[address]
        }
    }

    /// The link of a connection handle (12 bits) of an adapter. Every data packet asks: a call would pass it a copy of
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

    /// Whether connections of an adapter are followed.
    func follows(adapter: UInt16) -> Bool {
        adapter == lastAdapter || linksByHandle[adapter] != nil || linksByHandle.count < Self.adapterLimit
    }

    /// Notes that a frame belongs to a link, and who sent it.
    @inline(__always)
    mutating func join(_ facts: inout FrameMetadata, _ link: Int) {
        summaries[slot(link, facts.direction)].add(&facts)
    }

    /// The device that sends in a direction of a link, by its identity where that is known.
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
