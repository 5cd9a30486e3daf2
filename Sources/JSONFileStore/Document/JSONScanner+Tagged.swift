import Foundation
import StoreProtocol

extension JSONScanner {
  /// Reads a value in a form that includes its kind.
  mutating func readTagged() throws(JSONError) -> StoreValue {
    switch try nextToken() {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try readBool())
    case UInt8(ascii: "n"):
      _ = try readNull()
      return .null
    case UInt8(ascii: "["):
      return .array(try readElements { (scanner) throws(JSONError) in try scanner.readTagged() })
    case UInt8(ascii: "{"): return try readTaggedObject()
    default: return try readNumber()
    }
  }

  private mutating func readElements<Element>(
    _ read: (inout JSONScanner) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var elements: [Element] = []
    var isFirst = true
    try beginArray()
    while try nextElement(&isFirst) { elements.append(try read(&self)) }
    return elements
  }

  private mutating func readTaggedObject() throws(JSONError) -> StoreValue {
    var members: [StoreValue.Member] = []
    var keys = JSONKeys()
    var isFirst = true
    try beginObject()
    while let text = try nextMember(&isFirst) {
      let name = try string(of: text)
      if name.hasPrefix("$") {
        let value = try readContent(ofTag: name, at: text.start)
        guard members.isEmpty, try nextMember(&isFirst) == nil else {
          throw error(.invalidValue("\"\(name)\" must be the only key of its object"))
        }
        return value
      }
      guard keys.insert(name) else { throw error(.duplicateKey(name), at: text.start) }
      members.append(StoreValue.Member(name, try readTagged()))
    }
    return .composite(members)
  }

  private mutating func readContent(
    ofTag tag: String,
    at start: Int
  ) throws(JSONError) -> StoreValue {
    switch tag {
    case "$double": return .double(try readNamedDouble())
    case "$decimal": return .decimal(try readDecimal())
    case "$data": return .data(try readData())
    case "$uuid": return .uuid(try readUUID())
    case "$date": return .date(try readTaggedDate())
    case "$identifier": return .identifier(try readIdentifier())
    case "$identifiers":
      return .identifiers(
        try readElements { (scanner) throws(JSONError) in
          try scanner.readMarked("$identifier") { (scanner) throws(JSONError) in
            try scanner.readIdentifier()
          }
        }
      )
    case "$composite":
      return .composite(
        try readElements { (scanner) throws(JSONError) in try scanner.readPair() }
      )
    default: throw error(.invalidValue("\"\(tag)\" is not a kind of value"), at: start)
    }
  }

  private mutating func readTaggedDate() throws(JSONError) -> Date {
    guard try nextToken() == UInt8(ascii: "\"") else {
      return Date(timeIntervalSinceReferenceDate: try readDouble())
    }
    let start = position
    let text = try readText()
    let bytes = UnsafeBufferPointer(start: base + text.start, count: text.end - text.start)
    if let date = DateText.date(bytes) { return date }
    move(to: start)
    return Date(timeIntervalSinceReferenceDate: try readNamedDouble())
  }

  /// Reads a name and its value in a list of two.
  private mutating func readPair() throws(JSONError) -> StoreValue.Member {
    var isFirst = true
    try beginArray()
    guard try nextElement(&isFirst) else { throw unexpected("a name") }
    let name = try readString()
    guard try nextElement(&isFirst) else { throw unexpected("a value") }
    let value = try readTagged()
    guard try !nextElement(&isFirst) else { throw unexpected("the end of the pair") }
    return StoreValue.Member(name, value)
  }

  /// Reads the entity, the key and the store of an identifier in a list.
  private mutating func readIdentifier() throws(JSONError) -> PersistentIdentifier {
    var isFirst = true
    try beginArray()
    guard try nextElement(&isFirst) else { throw unexpected("an entity") }
    let entity = try readString()
    guard try nextElement(&isFirst) else { throw unexpected("a key") }
    let key: PersistentIdentifier.Key =
      try nextToken() == UInt8(ascii: "\"") ? .text(try readString()) : .integer(try readInteger())
    let store = try nextElement(&isFirst) ? try readString() : nil
    if store != nil, try nextElement(&isFirst) { throw unexpected("the end of the list") }
    return PersistentIdentifier(key, of: entity, in: store)
  }
}
