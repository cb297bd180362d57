import Bluetooth
import PDUTestKit
import PluginKit
import Profile
import TestKit

/// A fictitious device whose profile has a rule of every kind.
enum Kettle {
    static let profile = """
        profile: {id: kettle, title: Kettle, version: "1", format: 1, dialects: {shipped: {}, planned: {}}}
        match:
          - {service: 4B455454-4C45-0000-8000-000000000000, weight: 80, dialect: shipped}
        types:
          status:
            fields:
              - {name: number, type: u8}
              - {name: temperature, type: u8, unit: °C}
              - {name: program, type: u8, values: {0: none, 1: tea, 2: keep_warm}}
          command: {type: u8}
          answer: {fields: [{name: kind, type: u8}, {name: command, type: u8}]}
        gatt:
          - service: 4B455454-4C45-0000-8000-000000000000
            name: kettle
            characteristics:
              - {uuid: 4B455454-4C45-0000-8000-000000000001, name: status, properties: [read, notify], value: status}
              - {uuid: 4B455454-4C45-0000-8000-000000000002, name: command, properties: [write], value: command}
              - {uuid: 4B455454-4C45-0000-8000-000000000003, name: answer, properties: [indicate], value: answer}
        sequences:
          - name: programs
            type: status
            state: program
            initial: [none]
            transitions: {none: [tea], tea: [keep_warm, none], keep_warm: [none]}
        rules:
          - {id: K-LENGTH, text: three bytes, role: peripheral, severity: error, length: {on: any status, is: 3}}
          - {id: K-CHECK, text: it does not boil over, role: peripheral, severity: error, quirk: Q-7,
             check: {on: notify status, where: program == "tea", holds: temperature <= 100 && u8(0) != 255}}
          - {id: K-RISES, text: numbers rise, role: peripheral, severity: error, increases: {on: notify status, field: number}}
          - {id: K-STEPS, text: by one, role: peripheral, severity: warning, increases: {on: notify status, field: number, by: 1}}
          - {id: K-SEQUENCE, text: programs, role: peripheral, severity: error, sequence: programs}
          - {id: K-REPLY, text: answers, role: peripheral, severity: error,
             reply: {after: write command, where: u8(0) != 9, expect: indicate answer,
                     expect_where: 'u8(1) == written(command, 0)', within: 2 s}}
          - {id: K-PERIOD, text: every ten seconds, role: peripheral, severity: warning,
             period: {on: notify status, every: 10 s, tolerance: 1 s}}
          - {id: K-ORDER, text: subscribe first, role: client, severity: error,
             order: {on: write command, needs: write answer.cccd, needs_where: u16(0) == 2}}
          - {id: K-NEVER, text: nothing after stop, role: peripheral, severity: error,
             never: {on: notify status, after: write command, after_where: u8(0) == 9}}
          - {id: K-CODE, text: judged by nobody, role: traffic, severity: error, code: true}
          - {id: K-TWIN, text: judged by the twin, role: peripheral, severity: error, twin: true}
          - {id: K-PLANNED, text: of another dialect, role: peripheral, severity: error, dialect: planned,
             length: {on: any status, is: 4}}
        """

    static func characteristic(_ number: UInt8) -> UUID {
        UUID(value: 0x4B45_5454_4C45_0000_8000_000000000000 + UInt128(number))
    }

    static let layout = ServerLayout(
        .service(
            characteristic(0), .characteristic(characteristic(1), [.read, .notify], descriptors: 0x2902),
            .characteristic(characteristic(2), [.write]),
            .characteristic(characteristic(3), [.indicate], descriptors: 0x2902)))
    static let status = layout[characteristic(1)]
    static let command = layout[characteristic(2)]
    static let answer = layout[characteristic(3)]

    static func plugin(_ behaviour: (any PluginBehaviour)? = nil) throws -> DevicePlugin {
        DevicePlugin(
            try CompiledProfile(ProfileReader.read(profile, file: "kettle/profile.yaml")), behaviour: behaviour)
    }
}

/// A client's session with a kettle, one packet every 100 ms.
final class KettleVisit {
    let session = HCISession()
    let link: HCILink

    /// Number of the last recorded frame.
    var frame: Int { session.recording.packets.count }

    init(isBeginningCaptured: Bool = true, subscribes: Bool = true) {
        session.recording.pace = 100_000_000
        if isBeginningCaptured {
            link = session.connect(to: DeviceAddress(Address("c0:00:00:00:00:07")!, .random))
        } else {
            link = session.resume()
        }
        link.discover(Kettle.layout)
        if subscribes {
            link.subscribe(Kettle.layout[Kettle.characteristic(1), 0x2902])
            link.subscribe(Kettle.layout[Kettle.characteristic(3), 0x2902], indications: true)
        }
    }

    /// Notifies a status, the given seconds after the previous packet.
    @discardableResult
    func status(_ number: UInt8, _ temperature: UInt8 = 20, _ program: UInt8 = 0, after seconds: Int64 = 10) -> Int {
        session.recording.wait(milliseconds: seconds * 1000 - 100)
        link.notify(Kettle.status, [number, temperature, program])
        return frame
    }

    /// Writes a command. Returns the frame number of the request.
    @discardableResult
    func command(_ number: UInt8) -> Int {
        link.write(Kettle.command, [number])
        return frame - 1
    }

    @discardableResult
    func answer(_ number: UInt8, after seconds: Int64 = 0) -> Int {
        session.recording.wait(milliseconds: seconds * 1000)
        link.indicate(Kettle.answer, [0x80, number])
        return frame - 1
    }

    /// The results of the rules.
    func checked(behaviour: (any PluginBehaviour)? = nil) throws -> CheckedCapture {
        link.disconnect()
        return CheckedCapture(session.recording, plugins: [try Kettle.plugin(behaviour)])
    }
}
