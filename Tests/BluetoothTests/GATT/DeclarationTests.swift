import Bluetooth
import Bytes
import PDUTestKit
import Testing

@Test(arguments: ["02 0300 002a", "10 0300 020000000000002d657461766b61756f"])
func characteristicDeclarationReadsWritesAndSurvivesTruncation(bytes: String) {
    #expect(WireFormatCheck.faults(GATT.CharacteristicDeclaration.self, hex(bytes)) == [])
}

@Test(arguments: ["0100 0700 0018", "0100 0700"])
func includeDeclarationReadsWritesAndSurvivesTruncation(bytes: String) {
    #expect(WireFormatCheck.faults(GATT.IncludeDeclaration.self, hex(bytes)) == [])
}

@Test func characteristicDeclarationTellsItsParts() throws {
    let declaration = try GATT.CharacteristicDeclaration(decoding: hex("12 1200 192a"))
    #expect(declaration.properties == [.read, .notify])
    #expect(declaration.valueHandle == at(0x0012))
    #expect(declaration.type == UUID(0x2A19))
}

@Test func anIncludedServiceOfALongUUIDIsLeftOut() throws {
    #expect(try GATT.IncludeDeclaration(decoding: hex("0100 0700")).service == nil)
    #expect(try GATT.IncludeDeclaration(decoding: hex("0100 0700 0f18")).service == UUID(0x180F))
}

@Test func propertiesHaveNames() {
    #expect(GATT.Properties(rawValue: 0x1A).names == ["read", "write", "notify"])
    #expect(GATT.Properties(names: ["read", "write", "notify"]) == [.read, .write, .notify])
    #expect(GATT.Properties(names: ["reed"]) == nil)
    for bits in 0...255 as ClosedRange<UInt8> {
        let properties = GATT.Properties(rawValue: bits)
        #expect(GATT.Properties(names: properties.names) == properties)
    }
}
