import CSQLite
import Foundation
import SQLTranslation
import StoreFiles
import StoreProtocol

/// The functions that statements of the store call.
///
/// They are for direct use only: SQLite refuses a schema that uses them, which only a hostile file
/// could have.
enum SQLFunctions {
  typealias Values = UnsafeMutablePointer<OpaquePointer?>
  typealias Function = @convention(c) (OpaquePointer?, Int32, Values?) -> Void

  /// Registers the functions with a connection; errors in them are noted.
  static func register(
    on connection: OpaquePointer?,
    _ files: ValueFiles?,
    _ failure: EvaluationFailure
  ) -> Int32 {
    let codes = [
      add(RowFunctionKind.holds.rawValue, failure, to: connection) { context, _, values in
        SQLFunctions.call(context, values) { function, arguments in
          switch try function.holds(arguments) {
          case true?: sqlite3_result_int(context, 1)
          case false?: sqlite3_result_int(context, 0)
          case nil: sqlite3_result_null(context)
          }
        }
      },
      add(RowFunctionKind.sortKey.rawValue, failure, to: connection) { context, _, values in
        SQLFunctions.call(context, values) { function, arguments in
          SQLFunctions.setResult(SortKey.bytes(of: try function.value(arguments)), to: context)
        }
      },
      add(MemberPositions.name, MemberPositions(), to: connection) { context, count, values in
        guard count == 2, let values, let positions: MemberPositions = SQLFunctions.object(context)
        else { return sqlite3_result_null(context) }
        sqlite3_result_int64(context, positions.position(FunctionArguments(values)))
      },
      FileFunction.register(on: connection, files, failure),
    ]
    let failed = codes.first { $0 != SQLITE_OK }
    return failed ?? GroupFunction.register(on: connection, failure)
  }

  /// Adds a function, with an object that lives as long as the function.
  ///
  /// - Parameters:
  ///   - name: The function's name in statements.
  ///   - object: The object.
  ///   - connection: The connection that can call the function.
  ///   - count: The number of arguments, or -1 for any number.
  ///   - isDeterministic: Whether equal arguments have equal results.
  ///   - function: The function, or `nil` for an aggregate function.
  ///   - step: Adds a row to an aggregate.
  ///   - end: Returns the result of an aggregate.
  /// - Returns: SQLite's code.
  static func add(
    _ name: String,
    _ object: AnyObject,
    to connection: OpaquePointer?,
    count: Int32 = -1,
    isDeterministic: Bool = true,
    _ function: Function? = nil,
    step: Function? = nil,
    end: (@convention(c) (OpaquePointer?) -> Void)? = nil
  ) -> Int32 {
    sqlite3_create_function_v2(
      connection,
      name,
      count,
      SQLITE_UTF8 | SQLITE_DIRECTONLY | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(object).toOpaque(),
      function,
      step,
      end
    ) { pointer in
      if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
  }

  /// Returns the object with which a function was added.
  static func object<Object: AnyObject>(_ context: OpaquePointer?) -> Object? {
    sqlite3_user_data(context).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs the row function that is the first argument; its errors end the statement.
  static func call(
    _ context: OpaquePointer?,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: (RowFunction, FunctionArguments) throws -> Void
  ) {
    guard let values, let function = RowFunction.of(values[0]) else {
      return sqlite3_result_error(context, "not a function of the store", -1)
    }
    do {
      try body(function, FunctionArguments(values))
    } catch {
      note(error, context)
    }
  }

  /// Keeps an error for the caller that steps the statement, and ends the statement.
  static func note(_ error: any Error, _ context: OpaquePointer?) {
    let failure: EvaluationFailure? = object(context)
    failure?.note(error)
    sqlite3_result_error(context, "a function of the store failed", -1)
  }

  private static func setResult(_ bytes: [UInt8]?, to context: OpaquePointer?) {
    guard let bytes else { return sqlite3_result_null(context) }
    csqlite_result_blob(context, bytes, UInt64(bytes.count))
  }

  static func setResult(_ value: SQLValue, to context: OpaquePointer?) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let number): sqlite3_result_int64(context, number)
    case .real(let number): sqlite3_result_double(context, number)
    case .text(let text): setResult(text, to: context)
    case .blob(let data): setResult(Array(data), to: context)
    }
  }

  static func setResult(_ text: String, to context: OpaquePointer?) {
    csqlite_result_text(context, text, UInt64(text.utf8.count))
  }
}
