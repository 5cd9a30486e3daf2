import CommandLineSupport

/// Reads a file of comma-separated values (RFC 4180) row by row.
///
/// The first record is the header. Lines end with LF or CR LF. A quoted field may contain commas,
/// line breaks and, doubled, quotes. Every row has as many fields as the header; empty lines
/// between rows are skipped if the header has several fields. The caller defines missing values: an
/// empty field is an empty string.
///
/// The reader holds one chunk of the file and one record, however large the file is.
package final class CSVReader {
  private var scanner: CSVScanner
  private let fields: CSVHeader

  /// Opens a file and reads its header.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - delimiter: The byte between fields.
  ///   - chunkSize: The number of bytes that are read at once.
  ///   - longestRecord: The number of bytes at which a record counts as an error, such as an
  ///     unclosed quote.
  /// - Throws: ``TextFileError`` if the file cannot be opened or has no usable header.
  package init(
    path: String,
    delimiter: UInt8 = UInt8(ascii: ","),
    chunkSize: Int = 262_144,
    longestRecord: Int = 16_777_216
  ) throws {
    let file = try ChunkedFile(path: path, chunkSize: chunkSize)
    scanner = CSVScanner(file: file, delimiter: delimiter, longestRecord: longestRecord)
    try scanner.skipByteOrderMark()
    guard let record = try scanner.nextRecord() else {
      throw TextFileError(
        file: path,
        position: nil,
        message: "the file is empty; it needs a header"
      )
    }
    let unnamed = try CSVHeader(file: path, names: record.ends.indices.map { "\($0 + 1)" })
    let names = try CSVRow(header: unnamed, record: record).texts()
    fields = try CSVHeader(file: path, names: names)
  }

  /// The names of the fields in the order of the file.
  package var header: [String] { fields.names }

  /// The number of bytes read so far, for a progress bar.
  package var bytesRead: Int { scanner.bytesRead }

  /// The number of bytes of the whole file when it was opened.
  package var fileSize: Int { scanner.file.size }

  /// Checks that the header has all required fields.
  ///
  /// - Throws: ``TextFileError`` that names the first missing field.
  package func require(_ names: [String]) throws {
    for name in names { _ = try fields.index(of: name) }
  }

  /// Reads the next row.
  ///
  /// - Returns: The row, or `nil` after the last one.
  /// - Throws: ``TextFileError`` with file, line and column of the first error.
  /// - Complexity: O(*n*) for a record of *n* bytes.
  package func next() throws -> CSVRow? {
    while let record = try scanner.nextRecord() {
      if record.isEmptyLine, fields.names.count > 1 { continue }
      guard record.ends.count == fields.names.count else {
        throw TextFileError(
          file: fields.file,
          position: record.positions[0],
          message: "\(record.ends.count) fields, but the header has \(fields.names.count)"
        )
      }
      return CSVRow(header: fields, record: record)
    }
    return nil
  }
}
