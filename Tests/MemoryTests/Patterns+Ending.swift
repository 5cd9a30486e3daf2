import Foundation
import OpenSwiftData

// Contexts that end, whatever they have.

extension Pattern {
  static let ending: [Pattern] = [
    Pattern("a context is made and dropped") { _ = $0.context() },
    Pattern("a context with autosave is made and dropped") {
      $0.context().autosaveEnabled = true
    },
    Pattern("objects are fetched and dropped with their context") {
      let context = $0.context()
      for volume in try context.fetch(FetchDescriptor<Volume>()) {
        $0.census.note(volume)
        _ = volume.shelf?.volumes.count
        _ = volume.subjects.first?.volumes.count
      }
    },
    Pattern("a context ends with unsaved insertions") {
      let context = $0.context()
      let shelf = Shelf("new")
      shelf.volumes = [Volume("one"), Volume("two")]
      context.insert(shelf)
      $0.census.note(shelf)
      for volume in shelf.volumes { $0.census.note(volume) }
    },
    Pattern("a context ends with unsaved changes") {
      let context = $0.context()
      let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      shelf?.name = "changed"
      shelf?.volumes.first?.subjects = []
    },
    Pattern("a context ends before the object that it changed") {
      var shelf: Shelf?
      try {
        let context = $0.context()
        shelf = try context.fetch(FetchDescriptor<Shelf>()).first
        shelf?.name = "changed"
        shelf?.volumes.append(Volume("new"))
      }($0)
      shelf?.name = "changed later"
      _ = shelf?.volumes.count
    },
    Pattern("a context ends with unsaved deletions") {
      let context = $0.context()
      for shelf in try context.fetch(FetchDescriptor<Shelf>()) { context.delete(shelf) }
      _ = context.deletedModelsArray
    },
    Pattern("an object is inserted, saved, deleted and saved", isSlow: true) {
      let context = $0.context()
      let volume = Volume("new")
      context.insert(volume)
      try context.save()
      context.delete(volume)
      try context.save()
      $0.census.note(volume)
    },
    Pattern("another context removes what one has", isSlow: true) {
      let context = $0.context()
      let volume = Volume("new")
      volume.shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      context.insert(volume)
      try context.save()
      let other = $0.context()
      try other.delete(model: Volume.self, where: #Predicate { $0.title == "new" })
      try other.save()
      _ = try context.fetch(FetchDescriptor<Volume>())
    },
    Pattern("changes are rolled back") {
      let context = $0.context()
      let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      shelf?.volumes.append(Volume("new"))
      context.rollback()
    },
    Pattern("a context is reset") {
      let context = $0.context()
      let volumes = try context.fetch(FetchDescriptor<Volume>())
      _ = volumes.first?.shelf?.volumes.count
      context.reset()
    },
    Pattern("unused objects are evicted") {
      let context = $0.context()
      let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      _ = shelf?.volumes.map { $0.subjects.count }
      context.evictUnused()
    },
    Pattern("changes are undone") {
      let context = $0.context()
      let manager = UndoManager()
      context.undoManager = manager
      let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      shelf?.name = "changed"
      shelf?.volumes.removeAll()
      context.processPendingChanges()
      manager.undo()
    },
    Pattern("changes wait for being undone as their context ends") {
      let manager = UndoManager()
      let context = $0.context()
      context.undoManager = manager
      try context.fetch(FetchDescriptor<Shelf>()).first?.name = "changed"
      context.insert(Volume("new"))
      context.processPendingChanges()
    },
    Pattern("a new object is deleted, and nothing saved") {
      let context = $0.context()
      let volume = Volume("new")
      context.insert(volume)
      context.delete(volume)
      context.processPendingChanges()
    },
    Pattern("a transaction throws") {
      let context = $0.context()
      try? context.transaction {
        context.insert(Volume("new"))
        throw NothingStored()
      }
    },
    Pattern("a save is refused") {
      let context = $0.context()
      context.mergePolicy = .error
      let subjects = try context.fetch(FetchDescriptor<Subject>(sortBy: [SortDescriptor(\.word)]))
      subjects.last?.word = subjects.first?.word ?? ""
      try? context.save()
    },
    Pattern("a bulk change is left to an ending context") {
      let context = $0.context()
      try context.delete(model: Volume.self)
      try context.update(model: Volume.self, set: .set(\.pages, to: 1))
    },
    Pattern("two contexts are in conflict", isSlow: true) {
      let (context, other) = ($0.context(), $0.context())
      context.mergePolicy = .error
      let mine = try context.fetch(FetchDescriptor<Volume>()).first
      let theirs = try other.fetch(FetchDescriptor<Volume>()).first
      mine?.pages += 1
      theirs?.pages += 2
      try other.save()
      try? context.save()
    },
  ]
}
