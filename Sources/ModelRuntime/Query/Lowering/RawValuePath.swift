import StoreProtocol

/// Determines whether a key path is the raw value of its root, which is the stored form of
/// enumerations.
enum RawValuePath {
  /// Applies the key path to some values, because the key paths of `rawValue` are all different.
  static func isOne<R: RawRepresentable>(_ keyPath: AnyKeyPath, of type: R.Type) -> Bool {
    guard let path = keyPath as? KeyPath<R, R.RawValue>, AttributeType(type) != .codable else {
      return false
    }
    let samples = samples(of: type)
    return !samples.isEmpty
      && samples.allSatisfy { sample in
        StoreValue(any: sample[keyPath: path]) == StoreValue(any: sample.rawValue)
      }
  }

  private static func samples<R: RawRepresentable>(of type: R.Type) -> [R] {
    if let listed = type as? any CaseIterable.Type { return cases(of: listed) }
    let numbers = (Int64(-1)...32).compactMap { number in
      (R.RawValue.self as? any StoreScalar.Type)?.init(storeValue: .integer(number)) as? R.RawValue
    }
    let found = numbers.compactMap(R.init(rawValue:))
    guard found.isEmpty, let decodable = CodableTypes.decodable(type) else { return found }
    return [PlaceholderDecoder.value(of: decodable) as? R].compactMap { $0 }
  }

  private static func cases<R, C: CaseIterable>(of type: C.Type) -> [R] {
    C.allCases.prefix(64).compactMap { $0 as? R }
  }
}
