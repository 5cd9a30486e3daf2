import Foundation
import StoreProtocol

extension ModelContext {
  /// Registers a new object, and all objects that it refers to, for the next save.
  ///
  /// The object has a temporary identifier until then. Inserting an object again changes nothing;
  /// inserting one that is marked for deletion keeps it, and what its delete rules removed. If the container's schema lacks the model,
  /// or the object belongs to another context, the next save throws an error that names it.
  public func insert<T>(_ model: T) where T: PersistentModel {
    state.existingAutosave?.catchUp(state)
    state.insert(model)
  }

  /// Marks an object for removal at the next save; a new one is only unregistered.
  ///
  /// The delete rules of its relationships are applied when the context next saves or fetches. If a
  /// fetch returned the new object in place of a stored one with the same unique values, that one is
  /// marked as well. An object that belongs to no context is unchanged. If it belongs to another
  /// context, the next save throws an error that names it.
  public func delete<T>(_ model: T) where T: PersistentModel {
    state.existingAutosave?.catchUp(state)
    state.delete(model)
  }

  /// New objects that were not saved.
  public var insertedModelsArray: [any PersistentModel] { state.pending.inserted }

  /// Saved objects with changes that were not saved.
  public var changedModelsArray: [any PersistentModel] {
    try? BulkChanges(in: state).carryOut()
    return state.pending.changed
  }

  /// Objects that the next save removes.
  public var deletedModelsArray: [any PersistentModel] {
    try? BulkChanges(in: state).carryOut()
    return state.pending.deleted
  }

  /// Whether there is anything to save, or an error that a save will throw.
  ///
  /// A read cannot throw: an object or a value that could not be loaded is an error of the next save.
  public var hasChanges: Bool { state.hasChanges || !state.problems.isEmpty }

  /// Drops new objects, restores changed ones, and keeps those that were marked for deletion.
  ///
  /// Each object then has the values of the last save or fetch. New objects leave the context and
  /// keep their values. The undo manager is cleared.
  public func rollback() {
    state.rollback()
  }

  /// Runs a closure and then saves.
  ///
  /// If the closure throws, its changes are rolled back together with all other unsaved changes,
  /// and the error is rethrown. If the save throws, the changes stay pending.
  public func transaction(block: () throws -> Void) throws {
    state.autosave.transactions += 1
    defer { state.autosave.transactions -= 1 }
    do {
      try block()
    } catch {
      state.rollback()
      throw error
    }
    try state.saver.save()
  }

  /// Applies the delete rules for objects that were marked since the last time.
  ///
  /// The context does so before each save and each fetch that includes pending changes. A call by
  /// the program also ends the undo manager's group of an event.
  public func processPendingChanges() {
    state.existingAutosave?.catchUp(state)
    state.processPendingChanges()
    state.undo?.eventEnded()
  }

  /// Saves all pending changes, all or nothing in each store.
  ///
  /// When this method returns, the changes survive a kill of the process. They survive a loss of
  /// power at the durability that the configuration specifies. Objects have permanent identifiers.
  /// If it throws, nothing was stored, the changes are still pending, and the error says what to
  /// fix.
  ///
  /// After ``DataStoreError/outcomeUnknown`` the changes may be stored or not, and are pending as
  /// well. The next call first asks the store for the outcome. What was stored then counts as
  /// saved, with its permanent identifiers. What was not stored, or was changed since, is saved. If
  /// the store can never tell, ``reset()`` drops the save, and a fetch shows what is stored.
  ///
  /// Changes that code of a value makes while the save encodes the value are pending when this
  /// method returns. A call of this method by such code throws.
  ///
  /// Changes that concern several stores are saved store by store. If one of them throws, the
  /// changes of the stores before it are saved and no longer pending.
  public func save() throws {
    try state.saver.save()
  }
}
