import Foundation

/// A trip as an object of a context, by hand.
final class KeptTrip {
  fileprivate(set) var state: KeptState
  private let storedName: String
  private let storedDestination: String
  private let storedStart: Date
  private let storedEnd: Date
  /// Nil as long as they were not asked for.
  fileprivate var storedItems: [KeptBucketItem]?
  /// The key of the accommodation that was not read yet.
  fileprivate var accommodationKey: Int?
  fileprivate var storedAccommodation: KeptAccommodation?
  fileprivate unowned(unsafe) let store: KeptTripStore?

  fileprivate init(
    _ row: borrowing RawStatement,
    _ context: KeptContext,
    _ store: KeptTripStore
  ) throws {
    state = KeptState(context: context, key: row.integer(0), version: row.integer(1))
    storedName = try row.checkedText(2)
    storedDestination = try row.checkedText(3)
    storedStart = Date(timeIntervalSinceReferenceDate: try row.checkedDouble(4))
    storedEnd = Date(timeIntervalSinceReferenceDate: try row.checkedDouble(5))
    accommodationKey = try row.checkedInteger(6)
    self.store = store
  }

  /// A new trip with all that belongs to it, which no context knows yet.
  init(_ record: TripRecord) {
    state = KeptState(context: nil, key: 0, version: 0)
    storedName = record.name
    storedDestination = record.destination
    storedStart = record.start
    storedEnd = record.end
    storedItems = record.items.map { KeptBucketItem($0) }
    storedAccommodation = KeptAccommodation(record.accommodation)
    store = nil
  }

  deinit { state.context?.trips.remove(state.key) }

  var name: String {
    Question.ask()
    return storedName
  }

  var destination: String {
    Question.ask()
    return storedDestination
  }

  var start: Date {
    Question.ask()
    return storedStart
  }

  var end: Date {
    Question.ask()
    return storedEnd
  }

  /// The items, which are read when they are first asked for, with those of other trips.
  var items: [KeptBucketItem] {
    get throws {
      Question.ask()
      if storedItems == nil { try store?.readItems(around: self) }
      return storedItems ?? []
    }
  }

  /// The accommodation, which is read when it is first asked for, with those of other trips.
  var accommodation: KeptAccommodation? {
    get throws {
      Question.ask()
      if accommodationKey != nil { try store?.readAccommodations(around: self) }
      return storedAccommodation
    }
  }

  /// Has a context take up the trip and those who belong to it, all of whom the next save inserts.
  func insert(into context: KeptContext) {
    guard state.context == nil else { return }
    state.context = context
    context.insertedTrips.append(self)
    for item in storedItems ?? [] where item.state.context == nil {
      item.state.context = context
      item.trip = self
      context.insertedItems.append(item)
    }
    if let accommodation = storedAccommodation, accommodation.state.context == nil {
      accommodation.state.context = context
      accommodation.trip = self
      context.insertedAccommodations.append(accommodation)
    }
  }

  fileprivate func settle() {
    state.changes = 0
    state.context?.trips.add(self, state.key)
  }
}

/// One thing to do on a trip.
final class KeptBucketItem {
  fileprivate(set) var state: KeptState
  fileprivate let storedTitle: String
  fileprivate let storedPosition: Int
  fileprivate unowned(unsafe) var trip: KeptTrip?

  fileprivate init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(1), version: row.integer(2))
    storedTitle = try row.checkedText(3)
    storedPosition = try row.checkedInteger(4)
  }

  fileprivate init(_ record: TripRecord.Item) {
    state = KeptState(context: nil, key: 0, version: 0)
    storedTitle = record.title
    storedPosition = record.position
  }

  deinit { state.context?.bucketItems.remove(state.key) }

  var title: String {
    Question.ask()
    return storedTitle
  }

  var position: Int {
    Question.ask()
    return storedPosition
  }
}

/// Where a traveller stays.
final class KeptAccommodation {
  fileprivate(set) var state: KeptState
  fileprivate let storedName: String
  fileprivate let storedAddress: String
  fileprivate unowned(unsafe) var trip: KeptTrip?

  fileprivate init(_ row: borrowing RawStatement, _ context: KeptContext) throws {
    state = KeptState(context: context, key: row.integer(0), version: row.integer(1))
    storedName = try row.checkedText(2)
    storedAddress = try row.checkedText(3)
  }

  fileprivate init(_ record: TripRecord.Accommodation) {
    state = KeptState(context: nil, key: 0, version: 0)
    storedName = record.name
    storedAddress = record.address
  }

  deinit { state.context?.accommodations.remove(state.key) }

  var name: String {
    Question.ask()
    return storedName
  }

  var address: String {
    Question.ask()
    return storedAddress
  }
}

/// Trips of a store, read into one context.
final class KeptTripStore {
  private let store: KeptStore
  private let context = KeptContext()
  private let items: RawStatement
  private let orders: RawStatement
  private let accommodations: RawStatement
  private var pagesOfItems = KeptPages<KeptTrip>()
  private var pagesOfAccommodations = KeptPages<KeptTrip>()

  init(_ store: KeptStore) throws {
    self.store = store
    let keys = "IN (SELECT value FROM json_each(?))"
    items = try store.database.statement(
      "SELECT trip, _key, _version, title, position FROM \"BucketItem\" WHERE trip \(keys)"
    )
    orders = try store.database.statement(
      "SELECT _key FROM \"Trip\" WHERE _key \(keys) AND items IS NOT NULL"
    )
    accommodations = try store.database.statement(
      "SELECT _key, _version, name, address FROM \"Accommodation\" WHERE _key \(keys)"
    )
  }

  /// All trips, with what belongs to them where it is prefetched.
  func all(prefetched: Bool) throws -> [KeptTrip] {
    let rows = try store.database.statement(
      """
      SELECT _key, _version, name, destination, start, "end", accommodation FROM "Trip"
      ORDER BY _key
      """
    )
    var trips: [KeptTrip] = []
    while try rows.checkedStep() {
      let trip = try KeptTrip(rows, context, self)
      context.trips.add(trip, trip.state.key)
      trips.append(trip)
    }
    pagesOfItems.add(trips)
    pagesOfAccommodations.add(trips)
    if prefetched {
      for trip in trips where trip.storedItems == nil { try readItems(around: trip) }
      for trip in trips where trip.accommodationKey != nil { try readAccommodations(around: trip) }
    }
    return trips
  }

  fileprivate func readItems(around trip: KeptTrip) throws {
    let owners = try pagesOfItems.page(around: trip).filter { $0.storedItems == nil }
    let keys = KeyRanges.list(owners.map(\.state.key))
    try store.reading {
      try readItems(of: owners, keys)
      try store.checkOrders(orders, keys)
    }
  }

  private func readItems(of owners: [KeptTrip], _ keys: String) throws {
    items.bind(keys, at: 1)
    defer { items.reset() }
    var found: [KeptBucketItem] = []
    var index = 0
    while try items.checkedStep() {
      let owner = try items.checkedInteger(0)
      while index < owners.count, owners[index].state.key != owner {
        owners[index].storedItems = found
        found.removeAll(keepingCapacity: true)
        index += 1
      }
      guard index < owners.count else { throw BenchmarkError("a row has an owner out of order") }
      let item = try item(items.integer(1))
      item.trip = owners[index]
      found.append(item)
    }
    for owner in owners[index...] {
      owner.storedItems = found
      found = []
    }
  }

  private func item(_ key: Int) throws -> KeptBucketItem {
    if let known = context.bucketItems[key] { return known }
    let item = try KeptBucketItem(items, context)
    context.bucketItems.add(item, key)
    return item
  }

  fileprivate func readAccommodations(around trip: KeptTrip) throws {
    let owners = try pagesOfAccommodations.page(around: trip).filter { $0.accommodationKey != nil }
    accommodations.bind(KeyRanges.list(owners.compactMap(\.accommodationKey)), at: 1)
    defer { accommodations.reset() }
    var found: [KeptAccommodation] = []
    while try accommodations.checkedStep() {
      if let known = context.accommodations[accommodations.integer(0)] {
        found.append(known)
      } else {
        let accommodation = try KeptAccommodation(accommodations, context)
        context.accommodations.add(accommodation, accommodation.state.key)
        found.append(accommodation)
      }
    }
    for owner in owners {
      guard let key = owner.accommodationKey, let accommodation = context.accommodations[key] else {
        throw BenchmarkError("a trip lacks its accommodation")
      }
      accommodation.trip = owner
      owner.storedAccommodation = accommodation
      owner.accommodationKey = nil
    }
  }
}

extension KeptStore {
  /// Writes new trips with all that belongs to them, and has the objects know their keys.
  func insertTrips(of context: KeptContext) throws {
    try checkReferences(context)
    try save { version in
      try deal(version, context)
      try insert(context.insertedTrips)
      try insert(context.insertedItems)
      try insert(context.insertedAccommodations)
      let trips = context.insertedTrips.map(\.state.key)
      let items = context.insertedItems.map(\.state.key)
      let accommodations = context.insertedAccommodations.map(\.state.key)
      return Changes(
        history: """
          [{"insert":"Accommodation","keys":\(KeyRanges.text(accommodations))},\
          {"insert":"BucketItem","keys":\(KeyRanges.text(items))},\
          {"insert":"Trip","keys":\(KeyRanges.text(trips))}]
          """,
        inserted: identifiers(trips, of: "Trip") + identifiers(items, of: "BucketItem")
          + identifiers(accommodations, of: "Accommodation")
      )
    }
    for trip in context.insertedTrips { trip.settle() }
    for item in context.insertedItems { context.bucketItems.add(item, item.state.key) }
    for accommodation in context.insertedAccommodations {
      context.accommodations.add(accommodation, accommodation.state.key)
    }
    context.insertedTrips.removeAll()
    context.insertedItems.removeAll()
    context.insertedAccommodations.removeAll()
  }

  /// Sees to it that no reference leads to an object that another context has, or none.
  private func checkReferences(_ context: KeptContext) throws {
    for trip in context.insertedTrips {
      let accommodation = trip.storedAccommodation
      guard (trip.storedItems ?? []).allSatisfy({ $0.state.context === context }),
        accommodation == nil || accommodation?.state.context === context
      else { throw BenchmarkError("what belongs to a trip is not of its context") }
    }
  }

  private func deal(_ version: Int, _ context: KeptContext) throws {
    let count =
      context.insertedTrips.count + context.insertedItems.count
      + context.insertedAccommodations.count
    var key = try takeKeys(count)
    func next(_ state: inout KeptState) {
      state.key = key
      state.version = version
      key += 1
    }
    for trip in context.insertedTrips { next(&trip.state) }
    for item in context.insertedItems { next(&item.state) }
    for accommodation in context.insertedAccommodations { next(&accommodation.state) }
  }

  private func insert(_ trips: [KeptTrip]) throws {
    let statement = try database.statement(
      """
      INSERT INTO "Trip" (_key, _version, name, destination, start, "end", accommodation)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    )
    for trip in trips {
      statement.bind(trip.state.key, at: 1)
      statement.bind(trip.state.version, at: 2)
      trip.bind(to: statement)
      guard statement.run() else { throw database.failure("INSERT") }
    }
  }

  private func insert(_ items: [KeptBucketItem]) throws {
    let statement = try database.statement(
      "INSERT INTO \"BucketItem\" (_key, _version, title, position, trip) VALUES (?, ?, ?, ?, ?)"
    )
    for item in items {
      statement.bind(item.state.key, at: 1)
      statement.bind(item.state.version, at: 2)
      statement.bind(item.storedTitle, at: 3)
      statement.bind(item.storedPosition, at: 4)
      statement.bind(item.trip?.state.key, at: 5)
      guard statement.run() else { throw database.failure("INSERT") }
    }
  }

  private func insert(_ accommodations: [KeptAccommodation]) throws {
    let statement = try database.statement(
      "INSERT INTO \"Accommodation\" (_key, _version, name, address, trip) VALUES (?, ?, ?, ?, ?)"
    )
    for accommodation in accommodations {
      statement.bind(accommodation.state.key, at: 1)
      statement.bind(accommodation.state.version, at: 2)
      statement.bind(accommodation.storedName, at: 3)
      statement.bind(accommodation.storedAddress, at: 4)
      statement.bind(accommodation.trip?.state.key, at: 5)
      guard statement.run() else { throw database.failure("INSERT") }
    }
  }
}

extension KeptTrip {
  fileprivate func bind(to statement: borrowing RawStatement) {
    statement.bind(storedName, at: 3)
    statement.bind(storedDestination, at: 4)
    statement.bind(storedStart.timeIntervalSinceReferenceDate, at: 5)
    statement.bind(storedEnd.timeIntervalSinceReferenceDate, at: 6)
    statement.bind(storedAccommodation?.state.key, at: 7)
  }
}

extension TripRecord {
  init(_ trip: KeptTrip) throws {
    let accommodation = try trip.accommodation
    self.init(
      name: trip.name,
      destination: trip.destination,
      start: trip.start,
      end: trip.end,
      items: try trip.items.map { Item(title: $0.title, position: $0.position) },
      accommodation: Accommodation(
        name: accommodation?.name ?? "",
        address: accommodation?.address ?? ""
      )
    )
  }
}
