/// An optional of an optional, which Codable's containers cannot tell from a plain one.
protocol NestedOptional {
  /// The optional that holds nil.
  static var holdingNil: Self { get }
}

extension Optional: NestedOptional where Wrapped: ExpressibleByNilLiteral {
  static var holdingNil: Wrapped? { .some(nil) }
}

/// The stored form of an optional that holds nil.
enum NestedOptionalForm {
  static let holdingNil = StoreValue.composite([StoreValue.Member("some", .null)])
}
