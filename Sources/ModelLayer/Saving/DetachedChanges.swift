import StoreProtocol

/// The kind of unsaved change of an object.
enum UnsavedChange {
  /// The object is new.
  case inserted
  /// Properties of the saved object changed.
  case changed
  /// A to-many relationship changed from its other end.
  case touched(Int)
  /// A saved object joined a to-many relationship from its own end.
  case joined(Int)
}

/// Unsaved changes of objects whose context has ended.
///
/// A context keeps the objects that it has to save, and each object keeps its context's state.
/// After the end of the context that would be a permanent cycle. These changes therefore last as
/// long as the program holds their objects. A context that is recreated takes them over.
struct DetachedChanges {
  private struct Entry {
    weak var model: (any PersistentModel)?
    let change: UnsavedChange
  }

  private var entries: [Entry] = []
  private var limit = 64

  /// The changes of the objects that the program still holds.
  var present: [(model: any PersistentModel, change: UnsavedChange)] {
    entries.compactMap { entry in entry.model.map { ($0, entry.change) } }
  }

  /// Adds a change.
  mutating func note(_ change: UnsavedChange, of model: any PersistentModel) {
    if entries.count == limit {
      entries.removeAll { $0.model == nil }
      limit = max(64, entries.count * 2)
    }
    entries.append(Entry(model: model, change: change))
  }
}
