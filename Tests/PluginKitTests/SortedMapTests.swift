import Bytes
import PluginKit
import Testing

/// Sorted maps and sets have the content of dictionaries and sets, in the order of the keys.
struct SortedMapTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func aMapHoldsWhatADictionaryHolds(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var map = SortedMap<Int, [Int]>()
        var model: [Int: [Int]] = [:]
        for step in 0..<400 {
            let key = Int.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: (map[key], model[key]) = ([step], [step])
            case 1: (map[key], model[key]) = (nil, nil)
            case 2:
                map[key]?.append(step)
                model[key]?.append(step)
            case 3:
                map[key, default: [0]].append(step)
                model[key, default: [0]].append(step)
            case 4:
                map.update(key) { $0.append(step) }
                model[key]?.append(step)
            case 5:
                let removed = (map.removeValue(forKey: key), model.removeValue(forKey: key))
                #expect(removed.0 == removed.1)
            default: #expect(map[key, default: [-1]] == model[key, default: [-1]])
            }
            #expect(map[key] == model[key])
            #expect(map.contains(key) == (model[key] != nil))
            #expect(map.contains { $0 > key && $1.count > 2 } == model.contains { $0.key > key && $0.value.count > 2 })
            #expect((map.count, map.isEmpty, map.firstKey) == (model.count, model.isEmpty, model.keys.min()))
        }
        #expect(map.all.map(\.key) == model.keys.sorted())
        #expect(map.all.map(\.value) == model.sorted { $0.key < $1.key }.map(\.value))
        #expect(Array(map.values) == map.all.map(\.value))
    }

    @Test func aSetHoldsItsMembersInOrder() {
        var set = SortedSet<Int>()
        for member in [3, 1, 2, 3, 1] { set.insert(member) }
        #expect(set.all == [1, 2, 3])
        let removed = [set.remove(2), set.remove(2)]
        #expect(removed == [true, false])
        #expect(set.contains(3) && !set.contains(2) && set.count == 2)
    }
}
