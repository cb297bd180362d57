import Bluetooth
import Conversation
import TestKit
import Testing
import Workbench

/// A battery service with its level at 0x0012.
private func batteryTable() -> GATT.Table {
    var table = GATT.Table()
    _ = table.learn(GATT.Table.Service(start: Handle(0x0010), end: Handle(0x0014), type: UUID(0x180F)))
    _ = table.learn(
        GATT.Table.Characteristic(
            declaration: Handle(0x0011), value: Handle(0x0012), properties: [.read, .notify], type: UUID(0x2A19)))
    _ = table.learn(GATT.Table.Descriptor(handle: Handle(0x0013), type: UUID(0x2902)))
    return table
}

private let puck = DeviceAddress(Address(value: 0xC0FF_EE00_1234), .random)
/// LE Connection Complete with the puck, handle 0x0040.
private let connected = "04 3e 13 01 00 4000 00 01 3412 00ee ffc0 1800 0000 4800 00"
/// Notification of 85 % at 0x0012.
private let notification = "02 4020 0800 0400 0400 1b 1200 55"

private func fields(of capture: Capture, _ tables: GATT.KnownTables) async throws -> [String] {
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.format = .fields
    options.fields = ["gatt.characteristic", "gatt.confidence", "standard.battery_level.level"]
    options.tables = tables
    return try await capture.decode(options)
}

@Test func anImportedTableNamesADevicesAttributes() async throws {
    let capture = try Capture([(.received, connected), (.received, notification)])
    var tables = GATT.KnownTables()
    #expect(try await fields(of: capture, tables).last != "Battery Level\timported\t85")
    tables.byAddress[puck] = batteryTable()
    #expect(try await fields(of: capture, tables).last == "Battery Level\timported\t85")
    tables.byAddress = [DeviceAddress(puck.address, .public): batteryTable()]
    #expect(try await fields(of: capture, tables).last != "Battery Level\timported\t85")
}

@Test func aTableWithoutAddressNamesWhatStartedInMidConnection() async throws {
    let capture = try Capture([(.received, notification)])
    var tables = GATT.KnownTables()
    tables.ofOthers = batteryTable()
    #expect(try await fields(of: capture, tables) == ["Battery Level\timported\t85"])
}

@Test func anImportedTableStaysImportedWhenTheDeviceConnectsAgain() async throws {
    let capture = try Capture([
        (.received, connected), (.received, notification), (.received, "04 05 04 00 4000 13"),
        (.received, connected), (.received, notification),
    ])
    var tables = GATT.KnownTables()
    tables.byAddress[puck] = batteryTable()
    #expect(try await fields(of: capture, tables).filter { $0.hasPrefix("B") }.count == 2)
    #expect(try await fields(of: capture, tables).last == "Battery Level\timported\t85")
}

@Test func aLineSaysWhatAValueIs() async throws {
    let capture = try Capture([
        (.received, connected), (.sent, "02 4000 0900 0500 0400 12 1300 0100"), (.received, notification),
    ])
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.tables.byAddress[puck] = batteryTable()
    let lines = try await capture.decode(options)
    #expect(lines[1].hasSuffix("Battery Level / Client Characteristic Configuration [imported]: 0x0001 (Notification)"))
    #expect(lines[2].hasSuffix("Handle Value Notification  Battery Level [imported]: 85 %"))
}

@Test func descriptorsAreReadWhenOnlyTheirFieldsAreAskedFor() async throws {
    let capture = try Capture([
        (.received, connected), (.sent, "02 4000 0900 0500 0400 12 1300 0100"), (.received, notification),
    ])
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.format = .fields
    options.fields = ["btatt.characteristic_configuration_client.notification"]
    options.filter = "btatt.characteristic_configuration_client"
    options.tables.byAddress[puck] = batteryTable()
    #expect(try await capture.decode(options) == ["1"])
}

@Test func whatACaptureTaughtIsExported() throws {
    let capture = try Capture([
        (.received, connected),
        (.sent, "02 4000 0b00 0700 0400 10 0100 ffff 0028"), (.received, "02 4020 0c00 0800 0400 11 06 1000 1400 0f18"),
        (.sent, "02 4000 0b00 0700 0400 08 1000 1400 0328"),
        (.received, "02 4020 0d00 0900 0400 09 07 1100 12 1200 192a"),
        (.sent, "02 4000 0900 0500 0400 04 1300 1400"), (.received, "02 4020 0a00 0600 0400 05 01 1300 0229"),
    ])
    var leftOut = 0
    let file = GATT.TableFile(try capture.tracker(), leftOut: &leftOut)
    #expect(leftOut == 0)
    #expect(file.devices.map(\.address) == [puck])
    #expect(try file.tables().byAddress == [puck: batteryTable()])
    #expect(GATT.TableFile(try capture.tracker(), limit: batteryTable().count - 1, leftOut: &leftOut).devices.isEmpty)
    #expect(leftOut == 1)
}
