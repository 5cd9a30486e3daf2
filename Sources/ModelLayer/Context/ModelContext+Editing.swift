import Foundation
import StoreProtocol

extension ModelContext {
  /// Registers a new object, and all that it refers to, for the next save.
  ///
  /// The object has a temporary identifier until then. Inserting an object again changes nothing;
  /// inserting one that is marked for deletion keeps it. A model that the container's schema lacks,
  /// or that belongs to another context, makes the next save fail with a message that names it.
  public func insert<T>(_ model: T) where T: PersistentModel {
    state.autosave.catchUp(state)
    state.insert(model)
  }

  /// Marks an object for removal at the next save; a new one is just forgotten.
  ///
  /// What the delete rules of its relationships say happens when the context next saves or
  /// fetches. An object that belongs to no context is left alone.
  public func delete<T>(_ model: T) where T: PersistentModel {
    state.autosave.catchUp(state)
    state.delete(model)
  }

  /// New objects that were not saved.
  public var insertedModelsArray: [any PersistentModel] { state.insertedModelsArray }

  /// Saved objects with changes that were not saved.
  public var changedModelsArray: [any PersistentModel] { state.changedModelsArray }

  /// Objects that the next save removes.
  public var deletedModelsArray: [any PersistentModel] { state.deletedModelsArray }

  /// Whether there is anything to save.
  public var hasChanges: Bool { state.hasChanges }

  /// Drops new objects, restores changed ones, and keeps those that were marked for deletion.
  ///
  /// Each object has then the values of the last save or fetch. New objects leave the context and
  /// keep their values. The undo manager is cleared.
  public func rollback() {
    state.rollback()
  }

  /// Runs a closure and then saves.
  ///
  /// When the closure throws, its changes are rolled back together with all others that were not
  /// saved, and the error is passed on. When the save throws, the changes stay pending.
  public func transaction(block: () throws -> Void) throws {
    try state.transaction(block: block)
  }

  /// Carries out what the delete rules say for objects that were marked since the last time.
  ///
  /// The context does so before each save and each fetch that includes pending changes. Called by a
  /// program, it also ends the undo manager's group of an event.
  public func processPendingChanges() {
    state.autosave.catchUp(state)
    state.processPendingChanges()
    state.undo?.eventEnded()
  }

  /// Writes all pending changes, all or nothing in each store.
  ///
  /// When this method returns, the changes survive a kill of the process, and a loss of power at
  /// the durability that the configuration names; objects have permanent identifiers. When it
  /// throws, nothing was stored, the changes are still pending, and the error says what to mend.
  ///
  /// After ``DataStoreError/outcomeUnknown`` the changes may be stored or not, and are pending as
  /// well. The next call first asks the store what became of them: what was saved counts as saved
  /// then, with its permanent identifiers, and what was not, or was changed since, is saved. Where
  /// the store can never tell, ``reset()`` forgets the save, and a fetch shows what is stored.
  ///
  /// Changes that concern several stores are saved store by store: where one of them throws, those
  /// of the stores before it are saved and pending no more.
  public func save() throws {
    try state.save()
  }
}
