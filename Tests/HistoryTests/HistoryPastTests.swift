import Foundation
import OpenSwiftData
import StoreTestSupport
import Synchronization
import Testing

@Suite struct `Identifiers of saves and tokens` {
  private let fixtures = HistoryFixtures()

  private func store(_ context: ModelContext) throws -> any HistoryKeeping {
    try #require(context.container.stores.first as? any HistoryKeeping)
  }

  @Test(arguments: EveryStore.allCases)
  func `a transaction has its batch's save identifier, also after reopening`(
    kind: EveryStore
  ) throws {
    let fixture = try HistoryFixture(kind)
    let container = try fixture.open()
    let store = try #require(container.stores.first as? any HistoryKeeping)
    let save = UUID()
    let entity = try #require(container.schema.storeSchema.entity(named: "Badge"))
    let scope = PersistentIdentifier.Scope(storeIdentifier: nil, entityName: "Badge")
    let record = DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: scope, key: .temporary(1)),
      entity: entity,
      values: [.string("a"), .string("Ada")]
    )
    _ = try store.apply(
      StoreChanges(inserted: [record], saveIdentifier: save, origin: .copy)
    )
    try ModelContext(container).saved(Journey("Paris"))
    let found = try ModelContext(container).history()
    #expect(found.first?.saveIdentifier == save)
    #expect(found.map(\.origin) == [.copy, .program])
    #expect(Set(found.map(\.saveIdentifier)).count == 2)
    try container.close()
    guard kind.persists else { return }
    let again = try ModelContext(fixture.open()).history()
    #expect(again.map(\.saveIdentifier) == found.map(\.saveIdentifier))
    #expect(again.map(\.origin) == found.map(\.origin))
    #expect(again.map(\.token.saveIdentifiers) == found.map(\.token.saveIdentifiers))
  }

  @Test(arguments: EveryStore.allCases)
  func `bulk updates and deletions have save identifiers too`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let trip = try context.saved(Journey("Paris"))
    trip.days = 4
    try context.save()
    try context.update(
      model: Journey.self,
      where: #Predicate { $0.days > 0 },
      set: .set(\.days, to: 9)
    )
    try context.save()
    try context.delete(model: Journey.self)
    try context.save()
    let found = try context.history()
    #expect(found.count == 4)
    #expect(Set(found.map(\.saveIdentifier)).count == 4)
    let store = try store(context)
    for transaction in found {
      let number = transaction.transactionIdentifier
      #expect(try store.saveIdentifier(at: number) == transaction.saveIdentifier)
    }
    #expect(try store.historyBounds().lastSave == found.last?.saveIdentifier)
    let now = try context.currentHistoryToken()
    #expect(now.saveIdentifiers == found.last?.token.saveIdentifiers)
  }

  /// Creates a store with six saves, replaces it with its backup of save 3, and returns the six tokens.
  private func restoreBackup(_ fixture: HistoryFixture) throws -> [DefaultHistoryToken] {
    let container = try fixture.open()
    let context = ModelContext(container)
    var tokens: [DefaultHistoryToken] = []
    let backup = fixture.folder.file("backup")
    for number in 1...6 {
      try context.saved(Journey("\(number)"))
      tokens.append(try context.currentHistoryToken())
      guard number == 3 else { continue }
      let store = try #require(container.stores.first as? any MaintainableStore)
      try store.backup(to: backup)
    }
    let file = try #require(fixture.kind.url(in: fixture.folder).split(separator: ":").last)
    try container.close()
    let manager = FileManager.default
    let name = URL(filePath: String(file)).lastPathComponent
    for other in try fixture.folder.names() where other.hasPrefix(name) {
      try manager.removeItem(at: fixture.folder.file(other))
    }
    try manager.moveItem(at: backup, to: URL(filePath: String(file)))
    return tokens
  }

  @Test(arguments: EveryStore.allCases.filter(\.persists))
  func `tokens of saves that a restored backup lacks are refused`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    let tokens = try restoreBackup(fixture)
    let context = try fixture.context()
    // Without saves since then, the position is ahead of the store.
    let sixth = tokens[5]
    #expect(throws: SwiftDataError.historyTokenDiverged) {
      try context.history(#Predicate { $0.token > sixth })
    }
    for number in 1...5 { try context.saved(Journey("again \(number)")) }
    // Now there is another save of the same number.
    for token in tokens[3...] {
      #expect(throws: SwiftDataError.historyTokenDiverged) {
        try context.history(#Predicate { $0.token > token })
      }
      #expect(throws: SwiftDataError.historyTokenDiverged) { try context.diff(from: token) }
    }
    // Tokens of the common past are still valid.
    for (index, token) in tokens[...2].enumerated() {
      #expect(try context.history(#Predicate { $0.token > token }).count == 7 - index)
    }
  }

  @Test(arguments: EveryStore.allCases)
  func `a token of a missing store is refused, a token that covers both is valid`(
    kind: EveryStore
  ) throws {
    let first = try fixtures.context(kind)
    try first.saved(Journey("old"))
    let old = try first.currentHistoryToken()
    let second = try fixtures.context(kind, kind.persists ? "history=values" : "")
    let saved = try second.saved(Journey("new"))
    let all = second.container
    #expect(throws: SwiftDataError.historyTokenDiverged) {
      try second.history(#Predicate { $0.token > old })
    }
    #expect(throws: SwiftDataError.historyTokenDiverged) { try second.diff(from: old) }
    if kind.persists {
      #expect(throws: SwiftDataError.historyTokenDiverged) { try all.asOf(old) }
    }
    // A token of both stores is from a container that had both.
    let both = old.joined(with: try second.currentHistoryToken())
    saved.days = 7
    try second.save()
    #expect(try second.history(#Predicate { $0.token > both }).count == 1)
    // The empty token is valid in every past.
    let beginning = DefaultHistoryToken()
    #expect(try second.history(#Predicate { $0.token > beginning }).count == 2)
    let observer = try HistoryObserver(
      historyTokens: [try store(first).identifier: old],
      modelContainer: all
    )
    #expect(observer.fetchError as? SwiftDataError == .historyTokenDiverged)
    #expect(observer.eventCounter == 1)
    try second.saved(Journey("more"))
    #expect(observer.eventCounter == 2)
  }

  @Test(arguments: EveryStore.allCases.filter(\.persists))
  func `an observer reports a restored backup, and continues at the end`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    let tokens = try restoreBackup(fixture)
    let context = try fixture.context()
    for number in 1...5 { try context.saved(Journey("again \(number)")) }
    let store = try store(context).identifier
    let observer = try HistoryObserver(
      historyTokens: [store: tokens[5]],
      modelContainer: context.container
    )
    #expect(observer.fetchError as? SwiftDataError == .historyTokenDiverged)
    #expect(observer.eventCounter == 1)
    try context.saved(Journey("more"))
    #expect(observer.eventCounter == 2)
    #expect(observer.fetchError == nil)
  }

  @Test(arguments: EveryStore.allCases.filter(\.persists))
  func `a token from before erase() has expired, also after new saves`(kind: EveryStore) throws {
    let fixture = try HistoryFixture(kind)
    let context = try fixture.context()
    try context.saved(Journey("one"))
    let token = try context.currentHistoryToken()
    try context.container.stores.first?.erase()
    try context.saved(Journey("two"))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.history(#Predicate { $0.token > token })
    }
  }

  @Test func `a token of an earlier version decodes without save identifiers`() throws {
    let old = Data(#"{"tokenValue":{"store":7}}"#.utf8)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: old)
    #expect(token == DefaultHistoryToken(tokenValue: ["store": 7]))
    #expect(token.saveIdentifiers.isEmpty)
    #expect(try JSONEncoder().encode(token) == old)
    let save = UUID()
    let new = DefaultHistoryToken(tokenValue: ["store": 7], saveIdentifiers: ["store": save])
    let encoded = try JSONEncoder().encode(new)
    let decoded = try JSONDecoder().decode(DefaultHistoryToken.self, from: encoded)
    #expect(decoded.saveIdentifiers == ["store": save])
    #expect(decoded.tokenValue == ["store": 7])
  }

  @Test(arguments: EveryStore.allCases)
  func `deleting history does not invalidate a current token`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    for number in 1...4 { try context.saved(Journey("\(number)")) }
    let second = try context.history()[1].token
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second })
    )
    #expect(try context.history(#Predicate { $0.token > second }).count == 2)
    let now = try context.currentHistoryToken()
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try context.history(#Predicate { $0.token > now }).isEmpty)
    try context.saved(Journey("5"))
    #expect(try context.history(#Predicate { $0.token > now }).count == 1)
  }

  @Test(arguments: EveryStore.allCases)
  func `the tokens in save notifications are valid`(kind: EveryStore) throws {
    let context = try fixtures.context(kind)
    let posted = PostedTokens()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let tokens = notification.userInfo?[key] as? [String: any HistoryToken] ?? [:]
      let found = tokens.values.compactMap { $0 as? DefaultHistoryToken }
      posted.tokens.withLock { $0 += found }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let trip = try context.saved(Journey("Paris"))
    trip.days = 3
    try context.save()
    let tokens = posted.tokens.withLock { $0 }
    #expect(tokens.count == 2)
    for (index, token) in tokens.enumerated() {
      #expect(token.saveIdentifiers.count == 1)
      #expect(try context.history(#Predicate { $0.token > token }).count == 1 - index)
    }
  }
}

/// The tokens of save notifications.
private final class PostedTokens: Sendable {
  let tokens = Mutex<[DefaultHistoryToken]>([])
}
