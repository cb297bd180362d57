package import Bytes
import Captures
import Conversation

/// Fields outside the protocol layers: the frame itself, conclusions about it, and undecoded bytes.
package enum FrameFields {
    package static let frame = Field("frame", "Frame", .group)
    package static let number = Field("frame.number", "Frame Number", .decimal)
    package static let time = Field("frame.time_epoch", "Epoch Time", .time, unit: "s")
    package static let arrival = Field("frame.time", "Arrival Time", .text)
    package static let relativeTime = Field("frame.time_relative", "Time since First Frame", .time, unit: "s")
    package static let timeDelta = Field("frame.time_delta", "Time Delta from Previous Frame", .time, unit: "s")
    package static let protocols = Field("frame.protocols", "Protocols in Frame", .text)
    package static let length = Field("frame.len", "Frame Length", .decimal, unit: "bytes")
    package static let capturedLength = Field("frame.cap_len", "Capture Length", .decimal, unit: "bytes")
    package static let comment = Field("frame.comment", "Comment", .text)

    package static let h1 = Field("hci_h1", "HCI H1", .group)
    package static let h1Direction = Field("hci_h1.direction", "Direction", .decimal, names: directionNames)
    package static let h4 = Field("hci_h4", "HCI H4", .group)
    package static let h4Direction = Field("hci_h4.direction", "Direction", .hex(2), names: directionNames)

    package static let usb = Field("hci_usb", "Bluetooth HCI USB Transport", .group)

    package static let packetLogger = Field("packetlogger", "PacketLogger", .group)
    package static let packetLoggerType = Field(
        "packetlogger.type", "Type", .hex(2),
        names: ValueNames { PacketLoggerRecordType(rawValue: UInt8(truncatingIfNeeded: $0)).name })
    package static let packetLoggerText = Field("packetlogger.info", "Info", .text)

    package static let bluetooth = Field("bluetooth", "Bluetooth", .group)
    package static let source = Field("bluetooth.src", "Source", .address)
    package static let destination = Field("bluetooth.dst", "Destination", .address)
    package static let address = Field("bluetooth.addr", "Source or Destination", .address)
    package static let sourceText = Field("bluetooth.src_str", "Source", .text)
    package static let destinationText = Field("bluetooth.dst_str", "Destination", .text)
    package static let addressText = Field("bluetooth.addr_str", "Source or Destination", .text)

    /// The endpoints of the connection that carries ACL data.
    package static let sourceAddress = Field("bthci_acl.src.bd_addr", "Source BD_ADDR", .address)
    package static let sourceName = Field("bthci_acl.src.name", "Source Device Name", .text)
    package static let sourceRole = Field("bthci_acl.src.role", "Source Role", .decimal, names: roleNames)
    package static let destinationAddress = Field("bthci_acl.dst.bd_addr", "Destination BD_ADDR", .address)
    package static let destinationName = Field("bthci_acl.dst.name", "Destination Device Name", .text)
    package static let destinationRole = Field(
        "bthci_acl.dst.role", "Destination Role", .decimal, names: roleNames)
    package static let ends = [
        sourceAddress, sourceName, sourceRole, destinationAddress, destinationName, destinationRole,
    ]

    /// The connection's number, from 1.
    package static let connection = Field("connection", "Connection", .decimal)
    /// The number, from 1, of a stream without a connection, and the position of a PDU in it.
    package static let stream = Field("stream", "Stream", .decimal)
    package static let streamType = Field(
        "stream.type", "Stream Type", .decimal,
        names: ValueNames { number in AirStream.Kind(rawValue: UInt8(truncatingIfNeeded: number))?.name })
    package static let streamIndex = Field("stream.index", "CIS_ID or BIS Number", .decimal)
    package static let streamEvent = Field("stream.event", "Event Counter", .decimal)
    package static let streamSubevent = Field("stream.subevent", "Subevent", .decimal)
    package static let streamSlot = Field("stream.response_slot", "Response Slot", .decimal)
    package static let streamPayload = Field("stream.payload", "Payload Counter", .decimal)
    package static let streams = [
        stream, streamType, streamIndex, streamEvent, streamSubevent, streamSlot, streamPayload,
    ]
    /// What another capture of a merged file shows of the PDU.
    package static let view = Field("view", "View of Another Capture", .group)
    package static let heardIn = Field("view.heard_in", "Heard in Frame", .decimal)
    package static let sentIn = Field("view.sent_in", "Sent in Frame", .decimal)
    package static let receivedIn = Field("view.received_in", "Received in Frame", .decimal)
    package static let viewOnly = Field("view.only", "Only in This Capture", .text)
    package static let viewDelay = Field("view.delay", "Time until the Other Frame", .time, unit: "s")
    package static let viewAcknowledged = Field("view.acknowledged", "Acknowledged", .decimal)
    package static let viewTransmissions = Field("view.transmissions", "Times Heard", .decimal)
    package static let viewCompletion = Field("view.completion", "Time until Completed", .time, unit: "s")
    package static let viewIsSecond = Field("view.second", "Second View", .decimal)
    package static let views = [
        view, heardIn, sentIn, receivedIn, viewOnly, viewDelay, viewAcknowledged, viewTransmissions, viewCompletion,
        viewIsSecond,
    ]
    package static let peer = Field("peer", "Peer", .address)
    package static let peerName = Field("peer_name", "Peer Name", .text)

    package static let diagnosis = Field("diagnosis", "Diagnosis", .group)
    package static let severity = Field("diagnosis.severity", "Severity", .text)
    package static let diagnosedLayer = Field("diagnosis.layer", "Layer", .text)
    package static let diagnosedOffset = Field("diagnosis.offset", "Offset", .decimal, unit: "bytes")
    package static let diagnosisText = Field("diagnosis.text", "Text", .text)

    package static let gatt = Field("gatt", "Generic Attribute Profile", .group)
    package static let service = Field("gatt.service", "Service", .text)
    package static let characteristic = Field("gatt.characteristic", "Characteristic", .text)
    package static let operation = Field("gatt.operation", "Operation", .text)
    package static let confidence = Field("gatt.confidence", "Confidence", .text)
    package static let longValue = Field("gatt.long_value", "Long Value", .bytes)
    package static let latency = Field(
        "gatt.latency", "Response Time", .decimal, unit: "ms", scale: 1e-6, isMeasured: true)
    package static let device = Field("device", "Device", .group)
    package static let plugin = Field("device.plugin", "Plugin", .text)
    package static let message = Field("device.message", "Message", .text)
    package static let assembled = Field("device.assembled", "Message in Several Values", .group)
    package static let assembledFrames = Field("device.assembled.frames", "Frames", .text)

    package static let data = Field("data", "Data", .group)
    package static let undecoded = Field("data.data", "Undecoded Bytes", .bytes)
    /// Undecoded bytes next to a key, or in place of one.
    package static let secretUndecoded = Field("data.data", "Undecoded Bytes", .bytes, isSecret: true)
    /// Undocumented data of a recorder; may be key material.
    package static let undocumented = Field("data.undocumented", "Undocumented Bytes", .bytes, isSecret: true)
    package static let encrypted = Field("btle.encrypted_data", "Encrypted Data", .bytes)
    package static let fragment = Field("btl2cap.fragment", "L2CAP Fragment", .bytes)
    /// A fragment of a Security Manager PDU.
    package static let secretFragment = Field("btl2cap.fragment", "L2CAP Fragment", .bytes, isSecret: true)

    package static let sdu = Field("btl2cap.sdu", "SDU", .bytes)

    package static let all =
        [
            frame, number, time, arrival, relativeTime, timeDelta, protocols, length, capturedLength, comment, h1,
            h1Direction, h4, h4Direction, usb, packetLogger, packetLoggerType, packetLoggerText, bluetooth, source,
            destination, address, sourceText, destinationText, addressText, connection, peer, peerName, diagnosis,
            severity,
            diagnosedLayer, diagnosedOffset, diagnosisText, gatt, service, characteristic, operation, confidence,
            longValue, latency,
            device, plugin, message, assembled, assembledFrames, data, undecoded, secretUndecoded, undocumented,
            encrypted, fragment, secretFragment, sdu,
        ] + ends + streams + views + MonitorFields.all

    private static let roleNames = ValueNames([0: "Unknown", 1: "Central", 2: "Peripheral"])
    /// "Rcvd" is Wireshark's name.
    private static let directionNames = ValueNames([0: "Sent", 1: "Received"], keys: [1: "Rcvd"])
}
