extension UInt32 {
    /// How far this sequence number lies after another one, over the wrap; negative where it lies before.
    func distance(after other: UInt32) -> Int { Int(Int32(truncatingIfNeeded: self &- other)) }
}
