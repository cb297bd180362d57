package import Bluetooth
import Bytes
import Captures
package import Keys

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
    /// The open connections, and closed ones whose indices are free.
    var openConnections: [OpenConnection] = []
    /// State of each direction of each connection, by `DirectionIndex`: for PDUs and fragments, and for every frame.
    var directions: [DirectionState] = []
    var summaries: [DirectionSummary] = []
    private var freeIndices: [OpenConnection.Index] = []
    /// Index in `openConnections` by connection handle, for each adapter; -1 for none.
    private var connectionsByHandle: [UInt16: [Int32]] = [:]
    private var lastAdapter: UInt16 = 0
    private var connectionsOfLastAdapter: [Int32] = []
    /// Handles of ACL data that belongs to no connection, with the adapter in the high bits.
    var vendorHandles: Set<UInt32> = []
    /// Incomplete advertising data.
    var advertisingData = AdvertisingDataAssembler()
    var connectionsByAccessAddress: [UInt32: OpenConnection.Index] = [:]
    var lastAccessAddress: (address: UInt32, connection: OpenConnection.Index)?
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
    private let recorded: Record
    /// Table versions of the servers whose connections have ended since the last batch.
    private var ended: [TableVersion] = []

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

    /// The keys given, and those found so far.
    package internal(set) var keys: KeyRing
    /// What was encrypted on the air, and what of it was opened.
    package internal(set) var decryption = DecryptionSummary()
    /// Plain text of the current PDU.
    var plain: [UInt8] = []
    var searchBudget = SearchBudget()
    var pairingBudget = PairingBudget()
    var advertisingKeys = AdvertisingKeys()

    /// Open connections at one time; a new one replaces the one idle longest.
    static let openConnectionLimit = 256
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
        imported: GATT.KnownTables = GATT.KnownTables(), plugins: PluginSet = .none, keys: KeyRing = KeyRing(),
        record: Record = .connections
    ) {
        self.imported = imported
        evidence = plugins.evidence
        self.keys = keys
        recorded = record
        learnGivenKeys()
    }

    /// Ends the capture and settles everything that is still open.
    package mutating func finish() {
        for connection in connectionIndices {
            for place in connection.directions { settle(place) }
            if openConnections[connection].isOpen {
                Self.keep(record(of: connection), number: openConnections[connection].number, in: &listed)
            }
            openConnections[connection].reset()
        }
    }

    /// Every connection in its current state, if connections are recorded.
    package var connections: [ConnectionRecord] {
        var connections = listed
        for connection in connectionIndices where openConnections[connection].isOpen {
            Self.keep(record(of: connection), number: openConnections[connection].number, in: &connections)
        }
        return connections
    }

    /// Every stream outside connections, in its current state.
    package var streams: [AirStream] { streamTable.all }

    /// The record of a connection in its current state.
    private func record(of connection: OpenConnection.Index) -> ConnectionRecord {
        var record = openConnections[connection].record
        record.add(summaries[connection])
        return record
    }

    /// Indices of all open connections, and of closed ones.
    var connectionIndices: Range<OpenConnection.Index> {
        OpenConnection.Index(rawValue: 0)..<OpenConnection.Index(rawValue: openConnections.count)
    }

    /// Stores the current record of a connection; connections beyond the list's limit share its last entry.
    private static func keep(_ record: ConnectionRecord, number: Int, in list: inout [ConnectionRecord]) {
        if list.isEmpty { return }
        if number < Self.connectionLimit - 1 {
            list[number] = record
        } else {
            list[list.count - 1].add(record)
        }
    }

    /// Stores the table learned from a server in its smallest form.
    mutating func settle(_ place: DirectionIndex) {
        let tableVersion = summaries[place].tableVersion
        guard tableVersion.isKnown else { return }
        knowledge.settle(tableVersion)
        if recorded.contains(.ends) { ended.append(tableVersion) }
    }

    /// Tables of the servers whose connections have ended since the last call.
    package mutating func takeEnded() -> [TableVersion: AttributeTableStore.Version] {
        if ended.isEmpty { return [:] }
        let tableVersions = ended.map { ($0, knowledge[$0]) }
        ended.removeAll(keepingCapacity: true)
        return Dictionary(tableVersions) { $1 }
    }

    /// Approximate bytes not shared with `other`, which may be an earlier copy.
    package func footprint(beside other: borrowing Tracker) -> Int {
        openConnections.count * MemoryLayout<OpenConnection>.stride
            + directions.count * MemoryLayout<DirectionState>.stride
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
        case .h4, .h4WithDirection, .h1, .monitor, .monitorWithHeader, .packetLogger, .usb:
            trackHCI(bytes, &metadata, &reassembly)
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi:
            trackLinkLayer(bytes, &metadata, &reassembly)
        }
    }
}

// MARK: - Connections

extension Tracker {
    /// Opens a connection with its first frame; an open connection with the same key ends.
    mutating func open(
        _ key: ConnectionRecord.Key, sender: Int32, receiver: Int32, with metadata: inout FrameMetadata,
        isBeginning: Bool
    ) -> OpenConnection.Index {
        let time = metadata.packet.time
        if let old = connection(for: key) { close(old, at: time, reason: nil) }
        let record = ConnectionRecord(
            key: key, sender: sender, receiver: receiver, isBeginningKnown: isBeginning, start: time, end: time)
        if !isBeginning { metadata.notes.insert(.beginningMissing) }
        if recorded.contains(.connections), opened < Self.connectionLimit { listed.append(record) }
        for device in [sender, receiver] where device >= 0 { devices.update(device) { $0.connections &+= 1 } }
        let connection = place(OpenConnection(record, number: opened))
        opened += 1
        if roles.count < Self.connectionLimit { roles.append(nil) }
        switch key {
        case .handle(let adapter, let handle): setConnection(connection, adapter: adapter, handle: handle)
        case .accessAddress(let address):
            streamTable.close(key)
            connectionsByAccessAddress[address] = connection
            lastAccessAddress = (address, connection)
        }
        return connection
    }

    /// Applies a change of parameters by a frame to the frame's connection.
    mutating func apply(
        _ change: LinkChange, to connection: OpenConnection.Index, _ metadata: borrowing FrameMetadata,
        _ reassembly: inout ReassemblyBuffers
    ) {
        let isListed = recorded.contains(.connections) && changeCount < Self.changeLimit
        if isListed { changeCount += 1 }
        openConnections[connection].record.apply(change, metadata, isListed: isListed)
        reassembly.linkChanges[metadata.packet.number, default: []].append(change)
    }

    /// Adds a change to the connection's list if a frame begins or ends encryption.
    mutating func noteEncryption(
        of connection: OpenConnection.Index, _ metadata: borrowing FrameMetadata, _ reassembly: inout ReassemblyBuffers
    ) {
        let isEncrypted = openConnections[connection].record.isEncrypted
        guard isEncrypted != openConnections[connection].isEncryptionListed else { return }
        openConnections[connection].isEncryptionListed = isEncrypted
        apply(.encryption(isEncrypted), to: connection, metadata, &reassembly)
    }

    /// Records the role of a connection's adapter. Connections beyond the limit share the last entry.
    mutating func setRole(_ role: ConnectionRole?, of connection: OpenConnection.Index) {
        roles[min(openConnections[connection].number, Self.connectionLimit - 1)] = role
    }

    private mutating func place(_ connection: OpenConnection) -> OpenConnection.Index {
        if freeIndices.isEmpty, openConnections.count >= Self.openConnectionLimit { closeIdlest() }
        let index = freeIndices.popLast() ?? OpenConnection.Index(rawValue: openConnections.count)
        if index.rawValue < openConnections.count {
            openConnections[index] = connection
        } else {
            openConnections.append(connection)
            directions.append(contentsOf: repeatElement(DirectionState(), count: DirectionIndex.count))
            summaries.append(contentsOf: repeatElement(DirectionSummary(), count: DirectionIndex.count))
        }
        let number = Int32(min(connection.number, Self.connectionLimit - 1))
        for place in index.directions { summaries[place].connection = number }
        let (sender, receiver) = (connection.record.sender, connection.record.receiver)
        (summaries[index, .sent].sender, summaries[index, .sent].receiver) = (sender, receiver)
        (summaries[index, .received].sender, summaries[index, .received].receiver) = (receiver, sender)
        return index
    }

    /// Closes the connection idle longest, to make room for another one.
    private mutating func closeIdlest() {
        guard let idlest = connectionIndices.min(by: { lastFrame(of: $0) < lastFrame(of: $1) }) else { return }
        close(idlest, at: record(of: idlest).end, reason: nil)
    }

    /// Number of the last frame of a connection.
    func lastFrame(of connection: OpenConnection.Index) -> Int {
        summaries[connection].map(\.lastFrame).max() ?? 0
    }

    /// Closes a connection and keeps its record and the tables learned from it.
    mutating func close(_ connection: OpenConnection.Index, at time: Timestamp, reason: UInt8?) {
        var record = record(of: connection)
        record.end = time
        record.reason = reason ?? record.reason
        Self.keep(record, number: openConnections[connection].number, in: &listed)
        settleWrites(of: connection)
        for place in connection.directions {
            settle(place)
            directions[place] = DirectionState()
            summaries[place] = DirectionSummary()
        }
        switch openConnections[connection].record.key {
        case .handle(let adapter, let handle): setConnection(nil, adapter: adapter, handle: handle)
        case .accessAddress(let address):
            connectionsByAccessAddress[address] = nil
            lastAccessAddress = nil
        }
        openConnections[connection].reset()
        freeIndices.append(connection)
    }

    /// Closes all connections of an adapter after a reset.
    mutating func closeAll(adapter: UInt16) {
        for connection in connectionIndices {
            if case .handle(adapter, let handle) = openConnections[connection].record.key,
                self.connection(adapter: adapter, handle: handle) == connection
            {
                close(connection, at: record(of: connection).end, reason: nil)
            }
        }
    }

    func connection(for key: ConnectionRecord.Key) -> OpenConnection.Index? {
        switch key {
        case .handle(let adapter, let handle): connection(adapter: adapter, handle: handle)
        case .accessAddress(let address): connectionsByAccessAddress[address]
        }
    }

    /// The connection with a handle (12 bits) of an adapter. Every data packet needs it: a call would pass a copy of
    /// the tracker's members.
    @inline(__always)
    func connection(adapter: UInt16, handle: ConnectionHandle) -> OpenConnection.Index? {
        let place = Int(handle.rawValue & 0x0FFF)
        if adapter == lastAdapter {
            guard place < connectionsOfLastAdapter.count, connectionsOfLastAdapter[place] >= 0 else { return nil }
            return OpenConnection.Index(rawValue: Int(connectionsOfLastAdapter[place]))
        }
        guard let indices = connectionsByHandle[adapter], place < indices.count, indices[place] >= 0 else { return nil }
        return OpenConnection.Index(rawValue: Int(indices[place]))
    }

    private mutating func setConnection(
        _ connection: OpenConnection.Index?, adapter: UInt16, handle: ConnectionHandle
    ) {
        if adapter != lastAdapter {
            connectionsByHandle[lastAdapter] = connectionsOfLastAdapter
            connectionsOfLastAdapter = connectionsByHandle[adapter, default: []]
            lastAdapter = adapter
        }
        let place = Int(handle.rawValue & 0x0FFF)
        if place >= connectionsOfLastAdapter.count {
            let missing = place + 1 - connectionsOfLastAdapter.count
            connectionsOfLastAdapter.append(contentsOf: repeatElement(-1, count: missing))
        }
        connectionsOfLastAdapter[place] = connection.map { Int32($0.rawValue) } ?? -1
    }

    /// Whether the connections of an adapter are tracked.
    func follows(adapter: UInt16) -> Bool {
        adapter == lastAdapter || connectionsByHandle[adapter] != nil
            || connectionsByHandle.count < Self.adapterLimit
    }

    /// Adds a frame to a connection, and records its sender.
    @inline(__always)
    mutating func join(_ metadata: inout FrameMetadata, _ connection: OpenConnection.Index) {
        summaries[connection, metadata.direction].add(&metadata)
    }

    /// The device that sends in a direction of a connection, by its identity where that is known.
    func device(of connection: OpenConnection.Index, sendingIn direction: Direction) -> Int32 {
        let device =
            switch direction {
            case .sent: openConnections[connection].record.sender
            case .received: openConnections[connection].record.receiver
            case .unknown: -1 as Int32
            }
        return device >= 0 ? devices.resolved(device) : device
    }
}
