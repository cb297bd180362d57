import Bytes
import Captures
import Glibc
import Testing
import Transports

/// The kernel's HCI monitor, simulated with a socket pair: one record in each datagram.
@Suite struct MonitorCaptureTests {
    /// The other end of a capture, which writes records like the kernel.
    private final class Kernel {
        let socket: MonitorSocket
        private let number: CInt

        init() {
            var ends: (CInt, CInt) = (0, 0)
            withUnsafeMutablePointer(to: &ends) {
                $0.withMemoryRebound(to: CInt.self, capacity: 2) {
                    _ = socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, $0)
                }
            }
            socket = MonitorSocket(owning: ends.0)
            number = ends.1
        }

        deinit { close(number) }

        func write(_ datagram: [UInt8]) { _ = Glibc.write(number, datagram, datagram.count) }

        func write(_ opcode: UInt8, adapter: UInt16, _ body: [UInt8]) {
            let words = [UInt16(opcode), adapter, UInt16(body.count)]
            write(words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + body)
        }
    }

    /// The output of a capture until no more input arrives.
    private func packets(
        _ kernel: Kernel, adapter: UInt16? = nil, endsWithAdapter: Bool = false
    ) throws -> (records: [(UInt16, UInt16, [UInt8])], reported: [String]) {
        let capture = MonitorCapture(kernel.socket, adapter: adapter, endsWithAdapter: endsWithAdapter)
        var records: [(UInt16, UInt16, [UInt8])] = []
        var reported: [String] = []
        try capture.run(
            CaptureSink(
                take: { batch in
                    records += batch.packets.map { ($0.adapter, $0.recordType, Array(batch.bytes(of: $0))) }
                    return !batch.packets.isEmpty
                }, report: { reported.append($0) }))
        return (records, reported)
    }

    private let reset: [UInt8] = [0x03, 0x0C, 0x00]

    @Test func recordsOfAllAdaptersComeInOrder() throws {
        let kernel = Kernel()
        kernel.write(12, adapter: 0xFFFF, Array("Linux version 6.1\0".utf8))
        kernel.write(2, adapter: 0, reset)
        kernel.write(2, adapter: 1, reset)
        kernel.write(3, adapter: 0, [0x0E, 4, 1, 3, 12, 0])
        let records = try packets(kernel).records
        #expect(records.map(\.0) == [0xFFFF, 0, 1, 0])
        #expect(records.map(\.1) == [12, 2, 2, 3])
        #expect(records.last?.2 == [0x0E, 4, 1, 3, 12, 0])
    }

    @Test func oneAdapterIsListenedTo() throws {
        let kernel = Kernel()
        kernel.write(12, adapter: 0xFFFF, [0])
        kernel.write(2, adapter: 0, reset)
        kernel.write(2, adapter: 1, reset)
        #expect(try packets(kernel, adapter: 1).records.map(\.0) == [1])
    }

    @Test func anAdapterThatGoesAwayEndsItsCapture() throws {
        let kernel = Kernel()
        kernel.write(1, adapter: 1, [])
        kernel.write(2, adapter: 0, reset)
        kernel.write(1, adapter: 0, [])
        kernel.write(0, adapter: 0, [UInt8](repeating: 0, count: 16))
        let (records, reported) = try packets(kernel, adapter: 0, endsWithAdapter: true)
        #expect(records.map(\.1) == [2, 1])
        #expect(reported == ["hci0 has gone; --stay waits until it comes back"])
    }

    @Test func aCaptureThatStaysGoesOn() throws {
        let kernel = Kernel()
        kernel.write(1, adapter: 0, [])
        kernel.write(0, adapter: 0, [UInt8](repeating: 0, count: 16))
        let (records, reported) = try packets(kernel, adapter: 0)
        #expect(records.map(\.1) == [1, 0])
        #expect(reported.isEmpty)
    }

    @Test func aDatagramThatIsNoRecordIsPassedOver() throws {
        let kernel = Kernel()
        kernel.write([2, 0, 0])
        kernel.write(2, adapter: 0, reset)
        #expect(try packets(kernel).records.map(\.1) == [2])
    }

    @Test func packetsAreNumberedAndHaveATime() throws {
        let kernel = Kernel()
        for _ in 0..<3 { kernel.write(2, adapter: 0, reset) }
        var numbers: [Int] = []
        try MonitorCapture(kernel.socket).run(
            CaptureSink(
                take: { batch in
                    numbers += batch.packets.filter { $0.time.nanoseconds > 1_700_000_000_000_000_000 }.map(\.number)
                    return !batch.packets.isEmpty
                }, report: { _ in }))
        #expect(numbers == [1, 2, 3])
    }
}
