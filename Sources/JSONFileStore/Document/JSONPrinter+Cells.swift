import Foundation
import StoreProtocol

extension JSONPrinter {
  /// Appends a cell that is not null.
  mutating func append(_ cell: Cell, as type: CellType) {
    switch cell {
    case .null: append(json: "null")
    case .integer(let value):
      if type == .bool { append(value != 0) } else { append(value) }
    case .double(let value):
      if type == .date { append(date: value) } else { append(number: value) }
    case .string(let text): append(text)
    case .keys(let keys): append(elements: keys) { $0.append($1) }
    case .file(let reference): append(json: Array(reference.text.utf8))
    case .value(let value):
      if type == .codable { append(tagged: value) } else { append(plain: value) }
    }
  }

  /// Appends a row of a table with one property per line.
  mutating func append(indented table: Table, _ slot: Int, as format: RowFormat) {
    append(UInt8(ascii: "{"))
    beginLine(DocumentFormat.depths.value, .indented)
    append(json: "\"$id\": ")
    append(table.keys[slot])
    for index in 0..<format.fields.count where !table.columns[index].isNull(slot) {
      append(UInt8(ascii: ","))
      beginLine(DocumentFormat.depths.value, .indented)
      append(format.fields[index].name)
      append(json: ": ")
      append(table.columns[index].cell(slot), as: format.fields[index].type)
    }
    beginLine(DocumentFormat.depths.row, .indented)
    append(UInt8(ascii: "}"))
  }

  /// Appends the row at a scanner's position, with the whitespace of a layout between its members.
  ///
  /// Names and values are copied unchanged, as is anything that is not an object.
  mutating func appendRow(
    _ scanner: inout JSONScanner,
    _ bytes: UnsafeRawBufferPointer,
    _ layout: JSONFileStoreConfiguration.Layout
  ) throws(JSONError) {
    guard try scanner.nextToken() == UInt8(ascii: "{") else {
      return append(copying: try scanner.skipValue(), of: bytes)
    }
    var isFirst = true
    var isEmpty = true
    try scanner.beginObject()
    append(UInt8(ascii: "{"))
    while let name = try scanner.nextMember(&isFirst) {
      if !isEmpty { append(UInt8(ascii: ",")) }
      isEmpty = false
      if layout == .indented { beginLine(DocumentFormat.depths.value, layout) }
      append(copying: name.start - 1..<name.end + 1, of: bytes)
      append(json: layout == .indented ? ": " : ":")
      append(copying: try scanner.skipValue(), of: bytes)
    }
    if layout == .indented, !isEmpty { beginLine(DocumentFormat.depths.row, layout) }
    append(UInt8(ascii: "}"))
  }

  private mutating func append(copying range: Range<Int>, of bytes: UnsafeRawBufferPointer) {
    bytes[range].withMemoryRebound(to: UInt8.self) { append(json: $0) }
  }

  /// Appends a floating-point number; a number that JSON lacks is an object with its name.
  mutating func append(number: Double) {
    if number.isFinite { return append(number) }
    append(tag: "$double", name(ofNonFinite: number))
  }

  /// Appends a date by its seconds since 2001: as ISO 8601 text, or as a number if no text is
  /// exact.
  @inline(__always)
  mutating func append(date interval: Double) {
    if !DateText.append(interval, to: &self) { append(taggedDate: interval) }
  }

  /// Appends a date by its seconds since 2001, in a form that includes its kind.
  mutating func append(taggedDate interval: Double) {
    append(json: "{\"$date\":")
    if !DateText.append(interval, to: &self) {
      if interval.isFinite { append(interval) } else { append(name(ofNonFinite: interval)) }
    }
    append(UInt8(ascii: "}"))
  }

  private func name(ofNonFinite value: Double) -> String {
    if value == .infinity { return "inf" }
    if value == -.infinity { return "-inf" }
    if value.bitPattern == Double.nan.bitPattern { return "nan" }
    return "0x" + String(value.bitPattern, radix: 16)
  }

  /// Appends a value whose type the schema defines.
  private mutating func append(plain value: StoreValue) {
    switch value {
    case .unsigned(let number): append(number)
    case .integer(let number): append(number)
    case .decimal(let number): append(number.description)
    case .data(let data): append(data.base64EncodedString())
    case .uuid(let uuid): append(uuid.text)
    default: append(tagged: value)
    }
  }

  /// Appends a value in a form that includes its kind, for values that no schema describes.
  mutating func append(tagged value: StoreValue) {
    switch value {
    case .null: append(json: "null")
    case .bool(let flag): append(flag)
    case .integer(let number): append(number)
    case .unsigned(let number): append(number)
    case .double(let number): append(number: number)
    case .string(let text): append(text)
    case .date(let date): append(taggedDate: date.timeIntervalSinceReferenceDate)
    case .decimal(let number): append(tag: "$decimal", number.description)
    case .data(let data): append(tag: "$data", data.base64EncodedString())
    case .uuid(let uuid): append(tag: "$uuid", uuid.text)
    case .identifier(let identifier): append(tagged: identifier)
    case .identifiers(let list):
      append(json: "{\"$identifiers\":")
      append(elements: list) { $0.append(tagged: $1) }
      append(UInt8(ascii: "}"))
    case .array(let elements): append(elements: elements) { $0.append(tagged: $1) }
    case .composite(let members): append(composite: members)
    }
  }

  /// Appends a list.
  mutating func append<Element>(
    elements: [Element],
    _ appendOne: (inout JSONPrinter, Element) -> Void
  ) {
    append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendOne(&self, element)
    }
    append(UInt8(ascii: "]"))
  }

  private mutating func append(tag: String, _ text: String) {
    append(UInt8(ascii: "{"))
    append(tag)
    append(UInt8(ascii: ":"))
    append(text)
    append(UInt8(ascii: "}"))
  }

  private mutating func append(tagged identifier: PersistentIdentifier) {
    append(json: "{\"$identifier\":[")
    append(identifier.entityName)
    append(UInt8(ascii: ","))
    switch identifier.key {
    case .integer(let key): append(key)
    case .text(let key): append(key)
    case .temporary(let key): append("temporary \(key)")
    }
    if let store = identifier.storeIdentifier {
      append(UInt8(ascii: ","))
      append(store)
    }
    append(json: "]}")
  }

  /// Appends named values as an object, or as a list of pairs if the names prevent that.
  private mutating func append(composite members: [StoreValue.Member]) {
    guard !Self.needsPairs(members) else {
      append(json: "{\"$composite\":")
      append(elements: members) { printer, member in
        printer.append(UInt8(ascii: "["))
        printer.append(member.name)
        printer.append(UInt8(ascii: ","))
        printer.append(tagged: member.value)
        printer.append(UInt8(ascii: "]"))
      }
      return append(UInt8(ascii: "}"))
    }
    append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      append(member.name)
      append(UInt8(ascii: ":"))
      append(tagged: member.value)
    }
    append(UInt8(ascii: "}"))
  }

  /// Whether names are duplicates, or mark a value of another kind.
  private static func needsPairs(_ members: [StoreValue.Member]) -> Bool {
    var keys = JSONKeys()
    return members.contains { $0.name.utf8.first == UInt8(ascii: "$") || !keys.insert($0.name) }
  }
}
