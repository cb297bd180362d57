import Bluetooth
import Bytes
import PluginKit
import Profile

/// Messages that are segmented over several values.
extension ProfileTwin {
    /// The messages completed by a written value.
    mutating func messages(in value: [UInt8], writtenTo name: String) -> [WrittenMessage] {
        var found: [WrittenMessage] = []
        for message in profile.profile.messages where message.characteristic == name {
            for byte in value {
                guard case .message(let content)? = streams[message.name]?.add(byte) else { continue }
                let context = DeviceValueContext(written: written, characteristics: Set(readers.keys))
                let layout = profile.messages[message.name]?.layout(of: content.span.rawBytes, in: context)
                if let request = layout?.decodeUpToUnknownCase(content) {
                    found.append(WrittenMessage(name: message.name, content: content, request: request))
                }
            }
        }
        return found
    }

    /// Whether a condition holds for a received message.
    func holds(_ condition: Expression, for message: WrittenMessage) -> Bool {
        let context = DeviceValueContext(written: written, characteristics: Set(readers.keys))
        return condition.holds(over: message.content.span.rawBytes, in: ValueScope(message.request, in: context))
    }

    /// The notifications or indications that carry a message.
    func values(of content: [UInt8], in name: String) -> [TwinAction] {
        guard let message = profile.profile.messages.first(where: { $0.name == name }),
            case .stream(let framing) = message.framing, let bytes = try? framing.encode(content)
        else { return [] }
        let size = message.part ?? Self.usualPart
        return stride(from: 0, to: bytes.count, by: size).map { start in
            let part = Array(bytes[start..<min(start + size, bytes.count)])
            return message.operation == .indicate
                ? .indicate(message.characteristic, part) : .notify(message.characteristic, part)
        }
    }

    /// Payload of a notification with the minimum ATT_MTU, in bytes.
    private static let usualPart = 20
}

/// A complete message written by a client.
struct WrittenMessage {
    let name: String
    let content: [UInt8]
    let request: Value
}
