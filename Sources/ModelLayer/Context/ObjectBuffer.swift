/// A growing list of objects that becomes an array of their type at the end.
///
/// Appending to an array costs more if the compiler does not know the type of its elements. An
/// array of other elements cannot be converted without counting a reference to each.
final class ObjectBuffer {
  // The first `count` places are initialized.
  private var storage = UnsafeMutableBufferPointer<AnyObject>(start: nil, count: 0)
  private var count = 0

  deinit {
    storage[..<count].deinitialize()
    storage.deallocate()
  }

  /// Adds an object.
  func append(_ object: AnyObject) {
    if count == storage.count { grow() }
    storage.initializeElement(at: count, to: object)
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<AnyObject>.allocate(capacity: max(64, count * 2))
    _ = larger.moveInitialize(fromContentsOf: storage[..<count])
    storage.deallocate()
    storage = larger
  }

  /// Returns and removes all objects, each of which is known to be of a type.
  func takeAll<Element: AnyObject>(as type: Element.Type) -> [Element] {
    [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
      buffer.withMemoryRebound(to: AnyObject.self) {
        _ = $0.moveInitialize(fromContentsOf: storage[..<count])
      }
      initialized = count
      count = 0
    }
  }
}
