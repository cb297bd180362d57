package import Bytes
import Captures

/// The fields that belong to no protocol layer: the frame itself, what was concluded about it, bytes nobody understood.
package enum FrameFields {
    package static let frame = Field("frame", "Frame", .group)
    package static let number = Field("frame.number", "Frame Number", .decimal)
    package static let time = Field("frame.time_epoch", "Epoch Time", .time, unit: "s")
    package static let length = Field("frame.len", "Frame Length", .decimal, unit: "bytes")
    package static let capturedLength = Field("frame.cap_len", "Capture Length", .decimal, unit: "bytes")
    package static let comment = Field("frame.comment", "Comment", .text)
    package static let interface = Field("frame.interface_id", "Interface", .decimal)

    package static let h4 = Field("hci_h4", "HCI H4", .group)
    package static let h4Direction = Field(
        "hci_h4.direction", "Direction", .hex(2), names: ValueNames([0: "Sent", 1: "Received"]))

    package static let monitor = Field("hci_mon", "Bluetooth Linux Monitor Transport", .group)
    package static let monitorAdapter = Field("hci_mon.adapter_id", "Adapter ID", .decimal)
    package static let monitorOpcode = Field(
        "hci_mon.opcode", "Opcode", .decimal,
        names: ValueNames { MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: $0)).name })
    package static let packetLogger = Field("packetlogger", "PacketLogger", .group)
    package static let packetLoggerType = Field(
        "packetlogger.type", "Type", .hex(2),
        names: ValueNames { PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: $0)).name })

    package static let bluetooth = Field("bluetooth", "Bluetooth", .group)
    package static let source = Field("bluetooth.src", "Source", .address)
    package static let destination = Field("bluetooth.dst", "Destination", .address)
    package static let address = Field("bluetooth.addr", "Source or Destination", .address)

    package static let gatt = Field("gatt", "Generic Attribute Profile", .group)
    package static let service = Field("gatt.service", "Service", .text)
    package static let characteristic = Field("gatt.characteristic", "Characteristic", .text)
    package static let operation = Field("gatt.operation", "Operation", .text)
    package static let confidence = Field("gatt.confidence", "Confidence", .text)
    package static let longValue = Field("gatt.long_value", "Long Value", .bytes)
    package static let requestFrame = Field("gatt.request_frame", "Request in Frame", .decimal)
    package static let latency = Field("gatt.latency", "Response Time", .decimal, unit: "ms", scale: 1e-6)
    package static let device = Field("device", "Device", .group)
    package static let plugin = Field("device.plugin", "Plugin", .text)
    package static let message = Field("device.message", "Message", .text)
    package static let assembled = Field("device.assembled", "Message in Several Values", .group)
    package static let assembledFrames = Field("device.assembled.frames", "Frames", .text)

    package static let data = Field("data", "Data", .group)
    package static let undecoded = Field("data.data", "Undecoded Bytes", .bytes)
    /// What a recorder wrote and nobody has described; it may be key material.
    package static let undocumented = Field("data.undocumented", "Undocumented Bytes", .bytes, isSecret: true)
    package static let encrypted = Field("btle.encrypted_data", "Encrypted Data", .bytes)
    package static let fragment = Field("btl2cap.fragment", "L2CAP Fragment", .bytes)

    package static let sdu = Field("btl2cap.sdu", "SDU", .bytes)

    package static let all = [
        frame, number, time, length, capturedLength, comment, interface, h4, h4Direction, monitor, monitorAdapter,
        monitorOpcode, packetLogger, packetLoggerType, bluetooth, source,
        destination, address, gatt, service, characteristic, operation, confidence, longValue, requestFrame, latency,
        device, plugin, message, assembled, assembledFrames, data, undecoded, undocumented, encrypted, fragment, sdu,
    ]
}
