/// An array parameter, whose elements are appended one after the other.
package struct ArrayBuilder: Sendable {
  private let arrayTypeID: UInt32
  private let elementTypeID: UInt32
  private var bytes: [UInt8] = []
  private var hasNulls = false
  /// The number of elements.
  package private(set) var count = 0

  /// The number of bytes of the elements.
  package var byteCount: Int { bytes.count }

  /// Creates an array of elements of a type.
  package init<Value: PostgreSQLValue>(of type: Value.Type) {
    arrayTypeID = type.arrayTypeID
    elementTypeID = type.typeID
  }

  /// Appends a value of the type, or null.
  package mutating func append(_ value: (some PostgreSQLValue)?) {
    hasNulls = hasNulls || value == nil
    bytes.append(element: value)
    count += 1
  }

  // Generic functions of another module are not specialized, so frequent types have their own.

  /// Appends an integer of 64 bits.
  package mutating func append(_ value: Int64) { append(word: UInt64(bitPattern: value)) }

  /// Appends a number with every bit, including those of NaN.
  package mutating func append(_ value: Double) { append(word: value.bitPattern) }

  /// Appends a string of valid UTF-8, or the bytes of a value.
  package mutating func append(bytes value: UnsafeBufferPointer<UInt8>) {
    bytes.append(integer: Int32(clamping: value.count))
    bytes.append(contentsOf: value)
    count += 1
  }

  /// Appends null.
  package mutating func appendNull() {
    hasNulls = true
    bytes.append(integer: Int32(-1))
    count += 1
  }

  private mutating func append(word: UInt64) {
    let field = (
      UInt32(8).bigEndian, UInt32(truncatingIfNeeded: word >> 32).bigEndian,
      UInt32(truncatingIfNeeded: word).bigEndian
    )
    Swift.withUnsafeBytes(of: field) { bytes.append(contentsOf: $0) }
    count += 1
  }

  /// Returns the parameter, and removes its elements.
  package mutating func take() -> Parameter {
    var field: [UInt8] = []
    field.reserveCapacity(20 + bytes.count)
    field.append(integer: Int32(count == 0 ? 0 : 1))
    field.append(integer: Int32(hasNulls ? 1 : 0))
    field.append(integer: elementTypeID)
    if count > 0 {
      field.append(integer: Int32(clamping: count))
      field.append(integer: Int32(1))
    }
    field += bytes
    removeAll()
    return Parameter(typeID: arrayTypeID, field)
  }

  /// Returns the only element as a parameter, and removes it.
  package mutating func takeElement() -> Parameter {
    // Its length precedes it, and is negative for null.
    let field = hasNulls ? nil : [UInt8](bytes.dropFirst(4))
    removeAll()
    return Parameter(typeID: elementTypeID, field)
  }

  private mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    (count, hasNulls) = (0, false)
  }
}
