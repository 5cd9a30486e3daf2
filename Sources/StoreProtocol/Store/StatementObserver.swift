/// A function that is called when a store begins to execute an SQL statement.
///
/// Each request has its own, also if the thread of another request executes its statements.
package final class StatementObserver: Sendable {
  /// The observer of the current request, or `nil` if there is none.
  @TaskLocal package static var current: StatementObserver?

  /// A function that is called when the statement has ended, with its error or `nil`.
  package typealias End = (_ error: (any Error)?) -> Void

  private let begin: @Sendable (_ sql: String) -> End

  /// Creates an observer with its function.
  package init(_ begin: @escaping @Sendable (_ sql: String) -> End) { self.begin = begin }

  /// Reports that a statement begins.
  package func callAsFunction(_ sql: String) -> End { begin(sql) }

  /// Runs a function with the observer of its request, or with none.
  package static func observing<Value>(
    _ observer: StatementObserver?,
    _ body: () throws -> Value
  ) rethrows -> Value {
    // A task-local value is an allocation.
    if observer == nil, current == nil { return try body() }
    return try $current.withValue(observer, operation: body)
  }
}
