import Observation
import OpenSwiftData

// Objects that outlive their context.

/// What an observation captures.
private final class Watcher: Sendable {}

extension Pattern {
  static let outliving: [Pattern] = [
    Pattern("an object is held, and nothing else is done") { _ = try $0.shelf() },
    Pattern("an attribute is read after the context ended") { _ = try $0.shelf().name },
    Pattern("an attribute is changed after the context ended") { try $0.shelf().name = "changed" },
    Pattern("an attribute is changed twice after the context ended") {
      let shelf = try $0.shelf()
      shelf.name = "changed"
      shelf.name = "again"
    },
    Pattern("a change is saved by a context that came back") {
      let shelf = try $0.shelf()
      shelf.name += ""
      try shelf.modelContext?.save()
    },
    Pattern("a change is taken back by a context that came back") {
      let shelf = try $0.shelf()
      shelf.name = "changed"
      shelf.modelContext?.rollback()
    },
    Pattern("a change is left to a context that came back") {
      let shelf = try $0.shelf()
      shelf.name = "changed"
      _ = shelf.modelContext?.hasChanges
      _ = shelf.volumes.map(\.title)
    },
    Pattern("a context comes back twice") {
      let shelf = try $0.shelf()
      _ = shelf.modelContext?.container
      _ = shelf.volumes.map { $0.modelContext }
    },
    Pattern("an object is deleted by a context that came back, unsaved") {
      let shelf = try $0.shelf()
      shelf.modelContext?.delete(shelf)
    },
    Pattern("a snapshot is taken") { _ = try $0.shelf().snapshot() },
    Pattern("a snapshot with related objects is taken") {
      _ = try $0.shelf().snapshot(including: \.volumes)
    },
    Pattern("a snapshot with related objects of several levels is taken") {
      _ = try $0.shelf().snapshot(including: \.volumes, \Volume.subjects)
    },
    Pattern("a snapshot of a changed object is taken") {
      let volume = try $0.volume()
      volume.title = "changed"
      _ = try volume.snapshot(including: \.shelf, \Volume.subjects)
    },
    Pattern("an object is observed") { scene in
      let shelf = try scene.shelf()
      let watcher = Watcher()
      scene.census.note(watcher)
      withObservationTracking {
        _ = shelf.name
        _ = shelf.volumes.first?.shelf
      } onChange: {
        _ = watcher
      }
    },
    Pattern("an object is observed by what reads it in other ways") { scene in
      let shelf = try scene.shelf()
      let watcher = Watcher()
      scene.census.note(watcher)
      withObservationTracking {
        _ = shelf.count(of: \.volumes)
        _ = try? shelf.snapshot()
      } onChange: {
        _ = watcher
      }
    },
    Pattern("an observed object is changed") { scene in
      let shelf = try scene.shelf()
      withObservationTracking {
        _ = shelf.name
      } onChange: {
        _ = scene
      }
      shelf.name = "changed"
    },
    Pattern("an object is changed whose context saved by itself") {
      let context = $0.context()
      context.autosaveEnabled = true
      let shelf = try context.fetch(FetchDescriptor<Shelf>()).first
      shelf?.name += ""
    },
    Pattern("an object of an ended context with autosave is changed") {
      let shelf = try {
        let context = $0.context()
        context.autosaveEnabled = true
        return try context.fetch(FetchDescriptor<Shelf>()).first
      }($0)
      shelf?.name += ""
    },
  ]

  static let relating: [Pattern] = [
    Pattern("a relationship to many is read") { _ = try $0.shelf().volumes.map(\.title) },
    Pattern("a relationship to one is read") { _ = try $0.volume().shelf?.name },
    Pattern("both ends of a relationship are read") {
      _ = try $0.shelf().volumes.map { $0.shelf?.name }
    },
    Pattern("both ends are read from the other end") {
      _ = try $0.volume().shelf?.volumes.map { $0.shelf?.volumes.count }
    },
    Pattern("both ends of a relationship of many to many are read") {
      _ = try $0.volume().subjects.map { $0.volumes.map { $0.subjects.map(\.word) } }
    },
    Pattern("all that is related is walked through") {
      let shelf = try $0.shelf()
      for volume in shelf.volumes {
        for subject in volume.subjects {
          for other in subject.volumes { _ = other.shelf?.volumes.count }
        }
      }
    },
    Pattern("a new object joins a relationship to many") {
      try $0.shelf().volumes.append(Volume("new"))
    },
    Pattern("a new object refers to one of an ended context") {
      let volume = Volume("new")
      volume.shelf = try $0.shelf()
    },
    Pattern("a relationship to one is emptied") { try $0.volume().shelf = nil },
    Pattern("a relationship to many is emptied") { try $0.shelf().volumes = [] },
    Pattern("members change their order") { try $0.volume().subjects.reverse() },
    Pattern("a relationship is changed and saved by a context that came back", isSlow: true) {
      let volume = try $0.volume()
      let shelf = volume.shelf
      volume.shelf = nil
      try volume.modelContext?.save()
      volume.shelf = shelf
      try volume.modelContext?.save()
    },
  ]
}
