/// An archive of `NSKeyedArchiver`, as a graph of items that is walked by key.
///
/// Nothing is instantiated: an item is a value or the named fields of an object, whose class is a
/// string. Cycles are harmless, since only requested items are read.
package final class KeyedArchive: Sendable {
  private let list: PropertyList
  /// The index in the list of each archived object.
  private let objects: [UInt32]
  private let top: PropertyList.Object

  /// Reads an archive.
  ///
  /// - Throws: ``FormatError`` if the bytes are no archive or exceed the limits.
  package convenience init(
    _ bytes: [UInt8],
    limits: ReadingLimits = ReadingLimits()
  ) throws(FormatError) {
    try self.init(PropertyList(bytes, limits: limits))
  }

  package init(_ list: PropertyList) throws(FormatError) {
    guard KeyedArchive.isArchive(list), case .array(let objects)? = list["$objects"],
      let top = list["$top"]
    else { throw FormatError(.keyedArchive, "it has no '$archiver', '$objects' and '$top'") }
    self.list = list
    self.objects = objects
    self.top = top
  }

  /// Whether a property list is an archive of `NSKeyedArchiver`.
  package static func isArchive(_ list: PropertyList) -> Bool {
    guard case .string(let archiver)? = list["$archiver"] else { return false }
    return archiver == "NSKeyedArchiver" || archiver == "NSKeyedArchiver1"
  }

  /// The outermost object, which is archived under `root`.
  ///
  /// - Throws: ``FormatError`` if there is none.
  package func root() throws(FormatError) -> Item {
    guard let object = list.value(of: "root", in: top) ?? firstTop else {
      throw FormatError(.keyedArchive, "it has no root")
    }
    return try item(object)
  }

  private var firstTop: PropertyList.Object? {
    guard case .dictionary(_, let values) = top, let first = values.first else { return nil }
    return list.objects[Int(first)]
  }

  /// Follows a reference.
  private func item(_ object: PropertyList.Object) throws(FormatError) -> Item {
    guard case .uid(let index) = object else { return Item(archive: self, object: object, id: nil) }
    guard objects.indices.contains(index) else {
      throw FormatError(
        .keyedArchive,
        "reference \(index) is outside of its \(objects.count) objects"
      )
    }
    return Item(archive: self, object: list.objects[Int(objects[index])], id: index)
  }
}

extension KeyedArchive {
  /// A value of an archive, or the fields of an archived object.
  package struct Item: Sendable {
    fileprivate let archive: KeyedArchive
    /// The value, or the dictionary of the fields.
    package let object: PropertyList.Object
    /// The object's number in its archive, or `nil` for a value within another object.
    package let id: Int?

    /// Whether this is the archived `nil`.
    package var isNull: Bool { object == .string("$null") || object == .null }

    /// The string of a string or of an archived `NSString`, or `nil` for other values.
    package func string() throws(FormatError) -> String? {
      if isNull { return nil }
      if case .string(let string) = object { return string }
      guard case .string(let string)? = try self["NS.string"]?.object else { return nil }
      return string
    }

    /// The integer, or `nil` for other values.
    package var integer: Int? {
      switch object {
      case .integer(let value): Int(exactly: value)
      case .bool(let value): value ? 1 : 0
      default: nil
      }
    }

    /// Whether this is the Boolean `true` or an integer other than 0.
    package var isTrue: Bool { (integer ?? 0) != 0 }

    /// The maximum number of fields of an object of an archive; collections keep their elements in
    /// one field.
    private static let maximumFields = 1_000

    /// The indexes of the keys of all fields.
    private func fields() throws(FormatError) -> [UInt32] {
      guard case .dictionary(let keys, _) = object else { return [] }
      guard keys.count <= Self.maximumFields else {
        throw FormatError(.keyedArchive, "an object has more than \(Self.maximumFields) fields")
      }
      return keys
    }

    /// The keys of the object's fields, without `$class`.
    package func keys() throws(FormatError) -> [String] {
      try fields().compactMap { index in
        guard case .string(let key) = archive.list.objects[Int(index)] else { return nil }
        return key == "$class" ? nil : key
      }
    }

    /// The value of a field with references followed, or `nil` if there is none.
    package subscript(key: String) -> Item? {
      get throws(FormatError) {
        guard try !fields().isEmpty, let field = archive.list.value(of: key, in: object) else {
          return nil
        }
        return try archive.item(field)
      }
    }

    /// The name of the object's class, or `nil` for values.
    package func className() throws(FormatError) -> String? {
      try self["$class"]?["$classname"]?.string()
    }

    /// The elements of an archived array, set or ordered set, or of an array within an object.
    package func elements() throws(FormatError) -> [Item] {
      let source: PropertyList.Object
      if case .array = object {
        source = object
      } else if let field = try self["NS.objects"] {
        source = field.object
      } else {
        return try numberedElements()
      }
      guard case .array(let indices) = source else {
        throw FormatError(.keyedArchive, "a collection has no list of elements")
      }
      return try items(indices)
    }

    /// The keys and values of an archived dictionary.
    ///
    /// Core Data's `NSKnownKeysDictionary1` keeps its keys in a mapping beside it, and a token for
    /// values that are absent.
    package func entries() throws(FormatError) -> [(key: Item, value: Item)] {
      let keys: [Item]
      let values: [Item]
      if let mapping = try self["searchMapping"] {
        keys = try mapping["keys"]?.elements() ?? []
        values = try self["values"]?.elements() ?? []
      } else {
        keys = try self["NS.keys"]?.elements() ?? []
        values = try elements()
      }
      guard keys.count == values.count else {
        throw FormatError(.keyedArchive, "a dictionary has different numbers of keys and values")
      }
      let absent = try self["emptyToken"]?.id
      return zip(keys, values).filter { absent == nil || $0.1.id != absent }
        .map { (key: $0, value: $1) }
    }

    /// The elements of collections in archives of old systems, which have a field for each.
    private func numberedElements() throws(FormatError) -> [Item] {
      var result: [Item] = []
      while let item = try self["NS.object.\(result.count)"] { result.append(item) }
      return result
    }

    private func items(_ indices: [UInt32]) throws(FormatError) -> [Item] {
      var result: [Item] = []
      result.reserveCapacity(indices.count)
      for index in indices { result.append(try archive.item(archive.list.objects[Int(index)])) }
      return result
    }
  }
}
