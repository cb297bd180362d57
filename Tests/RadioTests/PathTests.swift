import Radio
import Testing

@Test func aPathTakesLossesAndLatenciesOfItsRangeOnly() {
    #expect(Path(loss: 7).loss == 1)
    #expect(Path(loss: -1).loss == 0)
    #expect(Path(latency: -5).latency == 0)
}
