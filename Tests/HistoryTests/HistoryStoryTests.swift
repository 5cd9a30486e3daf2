import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite struct `Contents of the history` {
  static let stores = EveryStore.allCases
  private let fixtures = HistoryFixtures()

  @Test(arguments: stores)
  func `a save is one transaction with one change for each row`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    context.author = "importer"
    let trip = Journey("Paris")
    context.insert(trip)
    trip.days = 2
    context.insert(Stop("Louvre", in: trip))
    try context.save()
    trip.days = 3
    trip.days = 4
    trip.name = "Paris again"
    try context.save()
    let history = try context.history()
    #expect(history.map(\.author) == ["importer", "importer"])
    #expect(history[0].changes.count == 2)
    #expect(history[1].changes.map(\.text) == ["~\(trip.persistentModelID) days,name"])
    #expect(history[0].token < history[1].token)
    #expect(history[0].transactionIdentifier < history[1].transactionIdentifier)
    #expect(history[1].storeIdentifier == trip.persistentModelID.storeIdentifier)
    #expect(history[1].processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
    guard case .update(let update as DefaultHistoryUpdate<Journey>) = history[1].changes[0] else {
      Issue.record("an update of a journey was expected")
      return
    }
    #expect(
      Set(update.updatedAttributes.map { $0 as PartialKeyPath<Journey> }) == [\.days, \.name]
    )
    #expect(update.changes(\.days) && !update.changes(\.stops))
  }

  @Test(arguments: stores)
  func `a transaction's description lists its changes`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    context.author = "Ada"
    let trip = Journey("Paris")
    let bus = Bus("BE-1", seats: 40)
    context.insert(trip)
    context.insert(bus)
    try context.save()
    trip.days = 2
    bus.plate = "BE-2"
    try context.save()
    context.delete(trip)
    for number in 0..<11 { context.insert(Journey("\(number)")) }
    try context.save()
    let descriptions = try context.history().map { transaction in
      let start = "\(transaction.transactionIdentifier), \(transaction.timestamp.ISO8601Format())"
      let text = "\(transaction)"
      #expect(text.hasPrefix(start + " by Ada: "))
      return text.dropFirst(start.count + " by Ada: ".count).split(separator: "; ").map(String.init)
    }
    let (tripID, busID) = (trip.persistentModelID, bus.persistentModelID)
    #expect(Set(descriptions[0]) == ["inserted \(tripID)", "inserted \(busID)"])
    #expect(Set(descriptions[1]) == ["updated \(tripID): days", "updated \(busID): plate"])
    #expect(descriptions[2].count == 11)
    #expect(descriptions[2].last == "2 more")
    #expect(descriptions[2].allSatisfy { $0 == "deleted \(tripID)" || !$0.hasPrefix("deleted") })
  }

  @Test(arguments: stores)
  func `the notification of a save has its history token`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    try context.saved(Journey("before"))
    // Set once, by the notification of the save below, on this thread.
    nonisolated(unsafe) var posted: [String: any HistoryToken] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      posted = note.userInfo?[key] as? [String: any HistoryToken] ?? [:]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let trip = try context.saved(Journey("Oslo"))
    let store = try #require(trip.persistentModelID.storeIdentifier)
    let token = try #require(posted[store] as? DefaultHistoryToken)
    #expect(posted.count == 1)
    #expect(try context.currentHistoryToken() == token)
    #expect(try context.history(#Predicate { $0.token >= token }).count == 1)
  }

  @Test(arguments: stores)
  func `a deletion keeps the values that are preserved on deletion`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let trip = try context.saved(Journey("Rome"))
    let beach = Stop("Ostia", in: trip)
    beach.kind = .beach
    beach.rating = 5
    context.insert(beach)
    try context.save()
    let token = try context.currentHistoryToken()
    let (tripID, stopID) = (trip.persistentModelID, beach.persistentModelID)
    context.delete(trip)
    try context.save()
    let changes = try context.history(#Predicate { $0.token > token }).flatMap(\.changes)
    #expect(Set(changes.map(\.text)) == ["-\(tripID) Rome", "-\(stopID) beach,5"])
    for case .delete(let delete as DefaultHistoryDelete<Stop>) in changes {
      #expect(delete.tombstone[\.kind] as? Stop.Kind == .beach)
      #expect(delete.tombstone[\.rating] as? Int == 5)
      #expect(delete.tombstone[\.title] == nil)
    }
  }

  @Test(arguments: stores)
  func `changes are the same with and without stored values`(kind: EveryStore) throws {
    let stories = try ["history=on", "history=values"].map { options in
      let context = try fixtures.context(kind, options)
      let bus = try context.saved(Bus("AB 1", seats: 30))
      let trip = try context.saved(Journey("Oslo"))
      let stop = try context.saved(Stop("Opera"))
      // One row in each save, which some stores write in another way.
      (bus.seats, bus.wheels) = (31, 6)
      try context.save()
      stop.journey = trip
      try context.save()
      (stop.title, stop.rating) = ("Library", 4)
      try context.save()
      (trip.name, trip.days) = ("Bergen", 3)
      try context.save()
      trip.stops = []
      try context.save()
      // Several rows.
      (trip.days, bus.plate, stop.kind) = (4, "AB 2", .beach)
      try context.save()
      return try context.story()
    }
    #expect(stories[0] == stories[1])
    #expect(stories[0].count { $0.hasPrefix("~") } == 8)
  }

  @Test(arguments: stores)
  func `changes of inherited properties have the subclass`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let bus = try context.saved(Bus("AB 1", seats: 30))
    bus.wheels = 6
    bus.seats = 31
    try context.save()
    let last = try #require(context.history().last)
    guard case .update(let update as DefaultHistoryUpdate<Bus>) = last.changes.first else {
      Issue.record("an update of a bus was expected")
      return
    }
    #expect(update.changes(\.wheels) && update.changes(\.seats) && !update.changes(\.plate))
    context.delete(bus)
    try context.save()
    guard
      case .delete(let gone as DefaultHistoryDelete<Bus>) = try context.history().last?.changes
        .first
    else {
      Issue.record("a deletion of a bus was expected")
      return
    }
    #expect(gone.tombstone[\.plate] as? String == "AB 1")
  }

  @Test(arguments: stores)
  func `an insertion that is merged by a unique value is an update`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let first = try context.saved(Badge("7", "Ada"))
    let token = try context.currentHistoryToken()
    let other = ModelContext(context.container)
    other.insert(Badge("7", "Bob"))
    try other.save()
    #expect(try context.story(after: token) == ["~\(first.persistentModelID) code,owner"])
  }

  @Test(arguments: stores)
  func `references that a deletion clears are updates`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let trip = try context.saved(Journey("Oslo"))
    let stop = try context.saved(Stop("Opera", in: trip))
    stop.journey = nil
    try context.save()
    stop.journey = trip
    try context.save()
    let token = try context.currentHistoryToken()
    let ids = (trip.persistentModelID, stop.persistentModelID)
    stop.journey = nil
    context.delete(trip)
    try context.save()
    #expect(try context.story(after: token) == ["~\(ids.1) journey", "-\(ids.0) Oslo"])
  }

  @Test(arguments: stores)
  func `a bulk deletion has one change for each row`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    for number in 1...5 { context.insert(Journey("\(number)", days: number)) }
    try context.save()
    let token = try context.currentHistoryToken()
    let fresh = ModelContext(context.container)
    try fresh.delete(model: Journey.self, where: #Predicate { $0.days > 3 })
    try fresh.save()
    let story = try fresh.story(after: token)
    #expect(story.count == 2)
    #expect(story.allSatisfy { $0.hasPrefix("-Journey/") })
    #expect(Set(story.compactMap { $0.split(separator: " ").last }) == ["4", "5"])
  }

  @Test(arguments: stores)
  func `a save without changes adds no transaction`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    try context.saved(Journey("Bern"))
    try context.save()
    #expect(try context.history().count == 1)
  }

  @Test(arguments: stores.filter(\.persists))
  func `history is kept after reopening`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    let token: DefaultHistoryToken = try {
      let context = try fixture.context()
      context.author = "é\"\n"
      let trip = try context.saved(Journey("Bonn"))
      trip.days = 2
      try context.save()
      return try context.currentHistoryToken()
    }()
    let context = try fixture.context()
    #expect(try context.currentHistoryToken() == token)
    let before = try context.history()
    #expect(before.map(\.author) == ["é\"\n", "é\"\n"])
    #expect(before.last?.token == token)
    try context.saved(Journey("Ulm"))
    #expect(try context.story(after: token).count == 1)
    #expect(try context.history().count == 3)
  }

  @Test(arguments: stores)
  func `erase() deletes the history with the rows`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    try context.saved(Journey("Graz"))
    let token = try context.currentHistoryToken()
    try context.container.erase()
    #expect(try context.history().isEmpty)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > token })
    }
    let now = try context.currentHistoryToken()
    let fresh = ModelContext(context.container)
    try fresh.saved(Journey("Linz"))
    #expect(try fresh.story(after: now).count == 1)
  }
}
