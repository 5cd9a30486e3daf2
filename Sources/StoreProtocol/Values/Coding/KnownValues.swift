import Synchronization

/// Values of types of which none can be made from nothing, remembered in their stored form.
///
/// A type that checks what it is decoded from may refuse all that ``PlaceholderDecoder`` has to
/// offer. Any value of it that was read or written before does instead: an object whose row is
/// gone has to read as something.
enum KnownValues {
  // Nil for types that need no such help.
  private static let stored = Mutex<[ObjectIdentifier: StoreValue?]>([:])

  /// Keeps the stored form of a value where its type is one that needs it, the first that comes.
  static func remember<V: Decodable>(_ value: StoreValue, of type: V.Type) {
    let key = ObjectIdentifier(type)
    if stored.withLock({ $0[key] != nil }) { return }
    let isNeeded = PlaceholderDecoder.madeFromNothing(type) == nil
    stored.withLock { $0[key] = isNeeded ? .some(value) : .some(nil) }
  }

  /// A value of a type, nil where none was remembered.
  static func value<V: Decodable>(of type: V.Type) -> V? {
    guard let known = stored.withLock({ $0[ObjectIdentifier(type)] }), let known else { return nil }
    return try? StoreValueDecoder.decode(type, from: known)
  }
}
