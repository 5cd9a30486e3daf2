/// The binary format of arrays of one dimension.
enum ArrayField {
  /// Decodes an array, whose elements can be null.
  static func decode<Element: PostgreSQLValue>(
    _ field: UnsafeRawBufferPointer
  ) throws(PostgreSQLError) -> [Element?] {
    var reader = FieldReader(field)
    guard let dimensions = reader.integer(Int32.self), let flags = reader.integer(Int32.self),
      let type = reader.integer(UInt32.self), type == Element.typeID, flags == 0 || flags == 1
    else { throw Element.invalid(field) }
    if dimensions == 0, reader.rest.isEmpty { return [] }
    // Each element has a length, so the bytes bound the count.
    guard dimensions == 1, let count = reader.integer(Int32.self),
      reader.integer(Int32.self) != nil, count >= 0, Int(count) <= reader.rest.count / 4
    else { throw Element.invalid(field) }
    var elements: [Element?] = []
    elements.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let length = reader.integer(Int32.self) else { throw Element.invalid(field) }
      if length == -1 {
        elements.append(nil)
      } else {
        guard let bytes = reader.bytes(Int(length)) else { throw Element.invalid(field) }
        elements.append(try Element(field: bytes))
      }
    }
    guard reader.rest.isEmpty else { throw Element.invalid(field) }
    return elements
  }
}

extension [UInt8] {
  /// Appends a length and the bytes of a value, as in arrays and rows of COPY.
  mutating func append(element: (some PostgreSQLValue)?) {
    guard let element else { return append(integer: Int32(-1)) }
    let start = count
    append(integer: Int32(0))
    element.append(to: &self)
    let length = Int32(clamping: count - start - 4)
    withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
    }
  }
}
