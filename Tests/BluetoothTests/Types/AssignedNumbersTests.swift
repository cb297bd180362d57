import Bytes
import Testing

@testable import Bluetooth

@Test(arguments: [(NumberTable.companies, 4075), (.uuids16, 1435), (.appearances, 342)])
func everyLineOfATableIsFoundAndNothingElse(table: NumberTable, count: Int) {
    var lines = table.text.text(0..<table.text.byteCount).split(separator: "\n")
    #expect(lines.removeFirst().hasPrefix("# "))
    let names = lines.map { line in
        let columns = line.split(separator: "\t")
        return (number: UInt16(columns[0], radix: 16), name: String(columns[1]))
    }
    #expect(names.count >= count)
    let numbers = names.compactMap(\.number)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    #expect(names.filter { entry in entry.number.flatMap { table[$0] } != entry.name }.map(\.name) == [])
    let known = Set(numbers)
    #expect((0...UInt16.max).filter { !known.contains($0) && table[$0] != nil } == [])
}

@Test(
    arguments: [
        (0x0000, "Ericsson AB"), (0x004C, "Apple, Inc."), (0x0059, "Nordic Semiconductor ASA"),
        (0x02E5, "Espressif Systems (Shanghai) Co., Ltd."),
        (0x0006, "Microsoft"), (0x001F, "AVM Berlin"), (0x0020, "BandSpeed, Inc."),
        (0x0225, "Nestlé Nespresso S.A."), (0x025C, "NetEase（Hangzhou）Network co.Ltd."),
        (0x0019, "Rohde & Schwarz GmbH & Co. KG"), (0x1053, "Sensorworx, Inc."), (0x1054, nil), (0xFFFE, nil),
        (0xFFFF, "Bluetooth SIG, reserved for internal use and tests"),
    ] as [(UInt16, String?)])
func companiesAreNamed(identifier: UInt16, name: String?) {
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
    #expect(AssignedNumbers.name(UUID(0x0001)) == "SDP")
    #expect(AssignedNumbers.name(UUID(0x2782)) == "length (ångström)")
    #expect(
        AssignedNumbers.name(UUID(0xFE87)) == "Qingdao Yeelink Information Technology Co., Ltd. ( 青岛亿联客信息技术有限公司 )")
    #expect(AssignedNumbers.service(UUID(0x2A19)) == nil)
    #expect(AssignedNumbers.characteristic(UUID(0x180F)) == nil)
    #expect(AssignedNumbers.name(UUID(0x1_180F)) == nil)
    #expect(AssignedNumbers.name(UUID("6f75616b-7661-7465-2d00-000000000000")!) == nil)
}

@Test(
    arguments: [
        ("", 0, nil), ("# Head\n", 4, nil), ("004", 4, nil), ("zzzz\tWhat", 4, nil), ("0004", 4, ""),
        ("0004\tLast", 4, "Last"), ("# Head\n0004\tOnly\n", 4, "Only"),
    ] as [(String, UInt16, String?)])
func tornTablesAreSearchedToTheirEnd(text: String, number: UInt16, name: String?) {
    #expect(NumberTable.name(of: number, in: Array(text.utf8).span.rawBytes) == name)
}

@Test func appearancesFallBackToTheirCategory() {
    #expect(Appearance(rawValue: 0x00C1).name == "Sports Watch")
    #expect(Appearance(rawValue: 0x00FF).name == "Watch")
    #expect(Appearance(rawValue: 0xFFC1).name == nil)
}
