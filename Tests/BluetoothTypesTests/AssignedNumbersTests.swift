import Testing

@testable import BluetoothTypes

@Test(arguments: [AssignedNumbers.companies, AssignedNumbers.uuids16, AssignedNumbers.appearances])
func tableIsInOrderAndEveryNumberIsFound(table: NumberTable) {
    let numbers = table.numbers
    #expect(numbers.count > 300)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(numbers.filter { table[$0]?.isEmpty ?? true } == [])
    let known = Set(numbers)
    #expect((0...UInt16.max).filter { !known.contains($0) && table[$0] != nil } == [])
}

@Test(
    arguments: [
        (0x0000, "Ericsson AB"), (0x004C, "Apple, Inc."), (0x0059, "Nordic Semiconductor ASA"),
        (0x02E5, "Espressif Systems (Shanghai) Co., Ltd."),
        (0x0006, "Microsoft"),
    ] as [(UInt16, String)])
func companiesAreNamed(identifier: UInt16, name: String) {
    #expect(AssignedNumbers.company(identifier) == name)
}

@Test func uuidsAreNamedByWhatTheyAre() {
    #expect(AssignedNumbers.service(UUID(0x180F)) == "Battery")
    #expect(AssignedNumbers.service(UUID("0000180a-0000-1000-8000-00805f9b34fb")!) == "Device Information")
    #expect(AssignedNumbers.characteristic(UUID(0x2A19)) == "Battery Level")
    #expect(AssignedNumbers.descriptor(UUID(0x2902)) == "Client Characteristic Configuration")
    #expect(AssignedNumbers.declaration(UUID(0x2803)) == "Characteristic")
    #expect(AssignedNumbers.unit(UUID(0x272F)) == "Celsius temperature (degree Celsius)")
    #expect(AssignedNumbers.member(UUID(0xFEAA)) == "Google LLC")
    #expect(AssignedNumbers.name(UUID(0x1101)) == "Serial Port")
    #expect(AssignedNumbers.service(UUID(0x2A19)) == nil)
    #expect(AssignedNumbers.characteristic(UUID(0x180F)) == nil)
    #expect(AssignedNumbers.name(UUID(0x1_180F)) == nil)
    #expect(AssignedNumbers.name(UUID("6f75616b-7661-7465-2d00-000000000000")!) == nil)
}

@Test func emptyAndTornTablesHoldNothing() {
    #expect(NumberTable("")[0] == nil)
    #expect(NumberTable("004")[4] == nil)
    #expect(NumberTable("zzzz What")[4] == nil)
    #expect(NumberTable("0004")[4] == "")
}

@Test func appearancesFallBackToTheirCategory() {
    #expect(Appearance(rawValue: 0x00C1).name == "Sports Watch")
    #expect(Appearance(rawValue: 0x00FF).name == "Watch")
    #expect(Appearance(rawValue: 0xFFC1).name == nil)
}
