import CSQLite
import StoreProtocol

/// An SQL function that evaluates the expression of a declaration, for a row that gets its value.
enum InitialValueFunction {
  /// The name of the function in statements.
  private static let name = "osd_initial"

  /// The expressions of a change of the structure.
  private final class Source {
    let values: [() throws -> SQLValue]

    init(_ values: [() throws -> SQLValue]) { self.values = values }
  }

  /// Returns the call for an expression.
  static func call(_ index: Int) -> String { "\(name)(\(index))" }

  fileprivate static func register(
    _ values: [() throws -> SQLValue],
    on connection: OpaquePointer?
  ) -> Int32 {
    SQLFunctions.add(name, Source(values), to: connection, count: 1, isDeterministic: false) {
      context,
      _,
      arguments in
      guard let arguments, let source: Source = SQLFunctions.object(context) else {
        return sqlite3_result_null(context)
      }
      do {
        let value = try source.values[Int(sqlite3_value_int64(arguments[0]))]()
        SQLFunctions.setResult(value, to: context)
      } catch {
        sqlite3_result_error(context, "an initial value cannot be stored: \(error)", -1)
      }
    }
  }
}

extension Connection {
  /// Sets the expressions that the next statements evaluate.
  func setInitialValues(_ values: [() throws -> SQLValue]) throws(SQLiteError) {
    guard !values.isEmpty else { return }
    let code = InitialValueFunction.register(values, on: handle)
    guard code == SQLITE_OK else { throw SQLiteError(connection: handle, code: code) }
  }
}
