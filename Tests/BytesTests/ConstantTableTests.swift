import Bytes
import Testing

struct ConstantTableTests {
    @Test func elementsAreThoseOfTheArray() {
        let table = ConstantTable(["a", "b", "c"])
        #expect(table.count == 3)
        #expect((0..<table.count).map { table[$0] } == ["a", "b", "c"])
    }

    @Test(arguments: [-1, 3])
    func anIndexOutsideEndsTheProgram(_ index: Int) async {
        await #expect(processExitsWith: .failure) { [index] in
            _ = ConstantTable([1, 2, 3])[index]
        }
    }
}
