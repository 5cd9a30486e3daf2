/// Writes binary property lists, as a table of objects that refer to each other by index.
package struct PropertyListWriter {
  /// An object; elements are indices of the table.
  package enum Object {
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case float(Float)
    case date(Double)
    case data([UInt8])
    case string(String)
    case uid(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
  }

  package private(set) var objects: [Object] = []

  package init() {}

  /// Adds an object and returns its index.
  @discardableResult
  package mutating func add(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  /// Replaces an object that was added as a placeholder.
  package mutating func set(_ index: Int, _ object: Object) {
    objects[index] = object
  }

  /// Adds a dictionary with keys as strings.
  package mutating func add(_ fields: [(String, Int)]) -> Int {
    let entries = fields.map { (key: add(.string($0)), value: $1) }
    return add(.dictionary(entries))
  }

  /// Returns the bytes of the list with an object as its root.
  package func bytes(root: Int) -> [UInt8] {
    let referenceSize = objects.count < 256 ? 1 : objects.count < 65_536 ? 2 : 4
    var bytes = [UInt8]("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      append(object, referenceSize, to: &bytes)
    }
    let table = bytes.count
    for offset in offsets { Self.append(UInt64(offset), 4, to: &bytes) }
    bytes += [0, 0, 0, 0, 0, 0, 4, UInt8(referenceSize)]
    for number in [objects.count, root, table] { Self.append(UInt64(number), 8, to: &bytes) }
    return bytes
  }

  private func append(_ object: Object, _ referenceSize: Int, to bytes: inout [UInt8]) {
    switch object {
    case .bool(let value): bytes.append(value ? 0x09 : 0x08)
    case .integer(let value):
      bytes.append(0x13)
      Self.append(UInt64(bitPattern: value), 8, to: &bytes)
    case .unsigned(let value):
      bytes.append(0x14)
      bytes += [UInt8](repeating: 0, count: 8)
      Self.append(value, 8, to: &bytes)
    case .real(let value):
      bytes.append(0x23)
      Self.append(value.bitPattern, 8, to: &bytes)
    case .float(let value):
      bytes.append(0x22)
      Self.append(UInt64(value.bitPattern), 4, to: &bytes)
    case .date(let value):
      bytes.append(0x33)
      Self.append(value.bitPattern, 8, to: &bytes)
    case .data(let value):
      Self.append(marker: 0x40, count: value.count, to: &bytes)
      bytes += value
    case .string(let value):
      let isASCII = value.utf8.allSatisfy { $0 < 0x80 }
      Self.append(marker: isASCII ? 0x50 : 0x60, count: value.utf16.count, to: &bytes)
      for unit in value.utf16 { Self.append(UInt64(unit), isASCII ? 1 : 2, to: &bytes) }
    case .uid(let value):
      bytes.append(0x83)
      Self.append(UInt64(value), 4, to: &bytes)
    case .array(let elements):
      Self.append(marker: 0xA0, count: elements.count, to: &bytes)
      for element in elements { Self.append(UInt64(element), referenceSize, to: &bytes) }
    case .dictionary(let entries):
      Self.append(marker: 0xD0, count: entries.count, to: &bytes)
      for entry in entries { Self.append(UInt64(entry.key), referenceSize, to: &bytes) }
      for entry in entries { Self.append(UInt64(entry.value), referenceSize, to: &bytes) }
    }
  }

  private static func append(marker: UInt8, count: Int, to bytes: inout [UInt8]) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes += [marker | 0x0F, 0x12]
      append(UInt64(count), 4, to: &bytes)
    }
  }

  private static func append(_ value: UInt64, _ size: Int, to bytes: inout [UInt8]) {
    for shift in (0..<size).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift)))
    }
  }
}
