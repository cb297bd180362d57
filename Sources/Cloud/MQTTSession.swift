import CMosquitto
import FoundationEssentials
import Glibc
import PluginKit
import Workbench

/// A connection to a broker, based on libmosquitto. In this module, only this file, the HTTP request and the lock use
/// unsafe memory.
@safe final class MQTTSession {
    private let client: OpaquePointer
    /// Numbers of the messages that the broker has not confirmed yet.
    private var unconfirmed: Set<Int32> = []
    /// The broker's connect return code; nil before it arrives.
    private var answer: Int32?
    private var isOpen = false
    /// Payloads of retained messages by topic, so that an unchanged one is sent only once per connection.
    private var retained: [String: String] = [:]

    /// Time without progress after which the connection is considered lost.
    private static let patience = Duration.seconds(20)
    /// Seconds of inactivity after which the library sends a ping.
    private static let keepAlive: Int32 = 30

    init(_ settings: PublishOptions.MQTT, _ secrets: Secrets) throws(DeliveryFailure) {
        if let fault = Self.libraryFault {
            throw DeliveryFailure("\(fault); install libmosquitto1 (Debian) or libmosquitto", isPermanent: true)
        }
        guard let client = unsafe mosquitto_new(nil, true, nil) else { throw DeliveryFailure("out of memory") }
        unsafe self.client = client
        unsafe mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        unsafe mosquitto_connect_callback_set(client) { _, session, code in
            unsafe MQTTSession.at(session)?.answer = code
        }
        unsafe mosquitto_publish_callback_set(client) { _, session, message in
            unsafe MQTTSession.at(session)?.unconfirmed.remove(message)
        }
        if let user = settings.user {
            let password = try Self.password(settings)
            if password != nil, settings.sendsPlainPassword, !settings.allowsPlainPassword {
                throw DeliveryFailure("a password is sent by TLS only, or to localhost", isPermanent: true)
            }
            if let password { secrets.record(password) }
            try check(unsafe mosquitto_username_pw_set(client, user, password))
        }
        if let authorities = settings.authorities {
            try check(
                unsafe mosquitto_tls_set(client, authorities, nil, settings.certificate, settings.key, nil),
                "the certificates")
        }
        try check(unsafe mosquitto_connect(client, settings.host, settings.port, Self.keepAlive))
        do {
            try wait { answer == nil ? 1 : 0 }
        } catch {
            // If the broker refuses the connection, the library fails with an error of its own, too.
            if answer == nil { throw error }
        }
        if let answer, answer != 0 {
            throw DeliveryFailure("refused: \(unsafe String(cString: mosquitto_connack_string(answer)))")
        }
        isOpen = true
    }

    deinit {
        unsafe mosquitto_disconnect(client)
        unsafe mosquitto_destroy(client)
    }

    /// Publishes messages, and returns when the broker has confirmed all of them.
    func publish(_ messages: [CloudMessage]) throws(DeliveryFailure) {
        for message in messages {
            if message.isRetained {
                if retained[message.topic] == message.payload { continue }
                retained[message.topic] = message.payload
            }
            var number: Int32 = 0
            let payload = Array(message.payload.utf8)
            let code = unsafe payload.withUnsafeBytes { bytes in
                unsafe mosquitto_publish(
                    client, &number, message.topic, Int32(bytes.count), bytes.baseAddress, 1, message.isRetained)
            }
            try check(code, message.topic)
            unconfirmed.insert(number)
        }
        try wait { unconfirmed.count }
    }

    /// Processes the broker's packets, and sends pings.
    func rest() throws(DeliveryFailure) {
        try check(unsafe mosquitto_loop(client, 0, 1))
    }

    /// Waits until `left` is 0; throws if it does not decrease for the patience time.
    private func wait(for left: () -> Int) throws(DeliveryFailure) {
        var (last, time) = (left(), ContinuousClock.now)
        while last > 0 {
            guard ContinuousClock.now - time < Self.patience else {
                throw DeliveryFailure(
                    "no answer within \(Self.patience.components.seconds) s", isConnectionLost: isOpen)
            }
            try check(unsafe mosquitto_loop(client, 100, 1))
            let now = left()
            if now < last { (last, time) = (now, .now) }
        }
    }

    private func check(_ code: Int32, _ subject: String? = nil) throws(DeliveryFailure) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        let text =
            code == MOSQ_ERR_ERRNO.rawValue
            ? unsafe String(cString: strerror(errno)) : unsafe String(cString: mosquitto_strerror(code))
        throw DeliveryFailure((subject.map { "\($0): " } ?? "") + text, isConnectionLost: isOpen)
    }

    private static func password(_ settings: PublishOptions.MQTT) throws(DeliveryFailure) -> String? {
        guard let path = settings.passwordFile else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw DeliveryFailure("\(path): the password cannot be read")
        }
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> MQTTSession? {
        unsafe pointer.map { unsafe Unmanaged<MQTTSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Why libmosquitto could not be loaded; nil if it is loaded.
    private static let libraryFault: String? = {
        if let fault = unsafe gattbench_load_mosquitto() { return unsafe String(cString: fault) }
        mosquitto_lib_init()
        return nil
    }()
}
