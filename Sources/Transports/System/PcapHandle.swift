import Bytes
import CPcap
package import Captures
import Glibc

/// A libpcap capture on one interface.
@safe package final class PcapHandle {
    /// An interface that libpcap can capture on.
    package struct Interface: Hashable, Sendable {
        package var name: String
        /// Empty if libpcap provides none.
        package var description: String

        package init(name: String, description: String) {
            self.name = name
            self.description = description
        }
    }

    package let encapsulation: Encapsulation
    private let handle: OpaquePointer
    private let name: String

    /// Snapshot length, in bytes.
    private static let snapshotLength: CInt = 262_144
    /// Size of the kernel's capture buffer, in bytes.
    private static let kernelBuffer: CInt = 16 << 20

    private init(_ handle: OpaquePointer, _ name: String, _ encapsulation: Encapsulation) {
        unsafe self.handle = handle
        self.name = name
        self.encapsulation = encapsulation
    }

    /// Opens an interface with an optional filter in the syntax of `man pcap-filter`.
    package static func open(_ interface: String, filter: String?) throws(TransportError) -> PcapHandle {
        Privileges.acquire()
        let name = "pcap:\(interface)"
        var text = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = unsafe pcap_create(interface, &text) else {
            throw TransportError(name, string(text), advice: listing)
        }
        unsafe pcap_set_snaplen(handle, snapshotLength)
        unsafe pcap_set_timeout(handle, 100)
        unsafe pcap_set_immediate_mode(handle, 1)
        unsafe pcap_set_buffer_size(handle, kernelBuffer)
        unsafe pcap_set_tstamp_precision(handle, CInt(PCAP_TSTAMP_PRECISION_NANO))
        let status = unsafe pcap_activate(handle)
        guard status >= 0 else {
            let words = unsafe String(cString: pcap_statustostr(status))
            let detail = unsafe String(cString: pcap_geterr(handle))
            unsafe pcap_close(handle)
            throw TransportError(name, detail.isEmpty ? words : detail, advice: advice(status, detail))
        }
        let linkType = unsafe LinkType(rawValue: UInt32(clamping: pcap_datalink(handle)))
        guard let encapsulation = linkType.encapsulation else {
            unsafe pcap_close(handle)
            throw TransportError(name, "\(linkType.label): not a Bluetooth link type", advice: listing)
        }
        guard encapsulation != .usb else {
            unsafe pcap_close(handle)
            throw TransportError(
                name, "\(linkType.label): read from files only",
                advice: "record with “dumpcap -i \(interface) -w FILE”, then open FILE")
        }
        let opened = unsafe PcapHandle(handle, name, encapsulation)
        if let filter { try opened.install(filter) }
        guard unsafe pcap_setnonblock(handle, 1, &text) == 0 else { throw TransportError(name, string(text)) }
        return opened
    }

    deinit {
        unsafe pcap_close(handle)
    }

    private static let listing = "“gattbench sniff pcap:” lists the interfaces"

    private static func advice(_ status: CInt, _ detail: String) -> String {
        // libpcap has no status code for a kernel without Bluetooth; it passes on the system's message.
        let noBluetooth = SystemFailure(code: EAFNOSUPPORT)
        if detail.includes(noBluetooth.text) { return noBluetooth.advice }
        return switch status {
        case PCAP_ERROR_PERM_DENIED: Privileges.advice
        case PCAP_ERROR_NO_SUCH_DEVICE, PCAP_ERROR_IFACE_NOT_UP: listing
        default: ""
        }
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func install(_ filter: String) throws(TransportError) {
        var program = unsafe bpf_program()
        guard unsafe pcap_compile(handle, &program, filter, 1, PCAP_NETMASK_UNKNOWN) == 0 else {
            throw failure("the filter “\(filter)”: ", advice: "“man pcap-filter” has the language")
        }
        defer { unsafe pcap_freecode(&program) }
        guard unsafe pcap_setfilter(handle, &program) == 0 else { throw failure("the filter “\(filter)”: ") }
    }

    private func failure(_ prefix: String = "", advice: String = "") -> TransportError {
        TransportError(name, prefix + (unsafe String(cString: pcap_geterr(handle))), advice: advice)
    }

    /// Waits for a packet, at most `capturePatience`.
    func wait() {
        _ = unsafe Polling.wait([Interest(pcap_get_selectable_fd(handle))], nanoseconds: capturePatience)
    }

    /// Appends the next packet to a batch; returns whether there was one.
    func next(into batch: inout PacketBatch, number: Int) throws(TransportError) -> Bool {
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        switch unsafe pcap_next_ex(handle, &header, &data) {
        case 1:
            guard let header = unsafe header?.pointee, let data = unsafe data else { return false }
            let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(header.caplen)))
            batch.append(
                bytes[...], originalLength: Int(header.len), encapsulation: encapsulation, number: number,
                time: time(of: header))
            return true
        case 0: return false
        default: throw failure()
        }
    }

    /// Timestamp of a packet. The second field is named microseconds, but contains nanoseconds if libpcap supports that
    /// precision.
    private func time(of header: pcap_pkthdr) -> Timestamp {
        let (seconds, rest) = unsafe withUnsafeBytes(of: header.ts) { bytes in
            unsafe (bytes.load(as: Int64.self), bytes.load(fromByteOffset: 8, as: Int64.self))
        }
        let isFine = unsafe pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO
        return Timestamp(nanoseconds: seconds * 1_000_000_000 + (isFine ? rest : rest * 1000))
    }

    /// Number of packets that the system dropped because they were not consumed fast enough.
    var lost: Int {
        var statistics = pcap_stat()
        return unsafe pcap_stats(handle, &statistics) == 0 ? Int(statistics.ps_drop) + Int(statistics.ps_ifdrop) : 0
    }

    /// The interfaces on which this user can capture.
    package static func interfaces() throws(TransportError) -> [Interface] {
        var text = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        var list: UnsafeMutablePointer<pcap_if_t>?
        guard unsafe pcap_findalldevs(&list, &text) == 0 else { throw TransportError("pcap:", string(text)) }
        let first = unsafe list
        defer { unsafe pcap_freealldevs(first) }
        var interfaces: [Interface] = []
        while let current = unsafe list {
            interfaces.append(
                Interface(
                    name: unsafe String(cString: current.pointee.name),
                    description: unsafe current.pointee.description.map { unsafe String(cString: $0) } ?? ""))
            unsafe list = current.pointee.next
        }
        return interfaces
    }
}
