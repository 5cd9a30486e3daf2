import CSQLite
import Foundation
import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// A function that SQLite calls for a part of a query: an expression over some values of a row.
///
/// The evaluator compiles it, so that it has the same meaning in SQL as everywhere else.
///
/// Unchecked: a function is used by one run of one statement, which one thread steps.
final class RowFunction: @unchecked Sendable {
  private typealias Row = LeafRow<FunctionArguments>

  /// The accumulator of each group, for an aggregate function.
  let accumulator: AggregateAccumulator?

  private let plain: PlainTextTest?
  private let row: Row
  private let test: (Row) throws -> Bool?
  private let value: (Row) throws -> StoreValue

  /// Compiles an expression over its leaves, as a condition or for its value.
  init(
    _ expression: QueryExpression,
    isTest: Bool,
    leaves: [LeafContent],
    schema: StoreSchema,
    accumulator: AggregateAccumulator? = nil
  ) throws {
    self.accumulator = accumulator
    plain = isTest ? PlainTextTest(expression, leaves) : nil
    row = Row(leaves, offset: 1)
    let evaluator = QueryEvaluator<Row>(
      schema: schema,
      row: { _ in nil },
      members: { _, _ in [] }
    )
    test = isTest ? try evaluator.ternaryTest(of: expression) : { _ in nil }
    value = isTest ? { _ in .null } : try evaluator.reader(of: expression)
  }

  /// Returns whether the condition holds for the arguments, or `nil` if Swift would trap.
  func holds(_ arguments: FunctionArguments) throws -> Bool? {
    if let result = plain?.holds(arguments) { return result }
    row.source = arguments
    let result = try test(row)
    try row.failure.check()
    return result
  }

  /// Returns the value for the arguments, which is null if Swift would trap.
  func value(_ arguments: FunctionArguments) throws -> StoreValue {
    row.source = arguments
    let result = try value(row)
    try row.failure.check()
    return result
  }
}

extension RowFunction {
  // SQLite compares the bytes and keeps the pointer, which must remain valid forever.
  private static let pointerType: StaticString = "OpenSwiftData.RowFunction"

  private static var pointerName: UnsafePointer<CChar> {
    UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Binds the function to a statement, which retains it until another value is bound.
  fileprivate func bind(to statement: OpaquePointer, at index: Int) -> Int32 {
    sqlite3_bind_pointer(
      statement,
      Int32(index),
      Unmanaged.passRetained(self).toOpaque(),
      Self.pointerName
    ) { pointer in
      if let pointer { Unmanaged<RowFunction>.fromOpaque(pointer).release() }
    }
  }

  /// Returns the function that is the first argument of a call.
  static func of(_ value: OpaquePointer?) -> RowFunction? {
    guard let pointer = sqlite3_value_pointer(value, pointerName) else { return nil }
    return Unmanaged<RowFunction>.fromOpaque(pointer).takeUnretainedValue()
  }
}

extension Statement {
  /// Binds a row function, which the statement releases when its bindings are cleared.
  func bind(_ function: RowFunction, at index: Int) throws(SQLiteError) {
    let code = function.bind(to: handle, at: index)
    if code != SQLITE_OK { throw failed(code) }
  }
}
