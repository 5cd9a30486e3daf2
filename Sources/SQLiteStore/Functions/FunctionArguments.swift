import CSQLite
import Foundation

/// The arguments of a call by SQLite, valid while it lasts.
struct FunctionArguments: SQLRow {
  private let values: UnsafeMutablePointer<OpaquePointer?>

  init(_ values: UnsafeMutablePointer<OpaquePointer?>) {
    self.values = values
  }

  func storage(at index: Int) -> SQLStorage {
    SQLStorage(sqlite3_value_type(values[index]))
  }

  func integer(at index: Int) -> Int64 { sqlite3_value_int64(values[index]) }

  func real(at index: Int) -> Double { sqlite3_value_double(values[index]) }

  func text(at index: Int) -> String? {
    guard let start = sqlite3_value_text(values[index]) else { return "" }
    let count = Int(sqlite3_value_bytes(values[index]))
    return String(exactly: UnsafeBufferPointer(start: start, count: count))
  }

  func withBytes<Result>(
    at index: Int,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = sqlite3_value_blob(values[index])
    let count = Int(sqlite3_value_bytes(values[index]))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
