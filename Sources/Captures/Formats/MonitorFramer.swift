/// Finds the frames of the monitor protocol in a stream of bytes that may begin anywhere and contain other output, noise,
/// and frames with lost or doubled bytes.
///
/// A frame is delivered as soon as it is complete if it follows another one. A first frame without a timestamp waits for
/// the header of the next. If no frame follows the last one, that may have lost bytes and contain the start of the next:
/// the search goes back into it. How the stream is split into reads does not change what is delivered.
package struct MonitorFramer: Sendable {
    /// Bytes outside frames.
    package struct Garbage: Hashable, Sendable {
        package fileprivate(set) var count = 0
        /// The first bytes, at most 256.
        package fileprivate(set) var start: [UInt8] = []
    }

    /// An element of the stream.
    package enum Element: Hashable, Sendable {
        /// A frame. `overlaps`: it begins within the frame delivered before, which is therefore damaged.
        case frame(MonitorFrame, overlaps: Bool)
        case garbage(Garbage)
    }

    private var buffer: [UInt8] = []
    /// Index in the buffer where a frame may start.
    private var position = 0
    /// Whether a frame ends at `position`.
    private var isSynchronized = false
    /// Where the search continues if no frame follows the last one: one byte after its start.
    private var retreat: Int?
    /// End of the bytes that were delivered, in frames or as garbage.
    private var delivered = 0
    private var garbage = Garbage()

    /// Longest frame in which the search for another one continues; longer than the HCI packets of firmware.
    private static let retreatLimit = 2048
    /// Number of bytes after which garbage is delivered although no frame has followed.
    package static let garbageLimit = 4096
    private static let garbageStart = 256

    package init() {}

    /// Number of bytes held: at most the longest frame, the last frame and the last input.
    package var pending: Int { buffer.count }

    /// Adds bytes; returns the elements that they complete.
    package mutating func take(_ bytes: [UInt8]) -> [Element] {
        buffer += bytes
        var elements: [Element] = []
        advance(&elements, isAtEnd: false)
        return elements
    }

    /// Ends the stream; returns what was still held back. The next bytes begin another stream.
    package mutating func finish() -> [Element] {
        var elements: [Element] = []
        advance(&elements, isAtEnd: true)
        deliverGarbage(&elements)
        self = MonitorFramer()
        return elements
    }

    private enum Decision {
        case wait, skip
        case deliver(MonitorFrame, end: Int)
    }

    private mutating func advance(_ elements: inout [Element], isAtEnd: Bool) {
        decisions: while position < buffer.count {
            switch decide(isAtEnd: isAtEnd) {
            case .wait: break decisions
            case .skip: skip(&elements)
            case .deliver(let frame, let end):
                deliverGarbage(&elements)
                elements.append(.frame(frame, overlaps: position < delivered))
                retreat = end - position <= Self.retreatLimit ? position + 1 : nil
                isSynchronized = true
                position = end
                delivered = max(delivered, end)
            }
        }
        let done = retreat ?? position
        buffer.removeFirst(done)
        position -= done
        delivered -= done
        retreat = retreat.map { $0 - done }
    }

    /// Decides about a frame at `position`.
    private func decide(isAtEnd: Bool) -> Decision {
        switch MonitorFrame.examine(buffer[position...]) {
        case .invalid: return .skip
        case .undecided, .incomplete: return isAtEnd ? .skip : .wait
        case .complete(let frame, let size, let isExact):
            let end = position + size
            if isSynchronized || isExact { return .deliver(frame, end: end) }
            switch MonitorFrame.examine(buffer[end...]) {
            case .invalid: return .skip
            case .undecided:
                guard isAtEnd else { return .wait }
                return end == buffer.count ? .deliver(frame, end: end) : .skip
            case .incomplete, .complete: return .deliver(frame, end: end)
            }
        }
    }

    /// Continues the search after `position`, or within the last frame.
    private mutating func skip(_ elements: inout [Element]) {
        isSynchronized = false
        if let retreat {
            position = retreat
            self.retreat = nil
            return
        }
        if position >= delivered {
            garbage.count += 1
            if garbage.start.count < Self.garbageStart { garbage.start.append(buffer[position]) }
            delivered = position + 1
        }
        position += 1
        if garbage.count == Self.garbageLimit { deliverGarbage(&elements) }
    }

    private mutating func deliverGarbage(_ elements: inout [Element]) {
        guard garbage.count > 0 else { return }
        elements.append(.garbage(garbage))
        garbage = Garbage()
    }
}
