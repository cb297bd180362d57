package import Captures

/// Captures all traffic between the kernel and its Bluetooth adapters, through the HCI monitor channel of Linux.
package final class MonitorCapture: LiveCapture {
    package let name: String
    package let encapsulation: Encapsulation? = .monitor
    package let canWait = false
    package var lost: Int { socket.lost }

    private let socket: MonitorSocket
    /// The adapter to capture; nil for all, including records without an adapter.
    private let adapter: UInt16?
    /// Whether removal of the adapter ends the capture.
    private let endsWithAdapter: Bool
    private var number = 0

    package init(_ socket: MonitorSocket, adapter: UInt16? = nil, endsWithAdapter: Bool = false) {
        self.socket = socket
        self.adapter = adapter
        self.endsWithAdapter = endsWithAdapter
        name = adapter.map { "hci\($0)" } ?? "monitor"
    }

    package func run(_ sink: CaptureSink) throws {
        var hasEnded = false
        while !hasEnded {
            var batch = PacketBatch()
            socket.wait()
            while batch.bytes.count < captureBatchLimit, !hasEnded {
                guard let (bytes, time) = try socket.next() else { break }
                guard let record = MonitorRecord(bytes) else { continue }
                if let adapter, record.adapter != adapter { continue }
                number += 1
                batch.append(record, number: number, time: time)
                hasEnded = endsWithAdapter && record.opcode == .deleteIndex && record.adapter == adapter
            }
            guard try sink.take(batch) else { return }
        }
        sink.report("\(name) has gone; --stay waits until it comes back")
    }
}
