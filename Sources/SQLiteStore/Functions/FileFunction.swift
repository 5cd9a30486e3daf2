import CSQLite
import Foundation
import SQLTranslation
import StoreFiles
import StoreProtocol

/// An SQL function that returns the value of a column that may have a reference to a file instead.
///
/// It returns the content of the file, or the column unchanged.
enum FileFunction {
  /// The name of the function in statements.
  static let name = "osd_file"

  /// The objects that the function uses.
  private final class Source {
    let files: ValueFiles?
    let failure: EvaluationFailure

    init(_ files: ValueFiles?, _ failure: EvaluationFailure) {
      self.files = files
      self.failure = failure
    }
  }

  /// Returns the call for a column, with the names for errors.
  static func call(
    _ column: SQLFragment,
    as type: AttributeType,
    entity: String,
    property: String
  ) -> SQLFragment {
    let names = "\(SQLText.literal(entity)), \(SQLText.literal(property))"
    return "\(name)(\(column), \(SQLText.literal(type.rawValue)), \(names))"
  }

  static func register(
    on connection: OpaquePointer?,
    _ files: ValueFiles?,
    _ failure: EvaluationFailure
  ) -> Int32 {
    SQLFunctions.add(name, Source(files, failure), to: connection, count: 4) { context, _, values in
      FileFunction.call(context, values)
    }
  }

  private static func call(_ context: OpaquePointer?, _ values: SQLFunctions.Values?) {
    guard let values, let source: Source = SQLFunctions.object(context) else {
      return sqlite3_result_null(context)
    }
    let arguments = FunctionArguments(values)
    guard let type = arguments.text(at: 1).flatMap(AttributeType.init(rawValue:)),
      let reference = arguments.fileReference(at: 0, as: type)
    else { return sqlite3_result_value(context, values[0]) }
    do {
      try setResult(reference, type, source.files, to: context)
    } catch {
      let attribute = (entity: arguments.text(at: 2), property: arguments.text(at: 3))
      source.failure.note(error.translated(entity: attribute.entity, property: attribute.property))
      sqlite3_result_error(context, "the file of a value cannot be read", -1)
    }
  }

  /// Reads the file directly into the memory that becomes the result.
  private static func setResult(
    _ reference: FileReference,
    _ type: AttributeType,
    _ files: ValueFiles?,
    to context: OpaquePointer?
  ) throws(ValueFileError) {
    guard let files else { throw .missing(path: reference.name) }
    let file = try files.openWhole(reference)
    guard let memory = sqlite3_malloc64(UInt64(max(reference.size, 1))) else {
      return sqlite3_result_error_nomem(context)
    }
    do throws(ValueFileError) {
      let buffer = UnsafeMutableRawBufferPointer(start: memory, count: reference.size)
      try files.fill(buffer, from: file, reference)
    } catch {
      sqlite3_free(memory)
      throw error
    }
    let size = UInt64(reference.size)
    if type == .data { return sqlite3_result_blob64(context, memory, size, sqlite3_free) }
    let text = memory.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, size, sqlite3_free, UInt8(SQLITE_UTF8))
  }
}
