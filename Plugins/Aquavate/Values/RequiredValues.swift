/// A drink of the dialect of the requirements.
typealias RequiredRecord = DeviceProfile.PrdDrinkRecord
/// Drink History: up to 20 records (HB-3).
typealias RequiredHistory = DeviceProfile.DrinkHistory
/// Bottle Config (HB-2).
typealias RequiredConfig = DeviceProfile.PrdBottleConfig
/// Device Status (HB-5).
typealias RequiredStatus = DeviceProfile.DeviceStatus

extension RequiredRecord {
    /// The type, as the amount of a drink has it (HB-9); nil for a refill.
    var typeOfAmount: Kind? {
        switch amount {
        case ..<0: nil
        case ..<50: .sip
        case ..<100: .gulp
        default: .pour
        }
    }
}
