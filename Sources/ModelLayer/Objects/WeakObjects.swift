import StoreProtocol

/// Objects that the list does not keep alive, each with a note.
struct WeakObjects<Note> {
  private struct Entry {
    weak var model: (any PersistentModel)?
    let note: Note
  }

  private var entries: [Entry] = []
  private var limit = 64

  /// The objects that still exist, in the order in which they were added.
  var present: [(model: any PersistentModel, note: Note)] {
    entries.compactMap { entry in entry.model.map { ($0, entry.note) } }
  }

  /// Adds an object.
  mutating func add(_ model: any PersistentModel, _ note: Note) {
    if entries.count == limit {
      entries.removeAll { $0.model == nil }
      limit = max(64, entries.count * 2)
    }
    entries.append(Entry(model: model, note: note))
  }
}
