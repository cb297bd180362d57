import Bluetooth
import Bytes
import Testing

private let address = DeviceAddress(Address(value: 0xC0FF_EE00_1234), .random)

@Test func aTableComesBackFromItsDocument() throws {
    let device = GATT.TableFile.Device(address: address, name: "Puck", table: sampleTable())
    let tables = try GATT.TableFile(devices: [device]).tables()
    #expect(tables[address] == sampleTable())
    #expect(tables.ofOthers == nil)
}

@Test func aDocumentIsNestedAsAServerIs() throws {
    let device = GATT.TableFile.Device(address: address, table: sampleTable())
    #expect(device.services.map { $0.characteristics.count } == [1, 2])
    let battery = try #require(device.services.last?.characteristics.first)
    #expect(battery.characteristic.type == UUID(0x2A19))
    #expect(battery.descriptors == [descriptor(0x0013, 0x2902)])
    #expect(device.characteristics.isEmpty)
    #expect(device.descriptors.isEmpty)
}

/// Some devices use UUIDs of the member range for custom characteristics: 0xFFF2 is no Aliro characteristic.
@Test func membersNameServicesOnly() throws {
    var table = GATT.Table()
    _ = table.learn(service(0x0001, 0x0004, 0xFFF2))
    _ = table.learn(characteristic(0x0002, 0x0003, .notify, 0xFFF2))
    _ = table.learn(descriptor(0x0004, 0xFFF2))
    let text = GATT.TableFile(devices: [GATT.TableFile.Device(address: address, table: table)]).json.line
    #expect(text.ranges(of: "\"name\":\"Aliro\"").count == 1, "\(text)")
}

@Test func whatLiesInNoServiceIsKept() throws {
    var table = sampleTable()
    _ = table.learn(characteristic(0x0030, 0x0031, .notify, 0x2A37))
    _ = table.learn(descriptor(0x0032, 0x2902))
    _ = table.learn(service(0x0040, 0x0044, 0x180A))
    _ = table.learn(descriptor(0x0041, 0x2901))
    let device = GATT.TableFile.Device(address: address, table: table)
    #expect(device.characteristics.map(\.descriptors) == [[descriptor(0x0032, 0x2902)]])
    #expect(device.descriptors == [descriptor(0x0041, 0x2901)])
    #expect(try device.table() == table)
}

@Test func aTableWithoutAddressIsEverybodyElses() throws {
    let other = DeviceAddress(Address(value: 1), .public)
    let tables = try GATT.TableFile(devices: [
        GATT.TableFile.Device(address: address, table: GATT.Table()),
        GATT.TableFile.Device(address: nil, table: sampleTable()),
    ]).tables()
    #expect(tables[address] == GATT.Table())
    #expect(tables[other] == sampleTable())
    #expect(tables[nil] == sampleTable())
}

@Test func addressesDifferByTheirType() throws {
    let tables = try GATT.TableFile(devices: [GATT.TableFile.Device(address: address, table: sampleTable())]).tables()
    #expect(tables[DeviceAddress(address.address, .public)] == nil)
}

@Test func aDeviceMayBeThereOnce() {
    let device = GATT.TableFile.Device(address: address, table: sampleTable())
    #expect(
        throws: GATT.TableFile.Fault(
            path: "devices[1]", "c0:ff:ee:00:12:34 is there already: every device may be there once")
    ) { try GATT.TableFile(devices: [device, device]).tables() }
    let nameless = GATT.TableFile.Device(address: nil, table: sampleTable())
    #expect(
        throws: GATT.TableFile.Fault(
            path: "devices[1]", "only one device may be without \"address\", and there is one already")
    ) { try GATT.TableFile(devices: [nameless, nameless]).tables() }
}

@Test(arguments: 0..<300)
func aDocumentOfNonsenseCanBeReadAgain(seed: UInt64) throws {
    var random = Lottery(seed: seed)
    let device = GATT.TableFile.Device(address: address, table: random.table(entries: 100))
    let table = try device.table()
    #expect(GATT.TableFile.Device(address: address, table: table) == device)
}
