import Foundation
import OpenSwiftData

/// The files of a store at one moment, by what follows the store's name, and what they hold.
struct Exhibit {
  /// The rows of a store, entity by entity.
  typealias State = [[DefaultSnapshot]]

  /// The files: the document or database is "", others are ".journal", "-wal", ".files/…".
  var files: [String: [UInt8]]
  /// The state of each save that the files can have, in order.
  var states: [State]
}

/// The exhibits of one kind of store, from which all mutants of it are made.
struct Exhibits {
  /// A store with its log or journal, and saves in both.
  let old: Exhibit
  /// The same store closed: one file has everything.
  let closed: Exhibit
  /// The same store after more saves, which are in its log or journal alone.
  let new: Exhibit
  /// Another store with a log or journal of its own.
  let other: Exhibit

  init(in store: DamagedStore) throws {
    // What an earlier run left may be what stopped it.
    try store.clear()
    (old, closed) = try Self.exhibits(in: store, after: [], name: "a")
    (new, _) = try Self.exhibits(in: store, after: closed.states, name: "b")
    try store.clear()
    (other, _) = try Self.exhibits(in: store, after: [], name: "o")
    try store.clear()
  }

  /// Saves a few times and looks at the files before and after the store is closed.
  private static func exhibits(
    in store: DamagedStore,
    after states: [Exhibit.State],
    name: String
  ) throws -> (open: Exhibit, closed: Exhibit) {
    var states = Array(states.suffix(1))
    let open = try {
      let container = try store.open()
      if states.isEmpty { states = [try store.state(of: container)] }
      for number in 0..<4 {
        try save(number, name, in: ModelContext(container))
        states.append(try store.state(of: container))
      }
      return Exhibit(files: try store.files(), states: states)
    }()
    return (open, Exhibit(files: try store.files(), states: Array(states.suffix(1))))
  }

  static func save(_ number: Int, _ name: String, in context: ModelContext) throws {
    let shelf = Damage.Shelf(label: "\(name)\(number)")
    context.insert(shelf)
    for index in 0..<3 {
      let specimen = Damage.Specimen(code: "\(name)-\(number)-\(index)")
      specimen.number = number * 1000 + index
      specimen.notes = index == 1 ? nil : "hot spring \(number)"
      specimen.source = URL(string: "https://example.org/\(number)")
      specimen.raw = Data(repeating: UInt8(number), count: 40)
      if index == 0, number % 2 == 0 {
        specimen.photo = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 + number) })
      }
      context.insert(specimen)
      specimen.shelf = shelf
      specimen.friends = shelf.specimens.filter { $0 != specimen }
    }
    let all = try context.fetch(FetchDescriptor<Damage.Specimen>(sortBy: [SortDescriptor(\.code)]))
    if all.count > 6 { context.delete(all[1]) }
    all.first?.weight += 1
    try context.save()
  }
}
