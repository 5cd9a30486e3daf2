/// Reads a binary property list, version 00.
///
/// The format: the bytes `bplist00`, the objects, a table of their offsets, and a trailer of 32 bytes
/// with the width of an offset and of a reference, the number of objects, the outermost object and the
/// offset of the table. Numbers are big-endian. An object begins with a byte whose upper half is its
/// type and whose lower half its size.
///
/// All sizes, offsets and references are checked. Objects that overlap are refused, since a small file
/// could describe any amount of data with them.
struct PropertyListReader {
  private static let trailerSize = 32
  private let bytes: [UInt8]
  private let referenceSize: Int
  private let count: Int
  private let tableStart: Int
  /// The number of bytes that objects may still have.
  private var budget: Int

  static func read(
    _ bytes: [UInt8],
    limits: ReadingLimits
  ) throws(FormatError) -> PropertyList {
    guard PropertyList.isPropertyList(bytes), bytes.count >= 8 + Self.trailerSize else {
      throw FormatError(.propertyList, "it does not begin with 'bplist00'", at: 0)
    }
    guard bytes.count <= limits.size else {
      throw FormatError(.propertyList, "it exceeds \(limits.size) bytes")
    }
    let trailer = bytes.count - Self.trailerSize
    func number(_ offset: Int, _ size: Int) throws(FormatError) -> Int {
      guard let value = Self.unsigned(bytes[offset..<offset + size]),
        let value = Int(exactly: value)
      else { throw FormatError(.propertyList, "a number of the trailer is too large", at: offset) }
      return value
    }
    let offsetSize = Int(bytes[trailer + 6])
    let count = try number(trailer + 8, 8)
    let root = try number(trailer + 16, 8)
    let tableStart = try number(trailer + 24, 8)
    guard (1...8).contains(offsetSize), (1...8).contains(bytes[trailer + 7]), root < count,
      count <= limits.objects, tableStart >= 8, tableStart <= trailer,
      count * offsetSize <= trailer - tableStart
    else { throw FormatError(.propertyList, "its trailer is invalid", at: trailer) }
    var reader = PropertyListReader(
      bytes: bytes,
      referenceSize: Int(bytes[trailer + 7]),
      count: count,
      tableStart: tableStart,
      budget: tableStart
    )
    var objects: [PropertyList.Object] = []
    objects.reserveCapacity(count)
    for index in 0..<count {
      let position = tableStart + index * offsetSize
      let offset = try number(position, offsetSize)
      guard offset >= 8, offset < tableStart else {
        throw FormatError(.propertyList, "an offset is outside of the objects", at: position)
      }
      objects.append(try reader.object(at: offset))
    }
    return PropertyList(objects: objects, root: root)
  }

  private mutating func object(at offset: Int) throws(FormatError) -> PropertyList.Object {
    let size = Int(bytes[offset] & 0x0F)
    switch bytes[offset] >> 4 {
    case 0x0: return try constant(size, at: offset)
    case 0x1: return try integer(exponent: size, at: offset)
    case 0x2: return try .real(real(exponent: size, at: offset))
    case 0x3: return try .date(real(exponent: size, at: offset))
    case 0x4: return try .data([UInt8](contents(of: offset, width: 1)))
    case 0x5, 0x7: return try string(as: UTF8.self, contents(of: offset, width: 1), at: offset)
    case 0x6:
      let bytes = try contents(of: offset, width: 2)
      let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
        UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
      }
      return try string(as: UTF16.self, units, at: offset)
    case 0x8: return try uid(size: size + 1, at: offset)
    case 0xA, 0xB, 0xC: return try .array(references(contents(of: offset, width: referenceSize)))
    case 0xD:
      let all = try references(contents(of: offset, width: 2 * referenceSize))
      return .dictionary(
        keys: [UInt32](all.prefix(all.count / 2)),
        values: [UInt32](all.suffix(all.count / 2))
      )
    default: throw FormatError(.propertyList, "an object has an unknown type", at: offset)
    }
  }

  private mutating func constant(
    _ kind: Int,
    at offset: Int
  ) throws(FormatError)
    -> PropertyList.Object
  {
    _ = try take(0, from: offset + 1)
    switch kind {
    case 0x8: return .bool(false)
    case 0x9: return .bool(true)
    case 0x0, 0xF: return .null
    default: throw FormatError(.propertyList, "an object has an unknown type", at: offset)
    }
  }

  private mutating func integer(
    exponent: Int,
    at offset: Int
  ) throws(FormatError)
    -> PropertyList.Object
  {
    guard exponent <= 4 else {
      throw FormatError(.propertyList, "an integer is too large", at: offset)
    }
    let bytes = try take(1 << exponent, from: offset + 1)
    // Only integers of 8 bytes and more are signed.
    guard let value = Self.unsigned(bytes.suffix(8)) else {
      throw FormatError(.propertyList, "an integer is too large", at: offset)
    }
    switch (exponent, bytes.first) {
    case (4, 0): return Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)
    case (4, 0xFF), (3, _): return .integer(Int64(bitPattern: value))
    case (4, _): throw FormatError(.propertyList, "an integer is too large", at: offset)
    default: return .integer(Int64(value))
    }
  }

  private mutating func real(exponent: Int, at offset: Int) throws(FormatError) -> Double {
    guard exponent == 2 || exponent == 3,
      let bits = Self.unsigned(try take(1 << exponent, from: offset + 1))
    else { throw FormatError(.propertyList, "a number has an unknown size", at: offset) }
    return exponent == 3
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  private mutating func uid(size: Int, at offset: Int) throws(FormatError) -> PropertyList.Object {
    guard let value = Self.unsigned(try take(size, from: offset + 1)),
      let index = Int(exactly: value)
    else { throw FormatError(.propertyList, "a reference is too large", at: offset) }
    return .uid(index)
  }

  private func string<Encoding: Unicode.Encoding>(
    as encoding: Encoding.Type,
    _ units: some Sequence<Encoding.CodeUnit>,
    at offset: Int
  ) throws(FormatError) -> PropertyList.Object {
    guard let string = String(validating: units, as: encoding) else {
      throw FormatError(.propertyList, "a string is not valid Unicode", at: offset)
    }
    return .string(string)
  }

  private func references(_ bytes: ArraySlice<UInt8>) throws(FormatError) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(bytes.count / referenceSize)
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: referenceSize) {
      guard let value = Self.unsigned(bytes[start..<start + referenceSize]), value < count else {
        throw FormatError(.propertyList, "a reference is outside of the objects", at: start)
      }
      result.append(UInt32(value))
    }
    return result
  }

  /// Returns the elements of a string, of data or of a collection.
  ///
  /// Their number is the lower half of the first byte, or an integer after it if that is 15.
  private mutating func contents(
    of offset: Int,
    width: Int
  ) throws(FormatError) -> ArraySlice<UInt8> {
    var start = offset + 1
    var count = Int(bytes[offset] & 0x0F)
    if count == 0x0F {
      guard start < tableStart, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else {
        throw FormatError(.propertyList, "a size is not an integer", at: start)
      }
      let size = 1 << Int(bytes[start] & 0x0F)
      guard let value = Self.unsigned(try take(size, from: start + 1)), value <= tableStart else {
        throw FormatError(.propertyList, "a size is outside of the objects", at: start)
      }
      start += 1 + size
      count = Int(value)
    }
    return try take(count * width, from: start)
  }

  /// Returns bytes of an object and subtracts them, with the object's first byte, from the budget.
  private mutating func take(
    _ size: Int,
    from start: Int
  ) throws(FormatError) -> ArraySlice<UInt8> {
    guard start <= tableStart, size <= tableStart - start else {
      throw FormatError(.propertyList, "an object ends outside of the objects", at: start)
    }
    budget -= size + 1
    guard budget >= 0 else { throw FormatError(.propertyList, "objects overlap", at: start) }
    return bytes[start..<start + size]
  }

  /// Returns the big-endian number of some bytes, or `nil` if it exceeds 64 bits.
  private static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for byte in bytes {
      guard value >> 56 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return value
  }
}

extension PropertyList {
  /// Reads a binary property list.
  ///
  /// - Throws: ``FormatError`` if the bytes are damaged or exceed the limits.
  /// - Complexity: O(*n*), where *n* is the number of bytes.
  package init(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    self = try PropertyListReader.read(bytes, limits: limits)
  }
}
