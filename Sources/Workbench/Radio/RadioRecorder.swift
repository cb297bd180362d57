import Captures

/// Recordings of a virtual radio.
enum RadioRecorder {
    /// All controllers in one capture: each packet tells which one it belongs to.
    static func writer(_ path: String) throws(CaptureError) -> CaptureWriter {
        guard let format = CaptureFormat(forPath: path) else {
            throw CaptureError(
                .unsupported, file: path, "unknown file extension",
                advice: "use .btsnoop, .pklg, .pcap or .pcapng")
        }
        let target = CaptureTarget(format, linkType: .linuxMonitor) ?? CaptureTarget(format, holding: .h4)
        return try CaptureWriter(path: path, target: target)
    }
}
