import CSQLite
import QueryEvaluation
import SQLTranslation
import StoreProtocol
import StructuredText

/// An aggregate function of SQL that computes results by the store contract, using the contract's
/// own code.
///
/// Sums are not rounded, strings are in Swift's order, and numbers may include NaN. The first
/// argument is a row function; the result is JSON, which represents every value exactly.
enum GroupFunction {
  /// The accumulated state of a group.
  private final class Group {
    var accumulator: AggregateAccumulator

    init(_ accumulator: AggregateAccumulator) { self.accumulator = accumulator }
  }

  static func register(on connection: OpaquePointer?, _ failure: EvaluationFailure) -> Int32 {
    SQLFunctions.add(
      RowFunctionKind.aggregate.rawValue,
      failure,
      to: connection,
      step: { context, _, values in
        SQLFunctions.call(context, values) { function, arguments in
          guard let group = GroupFunction.group(of: context, function) else {
            return sqlite3_result_error_nomem(context)
          }
          group.accumulator.add(try function.value(arguments))
        }
      },
      end: { context in GroupFunction.finish(context) }
    )
  }

  /// Returns the group of a call, and creates it for the first row.
  private static func group(of context: OpaquePointer?, _ function: RowFunction) -> Group? {
    let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard let memory = sqlite3_aggregate_context(context, size),
      let accumulator = function.accumulator
    else { return nil }
    let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    if let pointer = slot.pointee {
      return Unmanaged<Group>.fromOpaque(pointer).takeUnretainedValue()
    }
    let group = Group(accumulator)
    slot.pointee = Unmanaged.passRetained(group).toOpaque()
    return group
  }

  /// Returns the result to SQLite and releases the group; the result is null if there was no row.
  private static func finish(_ context: OpaquePointer?) {
    guard let memory = sqlite3_aggregate_context(context, 0),
      let pointer = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    else { return sqlite3_result_null(context) }
    let group = Unmanaged<Group>.fromOpaque(pointer).takeRetainedValue()
    do {
      SQLFunctions.setResult(try JSONText.encoded(group.accumulator.result()), to: context)
    } catch {
      SQLFunctions.note(error, context)
    }
  }
}
