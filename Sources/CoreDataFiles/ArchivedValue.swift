import Foundation

/// A value of a keyed archive or a property list, decoded by structure.
///
/// Foundation's value classes become values. Objects of other classes become the class's name with the
/// archived fields; none is ever instantiated.
package indirect enum ArchivedValue: Hashable, Sendable {
  /// A key of a dictionary with its value.
  package struct Entry: Hashable, Sendable {
    package let key: ArchivedValue
    package let value: ArchivedValue

    package init(key: ArchivedValue, value: ArchivedValue) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case decimal(Decimal)
  /// Seconds since the beginning of 2001, in UTC.
  case date(Double)
  case data([UInt8])
  case string(String)
  case uuid(UUID)
  /// The absolute string of a URL.
  case url(String)
  /// The elements of an array, a set or an ordered set.
  case array([ArchivedValue])
  /// The entries of a dictionary, in the order of the archive.
  case dictionary([Entry])
  /// An object of a class that is not Foundation's.
  case object(className: String, fields: [String: ArchivedValue])
}

extension ArchivedValue {
  /// Decodes a keyed archive, or a property list that is none.
  ///
  /// - Throws: ``FormatError`` if the bytes are damaged, an object contains itself, or a limit is
  ///   exceeded.
  /// - Complexity: O(*n*) for *n* values, an object counted once for each reference to it; at most
  ///   ``ReadingLimits/objects``.
  package init(
    propertyList bytes: [UInt8],
    limits: ReadingLimits = ReadingLimits()
  ) throws(FormatError) {
    let list = try PropertyList(bytes, limits: limits)
    if KeyedArchive.isArchive(list) {
      try self.init(KeyedArchive(list).root(), limits: limits)
    } else {
      var decoder = PropertyListDecoding(list: list, limits: limits)
      self = try decoder.value(of: list.root, depth: 0)
    }
  }

  /// Decodes an item of an archive.
  package init(
    _ item: KeyedArchive.Item,
    limits: ReadingLimits = ReadingLimits()
  ) throws(FormatError) {
    var decoder = ArchiveDecoding(limits: limits)
    self = try decoder.value(of: item)
  }
}

/// Decodes the objects of a property list that is no archive.
private struct PropertyListDecoding {
  let list: PropertyList
  let limits: ReadingLimits
  var count = 0

  /// A circle ends at the limit of the depth.
  mutating func value(of index: Int, depth: Int) throws(FormatError) -> ArchivedValue {
    count += 1
    guard depth < limits.depth, count <= limits.objects else {
      throw FormatError(.propertyList, "its values are nested too deeply or too many")
    }
    switch list.objects[index] {
    case .array(let indices):
      var elements: [ArchivedValue] = []
      for index in indices { elements.append(try value(of: Int(index), depth: depth + 1)) }
      return .array(elements)
    case .dictionary(let keys, let values):
      var entries: [ArchivedValue.Entry] = []
      for (key, value) in zip(keys, values) {
        entries.append(
          ArchivedValue.Entry(
            key: try self.value(of: Int(key), depth: depth + 1),
            value: try self.value(of: Int(value), depth: depth + 1)
          )
        )
      }
      return .dictionary(entries)
    case let scalar: return ArchivedValue(scalar: scalar)
    }
  }
}

extension ArchivedValue {
  /// Creates a value from an object without elements.
  init(scalar: PropertyList.Object) {
    self =
      switch scalar {
      case .bool(let value): .bool(value)
      case .integer(let value): .integer(value)
      case .unsigned(let value): .unsigned(value)
      case .real(let value): .real(value)
      case .date(let value): .date(value)
      case .data(let value): .data(value)
      case .string(let value): .string(value)
      case .uid(let value): .integer(Int64(value))
      case .null, .array, .dictionary: .null
      }
  }
}
