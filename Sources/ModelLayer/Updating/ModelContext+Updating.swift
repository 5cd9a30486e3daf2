import Foundation
import StoreProtocol

extension ModelContext {
  /// Changes properties of all objects that satisfy a predicate.
  ///
  /// ```swift
  /// try context.update(
  ///   model: Trip.self,
  ///   where: #Predicate { $0.startDate < today },
  ///   set: .set(\.isOver, to: true), .set(\.views, to: #Expression { $0.views + 1 })
  /// )
  /// ```
  ///
  /// Like other changes, and like ``delete(model:where:includeSubclasses:)``, they take effect at the
  /// next save and can be rolled back. Every new value is computed before the first is set, so that
  /// the updates do not see each other.
  ///
  /// - Parameters:
  ///   - model: The model type; objects of models that inherit from it are changed too.
  ///   - predicate: What must hold for an object, nil for all.
  ///   - updates: What to change.
  /// - Returns: The number of objects that were changed.
  /// - Throws: ``DataStoreError/invalidValue`` for a value that cannot be computed, after which
  ///   nothing is changed, and what ``fetch(_:)`` throws.
  /// - Complexity: O(*n*) objects in memory until they are saved; none where the store makes such
  ///   changes itself, as one statement of a SQLite store (``RecordStore/supports(_:)``), and the
  ///   context has neither unsaved changes nor objects of the model or of models related to it.
  ///   Property observers run for objects in memory alone.
  @discardableResult
  public func update<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    set updates: PropertyUpdate<T>...
  ) throws -> Int where T: PersistentModel {
    try state.update(where: predicate, updates)
  }
}
