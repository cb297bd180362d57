package import Captures

/// Captures on one of libpcap's Bluetooth interfaces.
package final class InterfaceCapture: LiveCapture {
    package let name: String
    package var encapsulation: Encapsulation? { handle.encapsulation }
    package let canWait = false
    package var lost: Int { handle.lost }

    private let handle: PcapHandle
    private var number = 0

    /// Opens an interface with an optional filter in the syntax of `man pcap-filter`.
    package init(_ interface: String, filter: String? = nil) throws(TransportError) {
        handle = try PcapHandle.open(interface, filter: filter)
        name = "pcap:\(interface)"
    }

    package func run(_ sink: CaptureSink) throws {
        while true {
            var batch = PacketBatch()
            handle.wait()
            while batch.bytes.count < captureBatchLimit, try handle.next(into: &batch, number: number + 1) {
                number += 1
            }
            guard try sink.take(batch) else { return }
        }
    }
}
