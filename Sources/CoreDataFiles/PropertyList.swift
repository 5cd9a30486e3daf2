/// A binary property list as a table of objects that refer to each other by index.
///
/// The table has each object once, as in the file, and nothing is expanded. So memory is
/// proportional to the file even if many objects refer to one, or to each other in a cycle.
package struct PropertyList: Sendable {
  package enum Object: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer that exceeds `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since the beginning of 2001, in UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference of a keyed archive: an index among the archive's objects.
    case uid(Int)
    /// The indices of the elements of an array, a set or an ordered set.
    case array([UInt32])
    /// The indices of keys and values.
    case dictionary(keys: [UInt32], values: [UInt32])
  }

  package let objects: [Object]
  /// The index of the outermost object.
  package let root: Int

  /// Whether bytes begin as a binary property list does.
  package static func isPropertyList(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: "bplist0".utf8)
  }

  /// Returns the value of a key of a dictionary.
  package func value(of key: String, in object: Object) -> Object? {
    guard case .dictionary(let keys, let values) = object,
      let position = keys.firstIndex(where: { objects[Int($0)] == .string(key) })
    else { return nil }
    return objects[Int(values[position])]
  }

  /// Returns the entries of a dictionary whose keys are strings; none for other objects.
  func entries(of object: Object?) -> [(key: String, value: Object)] {
    guard case .dictionary(let keys, let values)? = object else { return [] }
    return zip(keys, values).compactMap { key, value in
      guard case .string(let name) = objects[Int(key)] else { return nil }
      return (name, objects[Int(value)])
    }
  }

  /// The keys of the outermost dictionary that are strings.
  package var keys: [String] { entries(of: objects[root]).map(\.key) }

  /// Returns the value of a key of the outermost dictionary.
  package subscript(key: String) -> Object? { value(of: key, in: objects[root]) }
}
