import Bluetooth
import Captures
import PDUTestKit
import TestKit

/// Devices with only the services that the Bluetooth SIG and chip vendors specify.
extension CaptureCase {
    static let standard: [CaptureCase] = [
        CaptureCase(
            name: "weather-station",
            title: "A weather station with the services that everybody has",
            shows: """
                A station of the standard services: Device Information, Environmental Sensing with the descriptors that say
                how a value is measured and when it is told, the Nordic UART Service and MCUmgr. A dew point is read, CO₂ is
                above what the sensor can tell, the humidity is unknown. A management answer comes in two notifications.
                """,
            source: "GATT Specification Supplement; Environmental Sensing Service, 3.1", file: "capture.btsnoop",
            make: weatherStation)
    ]

    @Sendable
    private static func weatherStation() throws -> [UInt8] {
        let session = HCISession()
        let station = session.connect(to: WeatherStation.device)
        let handles = WeatherStation.layout
        station.exchangeMTU(client: 185, server: 65)
        station.discover(handles)
        station.read(handles[0x2A29], Array("Open Weather\0".utf8))
        station.read(handles[0x2A50], hex("01 59 00 34 12 31 02"))
        station.read(handles[0x2A6E, 0x290C], hex("00 00 02 2C 01 00 3C 00 00 13 05"))
        station.write(handles[0x2A6E, 0x290D], hex("06 C4 09"))
        station.subscribe(handles[0x2A6E, 0x2902])
        station.notify(handles[0x2A6E], hex("1A FB"))
        station.read(handles[0x2A6F], hex("FF FF"))
        station.read(handles[0x2A6D], hex("20 78 0F 00"))
        station.read(handles[0x2A7B], hex("FB"))
        station.read(handles[0x2A72], hex("4B 05"))
        station.read(handles[0x2B8C], hex("FE FF"))
        station.read(handles[0x2BD6], hex("0C 80"))
        station.subscribe(handles[WeatherStation.transmit, 0x2902])
        station.writeCommand(handles[WeatherStation.receive], Array("version\r\n".utf8))
        station.notify(handles[WeatherStation.transmit], Array("1.4.2\r\n".utf8))
        station.subscribe(handles[WeatherStation.management, 0x2902])
        station.writeCommand(handles[WeatherStation.management], hex("00 00 00 01 00 01 42 00 A0"))
        station.notify(
            handles[WeatherStation.management],
            hex("01 00 00 12 00 01 42 00 BF 66 69 6D 61 67 65 73"))
        station.notify(handles[WeatherStation.management], hex("9F BF 64 73 6C 6F 74 00 FF FF FF"))
        station.disconnect()
        return try session.recording.btsnoop()
    }
}

/// A weather station and its attribute handles.
private enum WeatherStation {
    static let device = Cast.device(0xC0_FFEE_000003, .random)
    static let receive = UUID(value: 0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E)
    static let transmit = UUID(value: 0x6E40_0003_B5A3_F393_E0A9_E50E_24DC_CA9E)
    static let management = UUID(value: 0xDA2E_7828_FBCE_4E01_AE9E_2611_7499_7C48)

    static let layout = ServerLayout(
        .service(0x180A, .characteristic(0x2A29, [.read]), .characteristic(0x2A50, [.read])),
        .service(
            0x181A,
            .characteristic(0x2A6E, [.read, .notify], descriptors: 0x2902, 0x290C, 0x290D),
            .characteristic(0x2A6F, [.read]), .characteristic(0x2A6D, [.read]), .characteristic(0x2A7B, [.read]),
            .characteristic(0x2A72, [.read]), .characteristic(0x2B8C, [.read]), .characteristic(0x2BD6, [.read])),
        .service(
            UUID(value: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E),
            .characteristic(receive, [.write, .writeWithoutResponse]),
            .characteristic(transmit, [.notify], descriptors: 0x2902)),
        .service(
            UUID(value: 0x8D53_DC1D_1DB7_4CD3_868B_8AA4_60AA_7384),
            .characteristic(management, [.writeWithoutResponse, .notify], descriptors: 0x2902)))
}
