import Bytes
import Testing

struct PagedArrayTests {
    @Test(arguments: [0, 1, 63, 64, 65, 1000])
    func elementsAreThoseThatWereAppended(_ count: Int) {
        var array = PagedArray<Int>()
        for element in 0..<count { array.append(element) }
        #expect(Array(array) == Array(0..<count))
        #expect(array.count == count)
        for index in array.indices { array[index] *= 2 }
        #expect(array.reversed() == (0..<count).map { $0 * 2 }.reversed())
    }

    @Test func aCopyKeepsItsElements() {
        var array = PagedArray<String>()
        for element in 0..<200 { array.append("\(element)") }
        let copy = array
        array[70] += " changed"
        array.append("200")
        #expect(copy[70] == "70")
        #expect(copy.count == 200)
        #expect(array[70] == "70 changed")
        #expect(array.count == 201)
    }

    @Test func onlyPagesThatChangedTakeMemoryBesideACopy() {
        var array = PagedArray<Int>()
        for element in 0..<6400 { array.append(element) }
        let copy = array
        #expect(array.footprint(beside: copy) < 1000)
        array[70] = 0
        array[71] = 0
        #expect((512..<1500).contains(array.footprint(beside: copy)))
        #expect(array.footprint(beside: PagedArray()) > 6400 * 8)
    }
}
