/// Reads the XML of model sources into elements.
///
/// This is the part of XML 1.0 that Xcode writes: UTF-8, elements, attributes, text, comments,
/// CDATA, the five named entities and character references. A document type is skipped; its own
/// entities are refused, so that nothing can be expanded or fetched. FoundationXML is not used,
/// since a program that links Swift's libraries statically could not link it.
struct XMLReader {
  private let bytes: [UInt8]
  private let limits: ReadingLimits
  private var position = 0
  /// The elements that are not closed yet, the outermost first.
  private var open: [XMLElement] = []
  private var count = 0

  /// Returns the outermost element.
  static func read(_ bytes: [UInt8], limits: ReadingLimits) throws(FormatError) -> XMLElement {
    guard bytes.count <= limits.size else {
      throw FormatError(.xml, "it exceeds \(limits.size) bytes")
    }
    var reader = XMLReader(bytes: bytes, limits: limits)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.position = 3 }
    while reader.position < bytes.count {
      if let root = try reader.step() { return root }
    }
    throw FormatError(.xml, "it ends within an element", at: bytes.count)
  }

  /// Reads text or markup.
  ///
  /// - Returns: The outermost element once it is closed.
  private mutating func step() throws(FormatError) -> XMLElement? {
    guard bytes[position] == UInt8(ascii: "<") else {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
      let text = try unescaped(start..<position)
      guard !open.isEmpty || text.allSatisfy(\.isWhitespace) else {
        throw FormatError(.xml, "characters are outside of elements", at: position)
      }
      return nil
    }
    for (start, end) in [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
    where try skip(start, to: end) {
      return nil
    }
    if try skipDocumentType() { return nil }
    return starts(with: "</") ? try close() : try openElement()
  }

  private mutating func openElement() throws(FormatError) -> XMLElement? {
    position += 1
    let name = try readName()
    var attributes: [String: String] = [:]
    while true {
      skipSpace()
      if starts(with: "/>") || starts(with: ">") { break }
      let key = try readName()
      skipSpace()
      guard starts(with: "=") else {
        throw FormatError(.xml, "an attribute has no value", at: position)
      }
      position += 1
      skipSpace()
      attributes[key] = try readQuoted()
    }
    count += 1
    guard count <= limits.objects, open.count < limits.depth else {
      throw FormatError(.xml, "it has too many elements or nests them too deeply", at: position)
    }
    open.append(XMLElement(name: name, attributes: attributes))
    let isEmpty = starts(with: "/>")
    position += isEmpty ? 2 : 1
    return isEmpty ? endElement() : nil
  }

  private mutating func close() throws(FormatError) -> XMLElement? {
    position += 2
    let name = try readName()
    skipSpace()
    guard starts(with: ">"), open.last?.name == name else {
      throw FormatError(.xml, "a closing tag has no open element", at: position)
    }
    position += 1
    return endElement()
  }

  private mutating func endElement() -> XMLElement? {
    let element = open.removeLast()
    if open.isEmpty { return element }
    open[open.count - 1].children.append(element)
    return nil
  }

  private mutating func readName() throws(FormatError) -> String {
    let start = position
    while position < bytes.count, !Self.endsName(bytes[position]) { position += 1 }
    guard position > start else { throw FormatError(.xml, "a name is missing", at: start) }
    return try string(start..<position)
  }

  private mutating func readQuoted() throws(FormatError) -> String {
    guard position < bytes.count, bytes[position] == 0x22 || bytes[position] == 0x27 else {
      throw FormatError(.xml, "a value has no quotes", at: position)
    }
    let start = position + 1
    guard let end = bytes[start...].firstIndex(of: bytes[position]) else {
      throw FormatError(.xml, "a value has no end", at: start)
    }
    position = end + 1
    return try unescaped(start..<end)
  }

  /// Skips a document type without declarations of its own.
  private mutating func skipDocumentType() throws(FormatError) -> Bool {
    guard starts(with: "<!DOCTYPE") else { return false }
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
      guard bytes[position] != UInt8(ascii: "[") else {
        throw FormatError(.xml, "its document type contains declarations", at: position)
      }
      position += 1
    }
    guard position < bytes.count else { throw FormatError(.xml, "markup has no end", at: start) }
    position += 1
    return true
  }

  private mutating func skip(_ start: String, to end: String) throws(FormatError) -> Bool {
    guard starts(with: start) else { return false }
    let first = position
    position += start.utf8.count
    while position < bytes.count {
      if starts(with: end) {
        position += end.utf8.count
        return true
      }
      position += 1
    }
    throw FormatError(.xml, "markup has no end", at: first)
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private func starts(with string: String) -> Bool {
    bytes[position...].starts(with: string.utf8)
  }

  private func string(_ range: Range<Int>) throws(FormatError) -> String {
    guard let string = String(validating: bytes[range], as: UTF8.self) else {
      throw FormatError(.xml, "it is not valid UTF-8", at: range.lowerBound)
    }
    return string
  }

  private func unescaped(_ range: Range<Int>) throws(FormatError) -> String {
    guard bytes[range].contains(UInt8(ascii: "&")) else { return try string(range) }
    var result = ""
    var start = range.lowerBound
    while let ampersand = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) {
      result += try string(start..<ampersand)
      let name = ampersand + 1
      // The longest name is that of a character reference.
      guard
        let end = bytes[name..<min(name + 10, range.upperBound)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = Self.scalar(of: try string(name..<end))
      else { throw FormatError(.xml, "an entity is unknown", at: ampersand) }
      result.unicodeScalars.append(scalar)
      start = end + 1
    }
    return result + (try string(start..<range.upperBound))
  }

  private static func scalar(of entity: String) -> Unicode.Scalar? {
    switch entity {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard entity.hasPrefix("#") else { return nil }
      let digits = entity.dropFirst()
      let number =
        digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
      return number.flatMap(Unicode.Scalar.init)
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    isSpace(byte) || "=<>/\"'".utf8.contains(byte)
  }
}

extension XMLElement {
  /// Reads an XML document.
  ///
  /// - Throws: ``FormatError`` if it is malformed or exceeds the limits.
  package init(_ bytes: [UInt8], limits: ReadingLimits = ReadingLimits()) throws(FormatError) {
    self = try XMLReader.read(bytes, limits: limits)
  }
}
