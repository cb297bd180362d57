import Radio
import Testing

@Test func aPathTakesLossesAndLatenciesOfItsRangeOnly() {
    #expect(Path(loss: 7).loss == 1)
    #expect(Path(loss: -1).loss == 0)
    #expect(Path(latency: -5).latency == 0)
}

@Test(arguments: [(1.0, 40), (5, 54), (10, 60), (100, 80), (0, 20)])
func aDistanceInFreeSpaceIsAnAttenuation(metres: Double, attenuation: Int) {
    #expect(Path.attenuation(atMetres: metres) == attenuation)
}
