import Bytes

extension LL.Fields {
    static let control: [Field] = []
}
