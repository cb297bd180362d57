import Bluetooth
import Conversation

/// The frames that the decoding of selected frames needs: what begins and ends their connections, the discovery that
/// names their attributes, subscriptions, the handshakes of keys, their whole procedures.
struct DecodingContext {
    private let outline: FrameOutline
    private let selected: FrameSet
    /// How much is kept besides, by connection; -1 for frames outside connections.
    private var widths: [Int32: Width] = [:]

    /// What is kept for a connection.
    private enum Width: Int, Comparable {
        /// What decoding usually needs.
        case context
        /// Reads and writes too, on which the meaning of later values may depend.
        case operations
        /// The whole connection.
        case connection
        /// All that its devices sent.
        case devices
        case capture

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
        var next: Self? { Self(rawValue: rawValue + 1) }
    }

    /// Frames with addresses and names of adapters that are kept.
    private static let adapterLimit = 1024

    init(_ outline: FrameOutline, of selected: FrameSet) {
        self.outline = outline
        self.selected = selected
    }

    /// Keeps more for some frames, whose decoding has changed; returns whether there is more.
    mutating func widen(for frames: [Int]) -> Bool {
        let connections = Set(frames.compactMap { outline.index(ofFrame: $0) }.map { outline.frames[$0].connection })
        var isWidened = false
        for connection in connections {
            guard let next = widths[connection, default: .context].next else { continue }
            widths[connection] = next
            isWidened = true
        }
        return isWidened
    }

    /// The selected frames and those that their decoding needs.
    var frames: FrameSet {
        if widths.values.contains(.capture) { return FrameSet(outline.frames.lazy.map { Int($0.number) }) }
        let needs = Needs(outline, selected)
        let wide = wideDevices
        var kept = needs.numbers
        var adapterFrames = 0
        for (index, frame) in outline.frames.enumerated() {
            let isKept: Bool
            if frame.role == .adapter {
                adapterFrames += 1
                isKept = adapterFrames <= Self.adapterLimit
            } else {
                isKept = isNeeded(index, frame, needs, wide)
            }
            if isKept { kept.insert(Int(frame.number)) }
        }
        for pdu in outline.fragmentedPDUs where kept.contains(Int(outline.frames[pdu.upperBound].number)) {
            // A gap in the sequence numbers of the air would end the reassembly.
            let connection = outline.frames[pdu.upperBound].connection
            for index in pdu where outline.frames[index].connection == connection {
                kept.insert(Int(outline.frames[index].number))
            }
        }
        return kept
    }

    private func isNeeded(_ index: Int, _ frame: FrameOutline.Frame, _ needs: Needs, _ wide: Set<Int32>) -> Bool {
        if frame.connection >= 0 {
            let width = widths[frame.connection, default: .context]
            if width >= .connection || outline.isEnd(of: frame.connection, in: wide) { return true }
            if needs.connections.contains(frame.connection) || needs.earlier.contains(frame.connection) {
                if frame.role.isContext(onAir: frame.isOnAir) { return true }
            }
            return width == .operations && frame.role.isOperation
        }
        let width = widths[-1, default: .context]
        guard frame.role == .newAdvertising || frame.role == .advertising else { return width >= .connection }
        let devices = outline.devices(of: index)
        if frame.role == .newAdvertising || width >= .operations { return !devices.isDisjoint(with: needs.devices) }
        return !devices.isDisjoint(with: wide)
    }

    /// The remote devices of which all is kept that they sent.
    private var wideDevices: Set<Int32> {
        var devices: Set<Int32> = []
        for (connection, width) in widths where width >= .devices && outline.ends.indices.contains(Int(connection)) {
            let ends = outline.ends[Int(connection)]
            for end in [ends.sender, ends.receiver] where outline.device(end)?.adapter == nil { devices.insert(end) }
        }
        devices.remove(-1)
        return devices
    }

    /// The connections and devices of the selected frames.
    private struct Needs {
        /// Frames of the procedures of selected frames, with other views of their PDUs and the set-up of their
        /// connections.
        private(set) var numbers: FrameSet
        private(set) var connections: Set<Int32> = []
        /// Earlier connections in which a table was discovered that is still valid.
        private(set) var earlier: Set<Int32> = []
        private(set) var devices: Set<Int32> = []
        private let outline: FrameOutline

        init(_ outline: FrameOutline, _ selected: FrameSet) {
            self.outline = outline
            numbers = selected
            var procedures: Set<UInt32> = []
            for number in selected.numbers {
                for frame in [number] + (outline.views[number] ?? []) {
                    guard let index = outline.index(ofFrame: frame) else { continue }
                    procedures.insert(outline.frames[index].procedure)
                    numbers.insert(frame)
                }
            }
            addProcedures(procedures)
            addEarlierConnections(selected)
            for connection in connections.union(earlier) { addSetup(of: connection) }
        }

        private mutating func addProcedures(_ procedures: Set<UInt32>) {
            for (index, frame) in outline.frames.enumerated() where procedures.contains(frame.procedure) {
                numbers.insert(Int(frame.number))
                if frame.connection >= 0 { connections.insert(frame.connection) }
                devices.formUnion(outline.devices(of: index))
            }
        }

        /// A server's table that was discovered in earlier connections names attributes of selected frames.
        private mutating func addEarlierConnections(_ selected: FrameSet) {
            var last: [Int32: Int32] = [:]
            for number in selected.numbers {
                guard let index = outline.index(ofFrame: number) else { continue }
                let frame = outline.frames[index]
                guard frame.connection >= 0, outline.attribute(of: frame)?.1 == .remembered else { continue }
                let server = outline.server(of: frame)
                if server >= 0 { last[server] = max(last[server, default: 0], frame.connection) }
            }
            for (index, ends) in outline.ends.enumerated() {
                let before = max(last[ends.sender, default: 0], last[ends.receiver, default: 0])
                if index < Int(before) { earlier.insert(Int32(index)) }
            }
        }

        /// Commands before a connection have no handle: they belong to it with their events.
        private mutating func addSetup(of connection: Int32) {
            guard let commands = outline.setups[connection] else { return }
            let procedures = Set(commands.map { UInt32($0) })
            let last = commands.max() ?? 0
            for command in commands { numbers.insert(Int(outline.frames[command].number)) }
            // The events of a command follow it soon.
            for frame in outline.frames.dropFirst(commands.min() ?? 0).prefix(last + 64 - (commands.min() ?? 0))
            where procedures.contains(frame.procedure) && frame.role != .connectionStart {
                numbers.insert(Int(frame.number))
            }
        }
    }
}

extension FrameOutline {
    /// Whether a device of a set is an end of a connection.
    fileprivate func isEnd(of connection: Int32, in devices: Set<Int32>) -> Bool {
        guard !devices.isEmpty, ends.indices.contains(Int(connection)) else { return false }
        let ends = ends[Int(connection)]
        return devices.contains(ends.sender) || devices.contains(ends.receiver)
    }
}
