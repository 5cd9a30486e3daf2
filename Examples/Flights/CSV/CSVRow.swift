import CommandLineSupport

/// One record of a file of comma-separated values.
///
/// A row keeps the bytes as they were read; a field is converted to a string on access.
package struct CSVRow: Sendable {
  let header: CSVHeader
  let record: CSVRecord

  /// The line of the file on which the record begins, counted from 1.
  package var line: Int { record.positions[0].line }

  /// Returns the fields in the order of the file.
  ///
  /// - Throws: ``TextFileError`` if a field is not UTF-8.
  package func texts() throws -> [String] {
    try record.positions.indices.map { try text(at: $0) }
  }

  /// Returns the field with a name of the header.
  ///
  /// - Throws: ``TextFileError`` if the header has no such name, or the field is not UTF-8.
  package func text(_ name: String) throws -> String {
    try text(at: header.index(of: name))
  }

  /// Returns the field with a name of the header, converted.
  ///
  /// - Parameters:
  ///   - name: A name of the header.
  ///   - kind: The expected kind of value, for the error: "a whole number".
  ///   - convert: Returns the value, or `nil` if the string is not such a value.
  /// - Returns: The converted value.
  /// - Throws: ``TextFileError`` with file, line, column, field and string if there is no value.
  package func value<Value>(
    _ name: String,
    _ kind: String,
    _ convert: (String) throws -> Value?
  ) throws -> Value {
    let text = try text(name)
    guard let value = try convert(text) else {
      throw error(at: name, "'\(text.visible)' is not \(kind)")
    }
    return value
  }

  /// Returns an error for a field.
  package func error(at name: String, _ message: String) -> TextFileError {
    let position = header.indices[name].map { record.positions[$0] }
    return TextFileError(
      file: header.file,
      position: position ?? record.positions[0],
      message: "field '\(name)': \(message)"
    )
  }

  private func text(at index: Int) throws -> String {
    let start = index == 0 ? 0 : record.ends[index - 1]
    let range = start..<record.ends[index]
    let text = record.bytes.withUnsafeBufferPointer { Self.text($0[range]) }
    guard let text else {
      throw TextFileError(
        file: header.file,
        position: record.positions[index],
        message: "field '\(header.names[index])': not UTF-8"
      )
    }
    return text
  }

  /// Creates a string from bytes; ASCII, which is almost everything, needs no validation.
  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    let bytes = UnsafeBufferPointer(rebasing: bytes)
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// The names of the fields, shared by all rows of a file.
final class CSVHeader: Sendable {
  let file: String
  let names: [String]
  let indices: [String: Int]

  init(file: String, names: [String]) throws {
    self.file = file
    self.names = names
    var indices: [String: Int] = [:]
    for (index, name) in names.enumerated() {
      guard indices.updateValue(index, forKey: name) == nil else {
        throw TextFileError(file: file, position: nil, message: "the header has '\(name)' twice")
      }
    }
    self.indices = indices
  }

  func index(of name: String) throws -> Int {
    guard let index = indices[name] else {
      let existing = names.joined(separator: ", ")
      throw TextFileError(
        file: file,
        position: nil,
        message: "the header has no field '\(name)'; it has \(existing)"
      )
    }
    return index
  }
}
