import StoreProtocol
import Synchronization

/// Values of types that cannot be created from placeholders, recorded in their stored form.
///
/// A type that validates its input may reject everything that ``PlaceholderDecoder`` offers. Then
/// any value that was read or written before is used instead, because an object whose row was
/// deleted must still have values.
enum FallbackValues {
  // Nil for types that do not need recorded values.
  private static let stored = Mutex<[ObjectIdentifier: StoreValue?]>([:])

  /// Records the stored form of the first value of a type that needs one.
  static func remember<V: Decodable>(_ value: StoreValue, of type: V.Type) {
    let key = ObjectIdentifier(type)
    if stored.withLock({ $0[key] != nil }) { return }
    let isNeeded = PlaceholderDecoder.madeFromNothing(type) == nil
    stored.withLock { $0[key] = isNeeded ? .some(value) : .some(nil) }
  }

  /// Returns a value of a type, or `nil` if none was recorded.
  static func value<V: Decodable>(of type: V.Type) -> V? {
    guard let value = stored.withLock({ $0[ObjectIdentifier(type)] }), let value else { return nil }
    return try? StoreValueDecoder.decode(type, from: value)
  }
}
