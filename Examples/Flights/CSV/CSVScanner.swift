import CommandLineSupport

/// The bytes of one record without quotes, and the bounds of its fields.
struct CSVRecord: Sendable {
  var bytes: [UInt8] = []
  /// The end offset in `bytes` of each field.
  var ends: [Int] = []
  /// The position in the file of the beginning of each field.
  var positions: [TextFileError.Position] = []
  var isQuoted = false

  var isEmptyLine: Bool { bytes.isEmpty && ends.count == 1 && !isQuoted }
}

/// Splits the bytes of a file into records and fields, without their names.
struct CSVScanner: ~Copyable {
  private enum Byte {
    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
  }

  private(set) var file: ChunkedFile
  let delimiter: UInt8
  let longestRecord: Int
  private var line = 1
  private var column = 1
  private(set) var bytesRead = 0

  init(file: consuming ChunkedFile, delimiter: UInt8, longestRecord: Int) {
    self.file = file
    self.delimiter = delimiter
    self.longestRecord = longestRecord
  }

  /// Skips a UTF-8 byte order mark.
  mutating func skipByteOrderMark() throws {
    guard try file.peek() == 0xEF else { return }
    for byte: UInt8 in [0xEF, 0xBB, 0xBF] {
      guard try file.peek() == byte else { throw error("not UTF-8") }
      try advance()
    }
    column = 1
  }

  mutating func nextRecord() throws -> CSVRecord? {
    guard try file.peek() != nil else { return nil }
    var record = CSVRecord()
    repeat {
      record.positions.append(position)
      if try file.peek() == Byte.quote {
        try readQuoted(into: &record)
      } else {
        try readPlain(into: &record)
      }
      record.ends.append(record.bytes.count)
    } while try readDelimiter()
    return record
  }

  private mutating func readPlain(into record: inout CSVRecord) throws {
    let delimiter = delimiter
    let end = try appendRun(to: &record) { byte in
      byte != delimiter && byte != Byte.quote && byte != Byte.lineFeed
        && byte != Byte.carriageReturn
    }
    guard end != Byte.quote else {
      throw error("a quote is inside a field that does not begin with one")
    }
  }

  private mutating func readQuoted(into record: inout CSVRecord) throws {
    let start = position
    record.isQuoted = true
    try advance()
    while try appendRun(to: &record, while: { $0 != Byte.quote }) == Byte.quote {
      try advance()
      guard try file.peek() == Byte.quote else { return }
      record.bytes.append(Byte.quote)
      try advance()
    }
    throw TextFileError(file: file.path, position: start, message: "the quote is not closed")
  }

  /// Reads the delimiter after a field.
  ///
  /// - Returns: Whether another field of the same record follows.
  private mutating func readDelimiter() throws -> Bool {
    guard let byte = try file.peek() else { return false }
    if byte == delimiter {
      try advance()
      return true
    }
    if byte == Byte.carriageReturn {
      try advance()
      guard try file.peek() == Byte.lineFeed else {
        throw error("a carriage return is not followed by a line feed")
      }
    }
    guard try file.peek() == Byte.lineFeed else { throw error("characters after a closing quote") }
    try advance()
    return false
  }

  /// Appends all bytes of a kind.
  ///
  /// - Returns: The byte that ends the run, or `nil` at the end of the file.
  private mutating func appendRun(
    to record: inout CSVRecord,
    while belongs: (UInt8) -> Bool
  ) throws -> UInt8? {
    while true {
      let bytes = try file.bufferedBytes()
      let run = bytes.prefix(while: belongs)
      guard record.bytes.count + run.count <= longestRecord else { throw tooLong(record) }
      record.bytes.append(contentsOf: run)
      advance(over: run)
      if bytes.isEmpty { return nil }
      if run.endIndex < bytes.endIndex { return bytes[run.endIndex] }
    }
  }

  private mutating func advance() throws {
    advance(over: try file.bufferedBytes().prefix(1))
  }

  private mutating func advance(over run: ArraySlice<UInt8>) {
    file.advance(by: run.count)
    bytesRead += run.count
    var tail = run
    if let lastBreak = run.lastIndex(of: Byte.lineFeed) {
      line += run.count { $0 == Byte.lineFeed }
      column = 1
      tail = run[(lastBreak + 1)...]
    }
    // Bytes that continue a UTF-8 sequence begin with 10 and are not characters of their own.
    column += tail.count { $0 & 0xC0 != 0x80 }
  }

  private func tooLong(_ record: CSVRecord) -> TextFileError {
    TextFileError(
      file: file.path,
      position: record.positions[record.positions.count - 1],
      message: "a record has more than \(longestRecord) bytes; check for an unclosed quote"
    )
  }

  private var position: TextFileError.Position {
    TextFileError.Position(line: line, column: column)
  }

  private func error(_ message: String) -> TextFileError {
    TextFileError(file: file.path, position: position, message: message)
  }
}
