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
  /// Like other changes, and like ``delete(model:where:includeSubclasses:)``, they take effect at
  /// the next save and can be rolled back. They concern the objects that match now, and every new
  /// value is computed now, so that the updates do not depend on each other.
  ///
  /// - Parameters:
  ///   - model: The model type; objects of models that inherit from it are changed too.
  ///   - predicate: The condition for objects. `nil` matches all objects.
  ///   - updates: The changes.
  /// - Returns: The number of objects that were changed.
  /// - Throws: ``DataStoreError/invalidValue`` for a value that cannot be computed, after which
  ///   nothing is changed, and errors of ``fetch(_:)-(FetchDescriptor<T>)``.
  /// - Complexity: O(*n*) objects in memory until they are saved, or *n* identifiers and computed values
  ///   if two conditions are met. The store applies such changes itself, by statements of SQLite and PostgreSQL
  ///   (``RecordStore/plan(_:explained:)``). The context has neither unsaved changes nor
  ///   objects of the model or of models related to it. Property observers run only for objects in
  ///   memory.
  @discardableResult
  public func update<T>(
    model: T.Type,
    where predicate: Predicate<T>? = nil,
    set updates: PropertyUpdate<T>...
  ) throws -> Int where T: PersistentModel {
    try BulkChanges(in: state).update(where: predicate, updates)
  }
}
