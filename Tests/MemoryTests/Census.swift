import AllocationCounting
import Dispatch
import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization

@testable import ModelLayer

/// Counts what is left of a pattern of use: the objects that it named.
final class Census: @unchecked Sendable {
  // Unchecked: the lock guards the entries, whose objects are only asked whether they live.
  private struct Entry {
    weak var object: AnyObject?
    let kind: String
  }

  private let lock = NSLock()
  private var entries: [Entry] = []
  private var limit = 256

  /// Counts an object for as long as it lives.
  func note(_ object: AnyObject) {
    lock.withLock {
      entries.append(Entry(object: object, kind: "\(type(of: object))"))
      guard entries.count > limit else { return }
      entries.removeAll { $0.object == nil }
      limit = max(256, entries.count * 2)
    }
  }

  /// Counts a context, its state, and what they own.
  func note(_ context: ModelContext) {
    note(context as AnyObject)
    note(context.state)
    note(context.state.objects)
    note(context.state.autosave)
    if let keeper = context.state.updater {
      note(keeper)
      note(keeper.box)
    }
  }

  /// The objects that are alive, by type.
  var living: [String: Int] {
    lock.withLock {
      entries.reduce(into: [:]) { if $1.object != nil { $0[$1.kind, default: 0] += 1 } }
    }
  }
}

/// What a process holds.
struct Holdings {
  /// The bytes that the allocator has given out, 0 where it does not tell.
  let bytes: Int
  /// The names of the open files.
  let descriptors: [String]
  /// The threads.
  let threads: Int

  /// Looks at the process.
  static func now() -> Holdings {
    let descriptors = entries("fd").map { number in
      let path = "/proc/self/fd/\(number)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? "closed"
    }
    return Holdings(
      bytes: allocated_bytes(),
      descriptors: descriptors.sorted(),
      threads: entries("task").count
    )
  }

  /// Describes what a pass of rounds has left.
  func growth(since before: Holdings, rounds: Int) -> [String] {
    var growth: [String] = []
    let bytes = bytes - before.bytes
    if bytes >= 100_000 + rounds * 4 { growth.append("\(bytes) bytes in \(rounds) rounds") }
    if descriptors.count > before.descriptors.count {
      growth.append("\(descriptors.difference(from: before.descriptors))")
    }
    let threads = threads - before.threads
    if threads > 2 { growth.append("\(threads) threads") }
    return growth
  }

  private static func entries(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)")) ?? []
  }
}

/// One store with a small library in it, for the rounds of one pattern.
final class Scene: Sendable {
  let census = Census()
  let container: ModelContainer
  let url: String
  private let folder: TemporaryFolder

  init(_ store: EveryStore) throws {
    folder = try TemporaryFolder()
    // With a short history, which is full before bytes are counted.
    url = store.url(in: folder) + "?keep=100"
    container = try ModelContainer(for: Self.schema, store: url)
    let context = ModelContext(container)
    let shelf = Shelf("shelf")
    let subjects = ["sea", "sky"].map(Subject.init)
    for number in 1...3 {
      let volume = Volume("volume \(number)", pages: number * 100)
      volume.shelf = shelf
      volume.subjects = subjects
      context.insert(volume)
    }
    try context.save()
  }

  static let schema = Schema([Shelf.self, Volume.self, Subject.self, Author.self])

  /// Reads on eight threads at the same time, and returns whether all of them did.
  ///
  /// A SQLite store keeps as many connections for readers. None is opened later, when files are
  /// counted.
  func openReaders() -> Bool {
    let count = 8
    let reading = Atomic(0)
    let done = DispatchGroup()
    for store in container.core.stores.all {
      for number in 0..<count {
        // A queue of its own has a thread of its own.
        DispatchQueue(label: "reader \(number)").async(group: done) {
          try? store.readingOneState {
            reading.add(1, ordering: .relaxed)
            let deadline = ContinuousClock.now + .seconds(60)
            while reading.load(ordering: .relaxed) < count, .now < deadline { usleep(1_000) }
          }
        }
      }
    }
    done.wait()
    return reading.load(ordering: .relaxed) == count
  }

  /// A context that is counted.
  func context() -> ModelContext {
    let context = ModelContext(container)
    census.note(context)
    return context
  }

  /// The shelf in a context that nobody holds but its objects.
  func shelf() throws -> Shelf { try first(FetchDescriptor<Shelf>()) }

  /// A volume, likewise.
  func volume() throws -> Volume { try first(FetchDescriptor<Volume>()) }

  private func first<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> T {
    let context = context()
    guard let found = try context.fetch(descriptor).first else { throw NothingStored() }
    census.note(found)
    return found
  }
}

/// A scene whose data is gone.
struct NothingStored: Error {}
