import Bluetooth
import Testing

func at(_ handle: UInt16) -> Handle { Handle(handle) }

/// A table of two services, learned in the order of discovery: services, characteristics, descriptors.
func sampleTable() -> GATT.Table {
    var table = GATT.Table()
    _ = table.learn(service(0x0001, 0x0007, 0x1800))
    _ = table.learn(service(0x0010, 0x0016, 0x180F))
    _ = table.learn(characteristic(0x0002, 0x0003, .read, 0x2A00))
    _ = table.learn(characteristic(0x0011, 0x0012, [.read, .notify], 0x2A19))
    _ = table.learn(characteristic(0x0014, 0x0015, .read, 0x2BED))
    _ = table.learn(descriptor(0x0013, 0x2902))
    return table
}

func service(_ start: UInt16, _ end: UInt16, _ type: UInt32) -> GATT.Table.Service {
    GATT.Table.Service(start: at(start), end: at(end), type: UUID(type))
}

func characteristic(
    _ declaration: UInt16, _ value: UInt16, _ properties: GATT.Properties, _ type: UInt32
) -> GATT.Table.Characteristic {
    GATT.Table.Characteristic(declaration: at(declaration), value: at(value), properties: properties, type: UUID(type))
}

func descriptor(_ handle: UInt16, _ type: UInt32) -> GATT.Table.Descriptor {
    GATT.Table.Descriptor(handle: at(handle), type: UUID(type))
}

// MARK: - Learning

@Test func everyThingIsNewOnceAndKnownAfterwards() {
    var table = GATT.Table()
    #expect(table.isEmpty)
    #expect(table.learn(service(1, 7, 0x1800)) == .new)
    #expect(table.learn(service(1, 7, 0x1800)) == .known)
    #expect(table.learn(characteristic(2, 3, .read, 0x2A00)) == .new)
    #expect(table.learn(characteristic(2, 3, .read, 0x2A00)) == .known)
    #expect(table.learn(descriptor(4, 0x2901)) == .new)
    #expect(table.learn(descriptor(4, 0x2901)) == .known)
    #expect(!table.isEmpty)
}

@Test func otherThingsAtAHandleContradict() {
    var table = sampleTable()
    let before = table
    #expect(table.learn(service(0x0010, 0x0016, 0x1801)) == .contradiction)
    #expect(table.learn(service(0x0010, 0x0017, 0x180F)) == .contradiction)
    #expect(table.learn(service(0x0007, 0x0009, 0x180A)) == .contradiction)
    #expect(table.learn(characteristic(0x0011, 0x0012, .read, 0x2A19)) == .contradiction)
    #expect(table.learn(characteristic(0x0011, 0x0012, [.read, .notify], 0x2A1A)) == .contradiction)
    #expect(table.learn(descriptor(0x0013, 0x2901)) == .contradiction)
    #expect(table.contradicts(.service(service(0x0010, 0x0017, 0x180F))))
    #expect(table.contradicts(.characteristic(characteristic(0x0011, 0x0012, .read, 0x2A19))))
    #expect(table.contradicts(.descriptor(descriptor(0x0013, 0x2901))))
    #expect(!table.contradicts(.descriptor(descriptor(0x0013, 0x2902))))
    #expect(table == before)
}

@Test func attributesOfOtherKindsContradict() {
    var table = sampleTable()
    #expect(table.learn(descriptor(0x0012, 0x2902)) == .contradiction)
    #expect(table.learn(descriptor(0x0011, 0x2902)) == .contradiction)
    #expect(table.learn(descriptor(0x0010, 0x2902)) == .contradiction)
    #expect(table.learn(characteristic(0x0012, 0x0013, .read, 0x2A00)) == .contradiction)
}

@Test func typesThatFindInformationTellsOfDeclarationsAndValuesAreKnown() {
    var table = sampleTable()
    let before = table
    #expect(table.learn(descriptor(0x0010, 0x2800)) == .known)
    #expect(table.learn(descriptor(0x0011, 0x2803)) == .known)
    #expect(table.learn(descriptor(0x0012, 0x2A19)) == .known)
    #expect(table.learn(descriptor(0x0016, 0x2802)) == .known)
    #expect(table == before)
}

@Test func thingsLearnedInAnyOrderAreInTheOrderOfTheirHandles() {
    var table = GATT.Table()
    for start in [0x30, 0x10, 0x20] as [UInt16] { _ = table.learn(service(start, start + 15, 0x1800)) }
    for handle in [0x25, 0x15, 0x35] as [UInt16] { _ = table.learn(descriptor(handle, 0x2902)) }
    #expect(table.services.map(\.start) == [at(0x10), at(0x20), at(0x30)])
    #expect(table.descriptors.map(\.handle) == [at(0x15), at(0x25), at(0x35)])
}

@Test func tablesOfEqualContentAreEqual() {
    #expect(sampleTable() == sampleTable())
    #expect(Set([sampleTable(), sampleTable()]).count == 1)
}

/// A table's hash is a sum over its entries, which every mutation must maintain.
@Test(arguments: 0..<50)
func tablesOfEqualContentHaveTheSameHashWhateverTheirHistory(seed: UInt64) {
    var random = Lottery(seed: seed)
    let table = random.table(entries: 200)
    var copy = table
    copy.forget(at(0x0000)...at(0xFFFF))
    #expect(copy == GATT.Table())
    for service in table.services { #expect(copy.learn(.service(service)) == .new) }
    for characteristic in table.characteristics where copy.learn(.characteristic(characteristic)) != .new { return }
    for descriptor in table.descriptors + table.unreadDeclarations
    where copy.learn(.descriptor(descriptor)) != .new { return }
    #expect(copy == table)
    #expect(copy.hashValue == table.hashValue)
}

// MARK: - Declarations that were not read

/// Find Information listed a declaration, the value behind it and a descriptor; only the preceding characteristic was
/// read.
@Test func theHandleAfterADeclarationIsItsValue() throws {
    var table = GATT.Table()
    _ = table.learn(characteristic(0x0002, 0x0003, .read, 0x2A00))
    for (handle, type) in [(4, 0x2803), (5, 0xFFF3), (6, 0x2902)] as [(UInt16, UInt32)] {
        #expect(table.learn(descriptor(handle, type)) != .contradiction)
    }
    let value = try #require(table.attribute(at: at(5)))
    #expect(value.kind == .undeclaredValue)
    #expect(value.type == UUID(0xFFF3))
    #expect(value.characteristic == nil)
    // They do not belong to the Device Name.
    #expect(table.attribute(at: at(4))?.characteristic == nil)
    #expect(table.attribute(at: at(6))?.kind == .descriptor)
    #expect(table.attribute(at: at(6))?.characteristic == nil)

    #expect(table.learn(characteristic(4, 5, .notify, 0xFFF3)) == .new)
    #expect(table.attribute(at: at(5))?.kind == .value(characteristic(4, 5, .notify, 0xFFF3)))
    #expect(table.attribute(at: at(6))?.characteristic?.type == UUID(0xFFF3))
}

/// A treadmill's server has a second attribute of the value's type behind the value.
@Test func aSecondAttributeOfTheValuesTypeDescribesNothing() throws {
    var table = GATT.Table()
    _ = table.learn(characteristic(0x0010, 0x0011, [.write, .notify], 0xFFF3))
    _ = table.learn(descriptor(0x0012, 0xFFF3))
    _ = table.learn(descriptor(0x0013, 0x2901))
    #expect(try #require(table.attribute(at: at(0x0012))).owner == nil)
    #expect(try #require(table.attribute(at: at(0x0013))).owner == UUID(0xFFF3))
}

// MARK: - Forgetting

@Test func forgettingARangeLeavesTheRest() {
    var table = sampleTable()
    table.forget(at(0x0010)...at(0xFFFF))
    #expect(table.services.map(\.type) == [UUID(0x1800)])
    #expect(table.characteristics.map(\.type) == [.deviceName])
    #expect(table.descriptors.isEmpty)
    #expect(table.attribute(at: at(0x0012)) == nil)
}

@Test func aCharacteristicIsForgottenWithItsValue() {
    var table = sampleTable()
    table.forget(at(0x0012)...at(0x0012))
    #expect(table.characteristics.map(\.declaration) == [at(0x0002), at(0x0014)])
    #expect(table.services.count == 2)
}

@Test func everythingCanBeForgotten() {
    var table = sampleTable()
    table.forget(at(0x0000)...at(0xFFFF))
    #expect(table.isEmpty)
    #expect(table.learn(service(0x0010, 0x0016, 0x1801)) == .new)
}

// MARK: - Looking up

@Test func aServiceDeclarationIsFound() throws {
    let found = try #require(sampleTable().attribute(at: at(0x0010)))
    #expect(found.kind == .service)
    #expect(found.type == .primaryService)
    #expect(found.service?.type == UUID(0x180F))
    #expect(found.characteristic == nil)
}

@Test func aCharacteristicIsFoundByDeclarationAndByValue() throws {
    let table = sampleTable()
    let battery = characteristic(0x0011, 0x0012, [.read, .notify], 0x2A19)
    let declaration = try #require(table.attribute(at: at(0x0011)))
    #expect(declaration.kind == .characteristic(battery))
    #expect(declaration.type == .characteristic)
    let value = try #require(table.attribute(at: at(0x0012)))
    #expect(value.kind == .value(battery))
    #expect(value.type == UUID(0x2A19))
    #expect(value.service?.type == UUID(0x180F))
}

@Test func aDescriptorIsFoundWithItsCharacteristic() throws {
    let found = try #require(sampleTable().attribute(at: at(0x0013)))
    #expect(found.kind == .descriptor)
    #expect(found.type == .clientCharacteristicConfiguration)
    #expect(found.characteristic?.type == UUID(0x2A19))
}

@Test func anAttributeThatNobodyDescribedIsKnownByItsService() throws {
    let found = try #require(sampleTable().attribute(at: at(0x0016)))
    #expect(found.kind == .unknown)
    #expect(found.type == nil)
    #expect(found.service?.type == UUID(0x180F))
}

@Test func handlesOutsideOfEveryServiceAreUnknown() {
    let table = sampleTable()
    for handle in [0x0000, 0x0008, 0x000F, 0x0017, 0xFFFF] as [UInt16] {
        #expect(table.attribute(at: at(handle)) == nil)
        #expect(table.service(at: at(handle)) == nil)
    }
}

@Test func aDescriptorDoesNotBelongToACharacteristicOfAnotherService() throws {
    var table = sampleTable()
    _ = table.learn(service(0x0020, 0x0024, 0x180A))
    _ = table.learn(descriptor(0x0021, 0x2901))
    let found = try #require(table.attribute(at: at(0x0021)))
    #expect(found.kind == .descriptor)
    #expect(found.characteristic == nil)
}

@Test func aDescriptorAfterAServicesEndIsNotOfItsLastCharacteristic() throws {
    var table = sampleTable()
    _ = table.learn(descriptor(0x0017, 0x2901))
    let found = try #require(table.attribute(at: at(0x0017)))
    #expect(found.kind == .descriptor)
    #expect(found.service == nil)
    #expect(found.characteristic == nil)
}

@Test func characteristicsAreFoundWithoutTheirService() throws {
    var table = GATT.Table()
    _ = table.learn(characteristic(0x0011, 0x0012, .notify, 0x2A19))
    _ = table.learn(descriptor(0x0013, 0x2902))
    #expect(table.attribute(at: at(0x0012))?.type == UUID(0x2A19))
    #expect(table.attribute(at: at(0x0013))?.characteristic?.type == UUID(0x2A19))
    #expect(table.attribute(at: at(0x0013))?.service == nil)
    #expect(table.attribute(at: at(0x0014)) == nil)
}

// MARK: - Nonsense

@Test(arguments: 0..<50)
func nonsenseNeverTrapsAndIsFoundAgain(seed: UInt64) {
    var random = Lottery(seed: seed)
    let table = random.table(entries: 200)
    #expect(table.services.map(\.start) == table.services.map(\.start).sorted())
    #expect(table.characteristics.map(\.declaration) == table.characteristics.map(\.declaration).sorted())
    #expect(table.descriptors.map(\.handle) == table.descriptors.map(\.handle).sorted())
    for handle in (0x0000...0x0045 as ClosedRange<UInt16>) + [0xFFFE, 0xFFFF] {
        guard let found = table.attribute(at: at(handle)) else { continue }
        #expect(found.handle == at(handle))
    }
}

/// A deterministic generator of pseudo-random numbers and tables.
struct Lottery {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func draw(below bound: UInt16) -> UInt16 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt16(truncatingIfNeeded: state >> 33) % bound
    }

    /// A table of arbitrary entries: overlapping services, values before declarations, handles used twice.
    mutating func table(entries: Int) -> GATT.Table {
        var table = GATT.Table()
        for _ in 0..<entries {
            switch draw(below: 4) {
            case 0:
                let start = draw(below: 0x40)
                _ = table.learn(service(start, start + draw(below: 0x20), 0x1800 + UInt32(draw(below: 4))))
            case 1:
                let properties = GATT.Properties(rawValue: UInt8(draw(below: 256)))
                let type = 0x2A00 + UInt32(draw(below: 4))
                _ = table.learn(characteristic(draw(below: 0x40), draw(below: 0x40), properties, type))
            case 2:
                _ = table.learn(descriptor(draw(below: 0x40), [0x2800, 0x2803, 0x2902, 0x2A00][Int(draw(below: 4))]))
            default:
                guard draw(below: 8) == 0 else { continue }
                let start = draw(below: 0x40)
                table.forget(at(start)...at(start + draw(below: 8)))
            }
        }
        return table
    }
}

/// Find Information lists the type of a characteristic declaration, but not its value.
@Test func declarationsThatWereNotReadCount() {
    var table = GATT.Table()
    _ = table.learn(descriptor(0x0011, 0x2803))
    #expect(table.count == 1)
    _ = table.learn(characteristic(0x0011, 0x0012, .read, 0x2A19))
    #expect(table.count == 1)
}

@Test func aTableTakesInOnlySoMuch() {
    var table = GATT.Table()
    for handle in 1...3000 as ClosedRange<UInt16> { _ = table.learn(descriptor(handle, 0x2902)) }
    #expect(table.count == GATT.Table.capacity)
    #expect(table.learn(descriptor(1, 0x2903)) == .contradiction)
}

@Test func theConfigurationOfACharacteristicIsToldOrConcluded() {
    var table = sampleTable()
    let level = characteristic(0x0011, 0x0012, [.read, .notify], 0x2A19)
    #expect(table.configuration(of: level) == at(0x0013))
    #expect(table.configuration(of: characteristic(0x0014, 0x0015, .read, 0x2BED)) == nil)
    // The CCCD of another characteristic does not count.
    table.forget(at(0x0013)...at(0x0013))
    _ = table.learn(descriptor(0x0016, 0x2902))
    #expect(table.configuration(of: level) == at(0x0013), "it notifies, and has one handle beside its value")
    #expect(table.configuration(of: characteristic(0x0014, 0x0015, .read, 0x2BED)) == at(0x0016))
    // A descriptor that the server lists takes precedence over an inferred one.
    _ = table.learn(service(0x0020, 0x0024, 0x1801))
    let changed = characteristic(0x0021, 0x0022, .indicate, 0x2A05)
    _ = table.learn(changed)
    #expect(table.configuration(of: changed) == nil, "there is room for two descriptors")
    _ = table.learn(descriptor(0x0024, 0x2902))
    #expect(table.configuration(of: changed) == at(0x0024))
}

@Test func theOnlyDescriptorOfWhatNotifiesIsItsConfiguration() {
    var table = GATT.Table()
    _ = table.learn(service(0x0010, 0x0020, 0x180F))
    _ = table.learn(characteristic(0x0011, 0x0012, [.read, .notify], 0x2A19))
    // Until the next declaration is known, there may be more descriptors.
    #expect(table.attribute(at: at(0x0013))?.kind == .unknown)
    _ = table.learn(characteristic(0x0014, 0x0015, .read, 0x2BED))
    #expect(table.attribute(at: at(0x0013))?.kind == .descriptor)
    #expect(table.attribute(at: at(0x0013))?.type == .clientCharacteristicConfiguration)
    #expect(table.attribute(at: at(0x0016))?.kind == .unknown, "it does not notify")
    // The server's own listing takes precedence.
    #expect(table.learn(descriptor(0x0013, 0x2901)) == .new)
    #expect(table.attribute(at: at(0x0013))?.type == UUID(0x2901))
    // At the end of the service, and with room for two descriptors.
    _ = table.learn(characteristic(0x001E, 0x001F, .indicate, 0x2A05))
    #expect(table.attribute(at: at(0x0020))?.type == .clientCharacteristicConfiguration)
    _ = table.learn(service(0x0030, 0x0034, 0x1801))
    _ = table.learn(characteristic(0x0031, 0x0032, .notify, 0x2A05))
    #expect(table.attribute(at: at(0x0033))?.kind == .unknown)
}
