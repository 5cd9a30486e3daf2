import Foundation
import SQLiteStore
import StoreProtocol
import Testing

@Suite("Rows of related objects")
struct RelatedRowTests {
  private let log = StatementLog()
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let trips: [PersistentIdentifier]

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore.inFile(folder.url.appending(path: "trips.db").path, log: log)
    trips = try store.insert((0..<3).map { .new(SampleSchema.trip, ["days": .integer($0)]) })
    for trip in trips {
      try store.insert((0..<4).map { _ in .new(SampleSchema.item, ["trip": .identifier(trip)]) })
    }
  }

  private struct Members: Equatable {
    var rows: [Int64: Set<Int64>] = [:]
    var orders: [Int64: [Int64]] = [:]
  }

  private func members(of owners: [Int64]) throws -> Members {
    var found = Members()
    let owners = owners.map {
      PersistentIdentifier(.integer($0), of: "Trip", in: store.identifier)
    }
    let members = try store.members(of: "items", in: "Trip", owners: owners, wantsRows: true) {
      found.rows[$0, default: []].insert(try #require($1.number))
    }
    guard case .read(let orders) = members else {
      Issue.record("The store lists the related objects without their rows.")
      return found
    }
    found.orders = orders
    return found
  }

  @Test func `are the same for one owner as for many owners`() throws {
    // One owner has an explicit order.
    let items = Array(try members(of: trips.compactMap(\.integerKey)).rows[2] ?? []).sorted()
    let scope = PersistentIdentifier.Scope(storeIdentifier: store.identifier, entityName: "Item")
    let reversed = items.reversed().map { PersistentIdentifier(scope: scope, key: .integer($0)) }
    let order: [String: StoreValue] = ["items": .identifiers(reversed)]
    _ = try store.apply(StoreChanges(updated: [.change(trips[1], SampleSchema.trip, order)]))
    let keys = trips.compactMap(\.integerKey) + [99]
    let all = try members(of: keys)
    #expect(all.orders == [2: items.reversed()])
    for key in keys {
      let one = try members(of: [key])
      #expect(one.rows[key] == all.rows[key])
      #expect(one.orders[key] == all.orders[key])
    }
  }

  @Test func `are read in one statement for one owner`() throws {
    _ = try members(of: [1])
    log.clear()
    _ = try members(of: [2])
    #expect(log.counts.texts.count == 1)
    #expect(log.counts.prepared == 0)
    // Four rows, and the end of the result.
    #expect(log.counts.stepped == 5)
  }

  @Test func `are read from the same snapshot as the other reads of a body`() throws {
    var before = Members()
    try store.readingOneState {
      before = try members(of: [1])
      let trip = StoreValue.identifier(trips[0])
      try store.insert([.new(SampleSchema.item, ["trip": trip])])
      #expect(try members(of: [1]) == before)
      #expect(try members(of: [1, 2]).rows[1] == before.rows[1])
      #expect(try store.count(StoreQuery(entity: "Item")) == 12)
      try store.readingOneState {
        let nested = try members(of: [1])
        #expect(nested == before)
      }
    }
    #expect(try members(of: [1]).rows[1]?.count == 5)
    #expect(try store.count(StoreQuery(entity: "Item")) == 13)
  }

  @Test func `are read in the same transaction as the other reads of a body`() throws {
    try store.readingOneState { _ = try members(of: [1]) }
    log.clear()
    try store.readingOneState {
      _ = try members(of: [1])
      _ = try members(of: [2])
    }
    #expect(log.counts.texts.filter { $0 == "BEGIN" }.count == 1)
    #expect(log.counts.texts.count == 4)
    #expect(throws: CancellationError.self) {
      try store.readingOneState { throw CancellationError() }
    }
    _ = try members(of: [1, 2])
  }
}
