import Bluetooth
import Bytes

/// The result of decoding one frame as a capture reader does.
struct Frame {
    var capture = LL.CaptureHeader()
    var packet: LL.PacketHeader?
    var advertising: (any LL.AdvertisingPDU)?
    var data: LL.DataHeader?
    var control: (any LL.ControlPDU)?
    var error: DecodeError?
    let recorder = FieldRecorder()

    init(_ bytes: [UInt8], _ format: LL.CaptureFormat = .bare) {
        do throws(DecodeError) {
            var reader = ByteReader(bytes.span, recorder: recorder)
            capture = try LL.CaptureHeader(format, reading: &reader)
            let packet = try LL.PacketHeader(reading: &reader, hasCodingIndicator: capture.hasCodingIndicator)
            self.packet = packet
            if capture.traffic(of: packet.accessAddress) == .advertising {
                let type = LL.AdvertisingHeader(bits: packet.header).type
                advertising = try LL.readAdvertising(&reader, in: capture.advertisingContext(of: type))
            } else {
                let header = try LL.DataHeader(reading: &reader)
                data = header
                var payload = try reader.slice(count: header.length, lengthSetBy: LL.Fields.dataLength)
                if header.llid == .control {
                    control = try LL.readControl(&payload)
                } else {
                    payload.skipRest(LL.Fields.l2capData)
                }
            }
            try LL.readCRC(&reader)
        } catch {
            self.error = error
        }
    }

    /// The values recorded under a name.
    func values(_ name: String) -> [UInt64] {
        recorder.fields.filter { $0.field.name == name }.map(\.value)
    }

    /// The only value recorded under a name.
    func value(_ name: String) -> UInt64? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// The name of the only value recorded under a name.
    func text(_ name: String) -> String? {
        let fields = recorder.fields.filter { $0.field.name == name }
        return fields.count == 1 ? fields[0].field.names?[fields[0].value] : nil
    }

    /// The names of recorded fields missing from the field lists.
    var unlisted: [String] {
        let listed = Set((LL.Fields.all + ChannelMap.bitFields).map(\.name))
        return recorder.fields.map(\.field.name).filter { !listed.contains($0) }
    }
}
