// Integers of 128 bits are stored as their halves: no attribute type holds all of them, and
// Codable's own containers leave them to each encoder.

extension Int128: StoreScalar {
  public static var attributeType: AttributeType { .codable }
  public static var placeholder: Int128 { 0 }
  public var storeValue: StoreValue {
    .composite([
      .init("high", .integer(Int64(truncatingIfNeeded: self >> 64))),
      .init("low", UInt64(truncatingIfNeeded: self).storeValue),
    ])
  }
  public init?(storeValue: StoreValue) {
    if let whole = Int64(storeValue: storeValue) {
      self = Int128(whole)
      return
    }
    guard let high = storeValue.member("high").flatMap(Int64.init(storeValue:)),
      let low = storeValue.member("low").flatMap(UInt64.init(storeValue:))
    else { return nil }
    self = Int128(high) << 64 | Int128(low)
  }
}

extension UInt128: StoreScalar {
  public static var attributeType: AttributeType { .codable }
  public static var placeholder: UInt128 { 0 }
  public var storeValue: StoreValue {
    .composite([
      .init("high", UInt64(truncatingIfNeeded: self >> 64).storeValue),
      .init("low", UInt64(truncatingIfNeeded: self).storeValue),
    ])
  }
  public init?(storeValue: StoreValue) {
    if let whole = UInt64(storeValue: storeValue) {
      self = UInt128(whole)
      return
    }
    guard let high = storeValue.member("high").flatMap(UInt64.init(storeValue:)),
      let low = storeValue.member("low").flatMap(UInt64.init(storeValue:))
    else { return nil }
    self = UInt128(high) << 64 | UInt128(low)
  }
}
