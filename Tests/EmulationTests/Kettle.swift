import Bytes
import Emulation
import PluginKit
import Profile

/// A device that consists of its profile, with every feature of the section `emulate`.
enum Kettle {
    static let profile: CompiledProfile = {
        do {
            return try CompiledProfile(ProfileReader.read(text, file: "kettle.yaml"))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static func twin(seed: UInt64 = 1) -> ProfileTwin { ProfileTwin(profile, TwinSettings(seed: seed)) }

    private static let text = """
        profile: {id: kettle, title: Kettle, version: "1", format: 1, mtu: 100}
        match:
          - {service: 4B455454-4C45-0000-8000-000000000000, weight: 80}
          - {name: '^Kettle-', weight: 60}
        types:
          status:
            fields:
              - {name: temperature, type: i16, unit: °C, scale: {d: -1}}
              - {name: level, type: u8, unit: '%'}
          command:
            switch: {name: opcode, type: u8}
            cases:
              - {value: 1, name: stop}
              - {value: 2, name: heat, fields: [{name: target, type: u8}]}
            otherwise: {name: unknown, fields: [{name: parameters, type: bytes}]}
          label: {type: string}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000000000
            name: kettle
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000000001, name: status, properties: [read, notify], value: status}
              - {uuid: 4B455454-4C45-0000-8000-000000000002, name: command, properties: [write], value: command}
              - {uuid: 4B455454-4C45-0000-8000-000000000003, name: owner, properties: [read, write], value: label,
                 length: [1, 8], descriptors: [{uuid: 0x2901, value: label}]}
              - {uuid: 4B455454-4C45-0000-8000-000000000004, name: alarm, properties: [indicate], value: status}
              - {uuid: 4B455454-4C45-0000-8000-000000000005, name: secret, properties: [read], value: label}
              - {uuid: 4B455454-4C45-0000-8000-000000000006, name: prototype, properties: [read], value: label,
                 optional: true}
        emulate:
          name: Kettle-A3F2
          interval: 500 ms
          values:
            - {characteristic: status, value: {temperature: 21.5, level: 60}}
            - {characteristic: owner, value: Joe}
          reactions:
            - on: write command
              where: opcode == 2
              do:
                - {delay: 500 ms}
                - {set: status, value: {temperature: 99.5, level: 60}}
                - {notify: status}
                - {notify: alarm, value: {temperature: 100, level: 60}}
            - {on: write command, where: opcode > 2, do: [{error: 0x80}]}
            - {on: read secret, do: [{error: 0x81}]}
            - {on: write status.cccd, do: [{notify: status}]}
            - every: 30 s
              do: [{notify: status, generator: {field: temperature, ramp: {from: 20, to: 21, step: 0.5}}}]
        """
}

/// A client that performs a list of actions once connected, and reports the outcomes.
struct ScriptedClient: DeviceClient {
    var actions: [ClientAction]

    var deadline: Timestamp? { nil }

    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task: return [.connect]
        case .connected(let capacity): return [.event(TwinNote("capacity", ["bytes": .number(capacity)]))] + actions
        case .written(let name, let fault):
            let text = fault.map { "\($0)" } ?? "fine"
            return [.event(TwinNote("written", ["name": .text(name), "outcome": .text(text)]))]
        case .read(let name, .failure(let fault)):
            return [.event(TwinNote("refused", ["name": .text(name), "fault": .text("\(fault)")]))]
        case .read, .disconnected, .notified, .committed, .time: return []
        }
    }
}
