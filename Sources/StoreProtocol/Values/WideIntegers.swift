// Integers of 128 bits are stored as their halves: no attribute type holds all of them, and
// Codable's own containers leave them to each encoder.

extension Int128: StoreScalar {}
extension UInt128: StoreScalar {}

extension StoreScalar where Self: FixedWidthInteger {
  /// The stored form of an integer of 128 bits; the upper half has its sign.
  var halves: StoreValue {
    let high = self >> 64
    return .composite([
      .init(
        "high",
        Self.isSigned
          ? Int64(truncatingIfNeeded: high).storeValue : UInt64(truncatingIfNeeded: high).storeValue
      ),
      .init("low", UInt64(truncatingIfNeeded: self).storeValue),
    ])
  }

  /// Creates an integer of 128 bits from its stored form, or returns `nil` for anything else.
  init?(halves stored: StoreValue) {
    let high = stored.member("high")
    guard let low = stored.member("low").flatMap(UInt64.init(storeValue:)),
      let upper = Self.isSigned
        ? high.flatMap(Int64.init(storeValue:)).map(Self.init(truncatingIfNeeded:))
        : high.flatMap(UInt64.init(storeValue:)).map(Self.init(truncatingIfNeeded:))
    else { return nil }
    self = upper << 64 | Self(truncatingIfNeeded: low)
  }
}
