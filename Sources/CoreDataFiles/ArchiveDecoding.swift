import Foundation

/// Decodes items of a keyed archive by their classes' names.
struct ArchiveDecoding {
  let limits: ReadingLimits
  var count = 0
  /// The numbers of the objects that contain the current one.
  var path: [Int] = []

  mutating func value(of item: KeyedArchive.Item) throws(FormatError) -> ArchivedValue {
    count += 1
    guard count <= limits.objects else {
      throw FormatError(.keyedArchive, "a value has more than \(limits.objects) parts")
    }
    if item.isNull { return .null }
    switch item.object {
    case .array, .dictionary: break
    default: return ArchivedValue(scalar: item.object)
    }
    let id = item.id ?? -1
    guard path.count < limits.depth, id < 0 || !path.contains(id) else {
      throw FormatError(.keyedArchive, "an object contains itself or is nested too deeply")
    }
    path.append(id)
    defer { path.removeLast() }
    guard let name = try item.className() else {
      return try .array(values(of: item.elements()))
    }
    return try object(item, className: name)
  }

  private mutating func object(
    _ item: KeyedArchive.Item,
    className: String
  ) throws(FormatError) -> ArchivedValue {
    switch className {
    case "NSString", "NSMutableString": return .string(try item.string() ?? "")
    case "NSNull": return .null
    case "NSDate":
      if case .real(let seconds)? = try item["NS.time"]?.object { return .date(seconds) }
    case "NSData", "NSMutableData":
      if case .data(let bytes)? = try item["NS.data"]?.object { return .data(bytes) }
    case "NSUUID":
      if case .data(let bytes)? = try item["NS.uuidbytes"]?.object, let id = UUID(bytes: bytes) {
        return .uuid(id)
      }
    case "NSURL":
      if let url = try Self.url(item, depth: 0) { return .url(url) }
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
      if let decimal = try Decimal(archived: item) { return .decimal(decimal) }
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet",
      "NSMutableOrderedSet":
      return try .array(values(of: item.elements()))
    case "NSDictionary", "NSMutableDictionary", "NSKnownKeysDictionary1":
      var entries: [ArchivedValue.Entry] = []
      for (key, value) in try item.entries() {
        entries.append(
          ArchivedValue.Entry(key: try self.value(of: key), value: try self.value(of: value))
        )
      }
      return .dictionary(entries)
    default: break
    }
    var fields: [String: ArchivedValue] = [:]
    for key in try item.keys() {
      if let field = try item[key] { fields[key] = try value(of: field) }
    }
    return .object(className: className, fields: fields)
  }

  private mutating func values(
    of items: [KeyedArchive.Item]
  ) throws(FormatError) -> [ArchivedValue] {
    var result: [ArchivedValue] = []
    for item in items { result.append(try value(of: item)) }
    return result
  }

  /// Returns the absolute string of a URL, whose base is a URL of its own.
  private static func url(_ item: KeyedArchive.Item, depth: Int) throws(FormatError) -> String? {
    guard depth < 8, let relative = try item["NS.relative"]?.string() else { return nil }
    guard let base = try item["NS.base"], !base.isNull, let base = try url(base, depth: depth + 1)
    else { return relative }
    return URL(string: relative, relativeTo: URL(string: base))?.absoluteString ?? relative
  }
}

extension UUID {
  /// Creates a UUID from its 16 bytes, or returns `nil` for another number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension Decimal {
  /// Creates a decimal from the fields of an archived `NSDecimalNumber`.
  ///
  /// The digits are up to eight numbers of 16 bits, the lowest first, each in the named byte order
  /// (1 is little-endian).
  fileprivate init?(archived item: KeyedArchive.Item) throws(FormatError) {
    guard case .data(let bytes)? = try item["NS.mantissa"]?.object, bytes.count.isMultiple(of: 2),
      bytes.count <= 16, let exponent = try item["NS.exponent"]?.integer,
      (-128...127).contains(exponent)
    else { return nil }
    let isLittleEndian = try item["NS.mantissa.bo"]?.integer != 2
    let length = min(try item["NS.length"]?.integer ?? bytes.count / 2, bytes.count / 2)
    var digits = Decimal(0)
    for index in (0..<max(length, 0)).reversed() {
      let (first, second) = (Decimal(Int(bytes[2 * index])), Decimal(Int(bytes[2 * index + 1])))
      digits = digits * 65_536 + (isLittleEndian ? second * 256 + first : first * 256 + second)
    }
    let sign: FloatingPointSign = try item["NS.negative"]?.isTrue == true ? .minus : .plus
    self = Decimal(sign: sign, exponent: exponent, significand: digits)
  }
}
