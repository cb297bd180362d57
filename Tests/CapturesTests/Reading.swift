import Captures

/// All output of a reader for a capture.
struct ReadCapture {
    var format: CaptureFormat
    var packets: [CapturedPacket] = []
    var bytes: [[UInt8]] = []
    var views: [HCIView?] = []
    /// HCI packets without their type, or bodies of records.
    var payloads: [[UInt8]?] = []
    var comments: [[String]] = []
    var warnings: [CaptureWarning] = []
    var interfaces: [CaptureInterface] = []
    var skippedRecords: [String: Int] = [:]
    var frameCount = 0

    /// A capture without packets.
    init(_ format: CaptureFormat) {
        self.format = format
    }

    init(_ reader: CaptureReader) throws(CaptureError) {
        format = reader.format
        while let batch = try reader.next() {
            for packet in batch.packets {
                packets.append(packet)
                bytes.append(Array(batch.bytes(of: packet)))
                let view = batch.hciView(of: packet)
                views.append(view)
                payloads.append(view.map { Array(batch.bytes[$0.range]) })
                comments.append(packet.comment < 0 ? [] : batch.comments[Int(packet.comment)])
            }
        }
        warnings = reader.warnings
        interfaces = reader.interfaces
        skippedRecords = reader.skippedRecords
        frameCount = reader.frameCount
    }

    init(_ bytes: [UInt8], chunkSize: Int = 256 * 1024) throws(CaptureError) {
        try self.init(CaptureReader(source: ByteSource(bytes: bytes, name: "test", chunkSize: chunkSize)))
    }

    init(path: String) throws(CaptureError) {
        try self.init(CaptureReader(path: path))
    }
}
