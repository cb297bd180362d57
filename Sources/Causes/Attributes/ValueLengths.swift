import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit
import Profile

/// Values that fill a PDU, and may be longer than it has room for (Vol 3, Part F, 3.2.8).
struct ValueLengths {
    /// A value as long as the PDU has room for.
    struct Full {
        let operation: ATT.ValueOperation
        let frames: [FrameReference]
        let name: String
        let mtu: Int
        let isMTUExchanged: Bool
        let count: Int
        /// Hash of the bytes that were carried.
        let hash: UInt64
        /// Lengths that the profile gives the value; empty if they are not known.
        let lengths: [ClosedRange<Int>]

        /// Whether each length of the profile is greater.
        var isTooShortForProfile: Bool { !lengths.isEmpty && lengths.allSatisfy { $0.lowerBound > count } }
        /// Whether the profile has values of this length.
        var isWholeForProfile: Bool { lengths.contains { $0.contains(count) } }
    }

    /// A value that was read to its end.
    struct Whole {
        let count: Int
        let frame: FrameReference
        let bytes: [UInt8]
    }

    /// A value that was cut, and the longer value that shows it; nil where only the profile or the length does.
    struct Cut {
        let full: Full
        let whole: Whole?
        let isPrefix: Bool
    }

    private var reads: [Handle: Full] = [:]
    private var updates: [Handle: Full] = [:]
    private var writes: [Handle: Full] = [:]
    /// Values read in parts: the bytes so far.
    private var parts: [Handle: [UInt8]] = [:]
    private var whole: [Handle: Whole] = [:]
    /// The failures, by their last frame.
    private(set) var cut: [Int: Cut] = [:]

    private static let limit = 64

    /// Records a request: a write that fills its PDU, or the continuation of a read.
    mutating func use(_ request: SentRequest, _ event: Event) {
        switch request.opcode {
        case .readBlobRequest: reads[request.handle] = nil
        case .writeRequest, .writeCommand:
            guard event.outcome?.isRefused == false, request.valueLength == request.mtu.map({ $0 - 3 }) else { return }
            add(event, .write, request.handle, [request.sent], to: &writes)
        default: break
        }
    }

    /// Records a value that was read.
    mutating func answer(_ request: SentRequest?, _ event: Event) {
        guard let asked = event.request, let value = event.attributeValue?.array, let mtu = event.knownMTU else {
            return
        }
        let fills = value.count == mtu - 1
        var bytes = value
        switch asked.opcode {
        case .readRequest:
            if fills {
                let sent = request.map { [$0.sent] } ?? []
                add(event, .read, asked.handle, sent + [event.moment], to: &reads)
            } else {
                reads[asked.handle] = nil
            }
        case .readBlobRequest:
            guard let before = parts[asked.handle], before.count == Int(asked.offset) else { return }
            bytes = before + value
        default: return
        }
        parts[asked.handle] = nil
        if fills {
            if parts.count < Self.limit, bytes.count <= ATT.maximumValueLength { parts[asked.handle] = bytes }
        } else if whole.count < Self.limit || whole[asked.handle] != nil {
            whole[asked.handle] = Whole(count: bytes.count, frame: event.moment, bytes: bytes)
        }
    }

    /// Records the error that ends a read in parts: the value has no more bytes.
    mutating func end(_ event: Event, _ error: ATT.ErrorCode) {
        guard let asked = event.request, asked.opcode == .readBlobRequest,
            error == .invalidOffset || error == .attributeNotLong, let bytes = parts.removeValue(forKey: asked.handle),
            whole.count < Self.limit
        else { return }
        whole[asked.handle] = Whole(count: bytes.count, frame: event.moment, bytes: bytes)
    }

    /// Records a notification or an indication.
    mutating func update(_ event: Event, _ att: ATTTraffic) {
        guard att.opcode != .multipleHandleValueNotification, let count = event.attributeValue?.count,
            event.knownMTU.map({ $0 - 3 }) == count
        else { return }
        add(event, att.kind == .indication ? .indicate : .notify, att.handle, [event.moment], to: &updates)
    }

    private func add(
        _ event: Event, _ operation: ATT.ValueOperation, _ handle: Handle, _ frames: [FrameReference],
        to list: inout [Handle: Full]
    ) {
        guard list[handle] == nil, list.count < Self.limit else { return }
        let bytes = event.attributeValue?.array ?? []
        list[handle] = Full(
            operation: operation, frames: frames, name: event.name(of: handle), mtu: event.connection.mtu,
            isMTUExchanged: event.connection.isMTUExchanged, count: bytes.count,
            hash: bytes.span.rawBytes.hash, lengths: event.profileLengths(operation))
    }
}

// MARK: - At the end of a connection

extension ValueLengths {
    /// Adds the failures of the connection.
    mutating func finish(_ session: Session) {
        for (handle, full) in reads.sorted(by: { $0.key < $1.key }) {
            let known = whole[handle]
            if let known, known.count <= full.count || full.isWholeForProfile { continue }
            // Without a longer value or a profile, only the length tells.
            if full.isWholeForProfile { continue }
            add(full, known, session)
        }
        for (handle, full) in updates.sorted(by: { $0.key < $1.key }) {
            let known = whole[handle].flatMap { $0.count > full.count ? $0 : nil }
            guard full.isTooShortForProfile || known.map({ Self.begins($0, with: full) }) == true else { continue }
            add(full, known, session)
        }
        for (_, full) in writes.sorted(by: { $0.key < $1.key }) where full.isTooShortForProfile {
            add(full, nil, session)
        }
    }

    private mutating func add(_ full: Full, _ whole: Whole?, _ session: Session) {
        guard let last = full.frames.last else { return }
        cut[last.frame] = Cut(
            full: full, whole: whole, isPrefix: whole.map { Self.begins($0, with: full) } ?? false)
        session.add(Failure(.valueTruncated, full.frames))
    }

    private static func begins(_ whole: Whole, with full: Full) -> Bool {
        guard whole.count > full.count else { return false }
        let beginning = Array(whole.bytes.prefix(full.count))
        return beginning.span.rawBytes.hash == full.hash
    }
}

extension Event {
    /// The lengths that the profile gives to values of the event's attribute; empty if it describes none.
    fileprivate func profileLengths(_ operation: ATT.ValueOperation) -> [ClosedRange<Int>] {
        guard let type = characteristic?.type, let reading = frame.plugins.reading(of: type, plugin: frame.plugin)
        else {
            return []
        }
        return reading.reader.layouts(for: operation).map(\.lengths)
    }

    /// The shortest value that the profile lets a client write to the event's attribute; nil if it describes none.
    var shortestWrite: Int? { profileLengths(.write).map(\.lowerBound).min() }
}
