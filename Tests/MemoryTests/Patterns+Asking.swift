import Foundation
import OpenSwiftData

// Questions of all kinds, and what watches and owns.

extension Pattern {
  static let asking: [Pattern] = [
    Pattern("objects are enumerated") {
      try $0.context().enumerate(FetchDescriptor<Volume>(), batchSize: 2) { _ = $0.shelf?.name }
    },
    Pattern("a collection of batches outlives its context") {
      let volumes = try $0.context().fetch(FetchDescriptor<Volume>(), batchSize: 2)
      _ = volumes.map { $0.shelf?.name }
    },
    Pattern("a collection of batches is dropped half read") {
      _ = try $0.context().fetch(FetchDescriptor<Volume>(), batchSize: 1).first?.subjects.count
    },
    Pattern("objects are counted, and their values asked for") {
      let context = $0.context()
      _ = try context.fetchCount(FetchDescriptor<Volume>(predicate: #Predicate { $0.pages > 100 }))
      _ = try context.fetch(FetchDescriptor<Volume>(), select: \.title, \.pages)
      _ = try context.fetchIdentifiers(FetchDescriptor<Volume>())
    },
    Pattern("relationships are prefetched") {
      var descriptor = FetchDescriptor<Shelf>()
      descriptor.relationshipKeyPathsForPrefetching = [\.volumes]
      _ = try $0.context().fetch(descriptor).first?.volumes.first?.shelf
    },
    Pattern("objects are read in part") {
      var descriptor = FetchDescriptor<Volume>()
      descriptor.propertiesToFetch = [\.title]
      _ = try $0.context().fetch(descriptor).first?.pages
    },
    Pattern("an object is found by its identifier") {
      let identifier = try $0.volume().persistentModelID
      let volume = $0.context().model(for: identifier)
      _ = (volume as? Volume)?.shelf?.name
    },
    Pattern("a predicate is refused") {
      let context = $0.context()
      context.requiresNativeFetches = true
      _ = try? context.fetch(
        FetchDescriptor<Volume>(predicate: #Predicate { $0.title.contains(/x/) })
      )
    },
    Pattern("a fault limit is exceeded") {
      let context = $0.context()
      let volumes = try context.fetch(FetchDescriptor<Volume>())
      try? context.withFaultLimit(.init(0, .throw)) { _ = volumes.first?.shelf?.name }
    },
    Pattern("a snapshot is coded and put into another context") {
      let snapshot = try $0.volume().snapshot()
      let data = try JSONEncoder().encode(snapshot)
      let copy = try JSONDecoder().decode(ModelSnapshot<Volume>.self, from: data)
      _ = try $0.context().upsert(copy)
    },
    Pattern("history is read") {
      _ = try? $0.context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    },
    Pattern("a fetch is explained") {
      _ = try $0.context().explain(FetchDescriptor<Volume>(predicate: #Predicate { $0.pages > 1 }))
    },
  ]

  static let observing: [Pattern] = [
    Pattern("an observer is made and dropped") {
      let context = $0.context()
      let observer = try ResultsObserver(
        fetchDescriptor: FetchDescriptor<Volume>(),
        modelContext: context
      )
      $0.census.note(observer)
      $0.census.note(context)
      _ = observer.results.count
    },
    Pattern("an observer outlives the context of its making") {
      let observer = try ResultsObserver(
        fetchDescriptor: FetchDescriptor<Volume>(),
        modelContext: $0.context()
      )
      observer.results.first?.title = "changed"
      $0.census.note(observer)
    },
    Pattern("an observer is notified of a save", isSlow: true) {
      let context = $0.context()
      let observer = try ResultsObserver(
        fetchDescriptor: FetchDescriptor<Volume>(),
        modelContext: context
      )
      let other = $0.context()
      try other.fetch(FetchDescriptor<Volume>()).first?.pages += 1
      try other.save()
      try observer.refresh()
      $0.census.note(context)
    },
    Pattern("a sequence of results is left half way") {
      let context = $0.context()
      var iterator = context.results(of: FetchDescriptor<Volume>()).makeAsyncIterator()
      _ = try await iterator.next(isolation: #isolation)
      $0.census.note(context)
    },
    Pattern("a task that waits for results is cancelled") { scene in
      let task = Task {
        for try await volumes in scene.container.snapshots(of: FetchDescriptor<Volume>()) {
          _ = volumes.count
        }
      }
      task.cancel()
      _ = await task.result
    },
    Pattern("a task that waits for history is cancelled") { scene in
      let task = Task {
        for try await transaction in scene.container.transactions() { _ = transaction }
      }
      task.cancel()
      _ = await task.result
    },
  ]

  static let owning: [Pattern] = [
    Pattern("an actor is made, asked and dropped") {
      let librarian = Librarian(modelContainer: $0.container)
      await librarian.observe($0.census)
      _ = try await librarian.titles()
      $0.census.note(librarian)
    },
    Pattern("an actor saves and is dropped", isSlow: true) {
      let librarian = Librarian(modelContainer: $0.container)
      try await librarian.addsAndRemoves()
      $0.census.note(librarian)
    },
    Pattern("an actor is dropped with unsaved changes") {
      let librarian = Librarian(modelContainer: $0.container)
      await librarian.leavesUnsaved()
      await librarian.observe($0.census)
      $0.census.note(librarian)
    },
    Pattern("a container is opened and dropped", isSlow: true) {
      let container = try ModelContainer(for: Scene.schema, store: $0.url)
      $0.census.note(container)
      _ = try ModelContext(container).fetchCount(FetchDescriptor<Volume>())
    },
    Pattern("an object outlives the container", isSlow: true) {
      var shelf: Shelf?
      try {
        let container = try ModelContainer(for: Scene.schema, store: $0.url)
        $0.census.note(container)
        shelf = try ModelContext(container).fetch(FetchDescriptor<Shelf>()).first
      }($0)
      _ = shelf?.volumes.map { $0.shelf?.name }
      shelf?.name = "changed"
    },
    Pattern("a container's main context is used", isSlow: true) { scene in
      try await MainActor.run {
        let container = try ModelContainer(for: Scene.schema, store: scene.url)
        scene.census.note(container)
        scene.census.note(container.mainContext)
        try container.mainContext.fetch(FetchDescriptor<Shelf>()).first?.name += ""
        try container.mainContext.save()
      }
    },
  ]
}
