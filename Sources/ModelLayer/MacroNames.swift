import Observation
import StoreProtocol

/// The types of other modules that macro-generated code mentions.
///
/// A program may have a model called `Swift` or `Observation`, which hides the module of that name.
public enum _Names {
  /// The protocol of all classes.
  public typealias AnyObject = Swift.AnyObject
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

/// The kind of a type that is a model.
public struct _ModelKind {}

/// The kind of a type that is no model.
public struct _ValueKind {}

/// Returns the kind of a model's type.
///
/// A macro sees only the name of a type, such as `Date`. The compiler selects one of these functions
/// by the type, and with it the macro that has their result as an argument.
public func _kind<M: PersistentModel>(of type: M.Type) -> _ModelKind { _ModelKind() }

/// Returns the kind of any other type.
@_disfavoredOverload
public func _kind<T>(of type: T.Type) -> _ValueKind { _ValueKind() }
