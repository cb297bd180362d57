import Bluetooth
import Bytes
import Conformance
import PluginKit
import Profile
import TestKit
import Testing

/// Profile rules about advertised data.
struct AdvertisementRuleTests {
    /// A thermometer that only advertises.
    private static let profile = """
        profile: {id: beacon, title: Beacon, version: "1", format: 1}
        match:
          - {service_data: {uuid: 0xFFF0, data: 01}, weight: 60}
        types:
          climate:
            fields: [{name: kind, type: u8}, {name: count, type: u8}, {name: temperature, type: i8, unit: °C}]
          alarm: {fields: [{name: code, type: u8}]}
        advertising:
          - {service_data: 0xFFF0, value: climate}
          - {manufacturer_data: 0xFFFF, value: alarm}
        rules:
          - {id: A-LENGTH, text: three bytes, role: peripheral, severity: error, length: {on: advertise climate, is: 3}}
          - {id: A-CHECK, text: no frost, role: peripheral, severity: error,
             check: {on: advertise climate, where: kind == 1, holds: temperature > 0}}
          - {id: A-RISES, text: counts, role: peripheral, severity: error,
             increases: {on: advertise climate, field: count, by: 2}}
          - {id: A-PERIOD, text: every second, role: peripheral, severity: error,
             period: {on: advertise climate, every: 1 s, tolerance: 100 ms}}
          - {id: A-ORDER, text: climate first, role: peripheral, severity: error,
             order: {on: advertise alarm, needs: advertise climate}}
          - {id: A-NEVER, text: nothing after the last alarm, role: peripheral, severity: error,
             never: {on: advertise climate, after: advertise alarm, after_where: code == 255}}
          - {id: A-REPLY, text: an alarm after frost, role: peripheral, severity: error,
             reply: {after: advertise climate, where: temperature < 0, expect: advertise alarm, within: 2 s}}
        """

    private static let device = DeviceAddress(Address("c0:00:00:00:00:31")!, .random)

    /// The thermometer's advertisements, one each second.
    private final class Session {
        let hci = HCISession()

        init() {
            hci.recording.pace = 1_000_000_000
        }

        var frame: Int { hci.recording.packets.count }

        @discardableResult
        func climate(_ count: UInt8, _ temperature: Int8 = 20, kind: UInt8 = 1) -> Int {
            hci.report(device, [.serviceData(0xFFF0, [kind, count, UInt8(bitPattern: temperature)])], type: 3)
            return frame
        }

        @discardableResult
        func alarm(_ code: UInt8) -> Int {
            hci.report(device, [.manufacturerData(company: 0xFFFF, [code])], type: 3)
            return frame
        }

        func checked() throws -> CheckedCapture {
            let plugin = DevicePlugin(try CompiledProfile(ProfileReader.read(profile, file: "beacon.yaml")))
            return CheckedCapture(hci.recording, plugins: [plugin])
        }
    }

    @Test func whatIsAdvertisedIsJudged() throws {
        let session = Session()
        session.climate(0)
        session.climate(2)
        session.alarm(1)
        let checked = try session.checked()
        #expect(checked.report.devices.map(\.plugin) == ["beacon"])
        for rule in ["A-LENGTH", "A-CHECK", "A-RISES", "A-PERIOD", "A-ORDER"] {
            #expect(checked.verdicts(rule) == [.pass], "\(rule)")
        }
    }

    @Test func whatBreaksARuleIsFound() throws {
        let session = Session()
        session.climate(0)
        let cold = session.climate(2, -4)
        let odd = session.climate(5)
        session.alarm(255)
        let late = session.climate(7)
        let checked = try session.checked()
        #expect(checked.frames("A-CHECK") == [cold])
        #expect(checked.findings("A-CHECK").first?.observed == "temperature = -4")
        #expect(checked.frames("A-RISES") == [odd])
        #expect(checked.frames("A-NEVER") == [late])
    }

    @Test func aLengthIsThatOfTheData() throws {
        let session = Session()
        session.climate(0)
        session.hci.report(Self.device, [.serviceData(0xFFF0, [1, 2, 20, 0])], type: 3)
        #expect(try session.checked().frames("A-LENGTH") == [session.frame])
    }

    /// A receiver misses packets: data that may have been missed makes no rule fail.
    @Test func whatWasNotHeardIsInconclusive() throws {
        let session = Session()
        session.alarm(1)
        session.climate(0)
        session.hci.recording.wait(milliseconds: 3000)
        session.climate(6, -1)
        session.hci.recording.wait(milliseconds: 5000)
        session.climate(12)
        let checked = try session.checked()
        #expect(checked.broken == ["A-CHECK"])
        for rule in ["A-RISES", "A-PERIOD", "A-ORDER", "A-REPLY"] {
            #expect(checked.verdicts(rule).map(\.name) == ["inconclusive"], "\(rule)")
        }
    }

    @Test func aCounterMayStayAndBeginAnew() throws {
        let session = Session()
        for count: UInt8 in [252, 252, 254, 0, 2] { session.climate(count) }
        #expect(try session.checked().verdicts("A-RISES") == [.pass])
    }

    @Test func advertisementsThatComeTooSoonBreakAPeriod() throws {
        let session = Session()
        session.climate(0)
        session.hci.recording.pace = 500_000_000
        session.climate(2)
        session.climate(4)
        #expect(try session.checked().frames("A-PERIOD") == [session.frame])
    }

    /// The PDUs of one advertising event, on three channels, count as one event.
    @Test func theChannelsOfAnEventCountOnce() throws {
        let air = AirSession()
        air.recording.pace = 1_000_000
        for count: UInt8 in [0, 2] {
            for channel: UInt8 in 37...39 {
                air.advertise(
                    Self.device, [.serviceData(0xFFF0, [1, count, 20])], type: .advNonconnInd, channel: channel)
            }
            air.recording.wait(milliseconds: 997)
        }
        let plugin = DevicePlugin(try CompiledProfile(ProfileReader.read(Self.profile, file: "beacon.yaml")))
        let checked = CheckedCapture(air.recording, plugins: [plugin])
        #expect(checked.verdicts("A-PERIOD") == [.pass])
        #expect(checked.verdicts("A-RISES") == [.pass])
    }
}
