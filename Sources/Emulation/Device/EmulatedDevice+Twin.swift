import Bluetooth
import Bytes
import Host
import PluginKit

/// Performs the twin's actions.
extension EmulatedDevice {
    mutating func perform(_ action: TwinAction, at now: Timestamp) {
        switch action {
        case .set(let name, let value):
            guard let handle = handle(of: name) else { return }
            guard value.count <= ATT.maximumValueLength else {
                return emit(
                    .note(TwinNote("value_too_long", ["name": .text(name), "length": .number(value.count)])))
            }
            run(.request(.setValue(handle, value)), at: now)
        case .notify(let name, let value, let client): emit(value, of: name, as: .notification, to: client, at: now)
        case .indicate(let name, let value, let client): emit(value, of: name, as: .indication, to: client, at: now)
        case .answer(let ticket, let answer):
            if let name = openReads.removeValue(forKey: ticket), case .value(let value) = answer {
                emit(.value(.read, name, value))
            }
            run(.request(.answer(ticket.number, AttributeServer.Answer(answer))), at: now)
        case .advertise(let wanted):
            advertising = wanted
            advertise(at: now)
        case .stopAdvertising:
            advertising = nil
            if isUp { run(.request(.stopAdvertising), at: now) }
        case .disconnect(let client):
            run(.request(.disconnect(ConnectionHandle(client), .remoteUserTerminatedConnection)), at: now)
        case .secure(let client): run(.request(.secure(ConnectionHandle(client))), at: now)
        case .fallSilent:
            advertising = nil
            reset(at: now)
        case .store: if let storage = twin.storage { emit(.stored(storage)) }
        case .event(let note): emit(.note(note))
        }
    }

    /// Sends a value to the clients that subscribed to it.
    private mutating func emit(
        _ value: [UInt8], of name: String, as kind: AttributeServer.ValueUpdate, to client: TwinClient?,
        at now: Timestamp
    ) {
        guard let handle = handle(of: name) else { return }
        let wanted: AttributeServer.Subscription = kind == .notification ? .notifications : .indications
        let takers = clients.filter {
            (client == nil || TwinClient($0) == client)
                && !host.server.subscription(of: $0, to: handle).isDisjoint(with: wanted)
        }
        if takers.isEmpty { return }
        let (values, note) = faults.pass(value, of: name)
        if let note { emit(.note(note)) }
        for value in values {
            emit(.value(kind == .notification ? .notify : .indicate, name, value))
            for taker in takers.sorted(by: { $0.rawValue < $1.rawValue }) {
                run(.request(.notify(handle, value, as: kind, to: taker)), at: now)
            }
        }
    }

    /// Advertises what the twin requested if the controller is up; otherwise, `started` does it later.
    mutating func advertise(at now: Timestamp) {
        guard let advertising, isUp else { return }
        if twin.deviceName == nil, let name = advertising.name, let handle = plan.deviceName {
            run(.request(.setValue(handle, Array(name.utf8))), at: now)
        }
        run(.request(.advertise(Host.AdvertisingSettings(advertising))), at: now)
    }

    /// Drops all links as if the clients had gone out of range. A device that advertised before continues.
    mutating func dropLink(at now: Timestamp) {
        guard !clients.isEmpty else { return }
        reset(at: now)
    }

    /// Resets the controller, which then sends nothing more on the air.
    private mutating func reset(at now: Timestamp) {
        isUp = false
        faults.reset()
        run(.request(.start), at: now)
    }

    /// The handle of a characteristic. Reports a note and returns nil if the profile has none with this name.
    private mutating func handle(of name: String) -> Handle? {
        if let handle = plan.handles[name] { return handle }
        emit(.note(TwinNote("unknown_characteristic", ["name": .text(name)])))
        return nil
    }
}

extension TwinClient {
    init(_ connection: ConnectionHandle) {
        self.init(connection.rawValue)
    }
}

extension ConnectionHandle {
    init(_ client: TwinClient) {
        self.init(client.number)
    }
}

extension TwinAdvertising {
    /// The Complete Local Name in the data; nil if there is none.
    var name: String? {
        [data, scanResponse].lazy.compactMap { GAP.AdvertisingData(decoding: $0)[.completeLocalName] }.first
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension AttributeServer.Answer {
    fileprivate init(_ answer: TwinAnswer) {
        switch answer {
        case .value(let value): self = .value(value)
        case .accepted: self = .accepted
        case .refused(let code): self = .refused(ATT.ErrorCode(rawValue: code))
        }
    }
}

extension Host.AdvertisingSettings {
    fileprivate init(_ advertising: TwinAdvertising) {
        // In 0.625 ms (Vol 4, Part E, 7.8.5).
        let units = UInt16(min(max(0x20, (advertising.interval / .microseconds(625)).rounded()), 0x4000))
        self.init(data: advertising.data, scanResponse: advertising.scanResponse, interval: units...units)
        resumes = false
        if !advertising.isConnectable { kind = advertising.scanResponse.isEmpty ? .nonconnectable : .scannable }
    }
}
