import Observation

/// The types of other modules that macro-generated code mentions.
///
/// A program may have a model called `Swift` or `Observation`, which hides the module of that name.
public enum _Names {
  /// The main actor.
  public typealias MainActor = _Concurrency.MainActor
  /// Swift's Boolean.
  public typealias Bool = Swift.Bool
  /// Swift's floating-point number.
  public typealias Double = Swift.Double
  /// Swift's integer.
  public typealias Int = Swift.Int
  /// The type itself, written so that a variable of an optional type does not start as `nil`.
  public typealias Stored<Value> = Value
  /// Swift's string.
  public typealias String = Swift.String
  /// The empty tuple.
  public typealias Void = Swift.Void
  /// Swift's protocol of values that can be passed between isolation domains.
  public typealias Sendable = Swift.Sendable
  /// Observation's protocol of objects that report their changes.
  public typealias Observable = Observation.Observable
}
