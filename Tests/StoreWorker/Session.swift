import Foundation
import OpenSwiftData

/// An open store on which steps are performed, whichever schema it has.
protocol Session: AnyObject {
  /// Makes the changes of a step, without saving them.
  func change(_ step: Step, _ number: Int) throws
  /// Ends a step: saves, or what else it does.
  func finish(_ step: Step) throws
  /// Drops unsaved changes.
  func rollBack()
  /// Has the store checkpoint its journal or log.
  func checkpoint() throws
  /// Reads everything with a new context.
  func contents() throws -> Contents
  /// What the history says otherwise than the rows, nil for nothing.
  func differenceToHistory() throws -> String?
}

/// Opens the store of a URL with the narrow or the wide schema.
func openSession(_ url: String, isWide: Bool) throws -> any Session {
  if isWide { return try StoreSession<Wide.Item>(url) }
  return try StoreSession<Narrow.Item>(url)
}

/// An open store of one of the schemas.
final class StoreSession<Item: WorkerItem>: Session {
  private typealias Box = Item.Box

  private let container: ModelContainer
  private let context: ModelContext

  init(_ url: String) throws {
    container = try ModelContainer(for: Item.self, Item.Box.self, store: url)
    context = ModelContext(container)
  }

  /// Creates a session of an open store, which is refused what others have changed meanwhile.
  init(_ container: ModelContainer, author: String) {
    self.container = container
    context = ModelContext(container)
    context.author = author
    context.mergePolicy = .error
  }

  func change(_ step: Step, _ number: Int) throws {
    switch step {
    case .put(let item), .rollback(let item): try put(item, number)
    case .batch(let item, let count): try putAll(item..<item + count, number)
    case .drop(let item):
      if let item = try self.item(item) { context.delete(item) }
    case .link(let item, let box): try link(item, box, number)
    case .unlink(let item): try self.item(item)?.box = nil
    case .turn(let box): try turn(box, number)
    case .blob(let item, let size):
      let model = try self.item(item) ?? put(item, number)
      model.blob = Blob(item: item, step: number, size: size).data
    case .blobs(let item, let count, let size):
      for next in item..<item + count {
        try put(next, number).blob = Blob(item: next, step: number, size: size).data
      }
    case .clear:
      try context.delete(model: Item.self)
      try context.delete(model: Item.Box.self)
    case .fetch, .compact, .reopen, .widen: break
    }
  }

  func finish(_ step: Step) throws {
    switch step {
    case .put, .batch, .drop, .link, .unlink, .turn, .blob, .blobs, .clear: try context.save()
    case .rollback: context.rollback()
    case .compact:
      for store in container.stores { try (store as? JSONFileStore)?.compact() }
    case .fetch, .reopen, .widen: break
    }
  }

  func rollBack() {
    context.rollback()
  }

  func checkpoint() throws {
    for store in container.stores { try (store as? any MaintainableStore)?.compact() }
  }

  private func item(_ number: Int) throws -> Item? {
    try context.fetch(FetchDescriptor(predicate: Item.numbered(number))).first
  }

  private func box(_ number: Int) throws -> Item.Box? {
    try context.fetch(FetchDescriptor(predicate: Item.Box.numbered(number))).first
  }

  @discardableResult
  private func put(_ item: Int, _ number: Int) throws -> Item {
    put(item, number, over: try self.item(item))
  }

  /// Puts many items with one fetch; one each would look through all pending ones each time.
  private func putAll(_ items: Range<Int>, _ number: Int) throws {
    let found = try context.fetch(FetchDescriptor<Item>()).map { ($0.number, $0) }
    let known = Dictionary(uniqueKeysWithValues: found)
    for item in items { put(item, number, over: known[item]) }
  }

  @discardableResult
  private func put(_ item: Int, _ number: Int, over found: Item?) -> Item {
    let model = found ?? Item(number: item)
    model.text = Contents.text(item, number)
    model.count = number
    model.group = Contents.remark(number)
    if found == nil { context.insert(model) }
    return model
  }

  private func link(_ item: Int, _ box: Int, _ number: Int) throws {
    let model = try self.item(item) ?? put(item, number)
    let target = try self.box(box)
    if let target {
      if model.box != target { model.box = target }
    } else {
      let made = Item.Box(number: box)
      context.insert(made)
      model.box = made
    }
  }

  private func turn(_ box: Int, _ number: Int) throws {
    guard let model = try self.box(box) else { return }
    let items = Dictionary(uniqueKeysWithValues: model.items.map { ($0.number, $0) })
    let order = Contents.turned(model.items.map(\.number), number)
    model.items = order.compactMap { items[$0] }
  }
}

extension StoreSession {
  func contents() throws -> Contents {
    let context = ModelContext(container)
    var contents = Contents()
    for item in try context.fetch(FetchDescriptor<Item>()) {
      contents.items[item.number] = Contents.Item(
        text: item.text,
        count: item.count,
        remark: item.group,
        box: item.box?.number,
        blob: try blob(of: item)
      )
    }
    for box in try context.fetch(FetchDescriptor<Item.Box>()) {
      contents.boxes[box.number] = box.items.map(\.number)
    }
    return contents
  }

  /// Compares the rows with what the history has inserted and not deleted, where it has all of it.
  func differenceToHistory() throws -> String? {
    guard let store = container.stores.first as? any HistoryKeeping,
      try store.historyBounds().cut == 0
    else { return nil }
    let transactions = try store.transactions(StoreHistoryQuery())
    // Saves of several threads say which step they are.
    let steps = transactions.compactMap { $0.author.flatMap { Int($0) } }
    if steps != steps.sorted() { return "the saves of steps are in the order \(steps)" }
    var recorded: Set<PersistentIdentifier> = []
    for change in transactions.flatMap(\.changes) {
      switch change.kind {
      case .insert: recorded.insert(change.identifier)
      case .delete: recorded.remove(change.identifier)
      case .update:
        if !recorded.contains(change.identifier) { return "an update of \(change.identifier)" }
      }
    }
    let context = ModelContext(container)
    let items = try context.fetchIdentifiers(FetchDescriptor<Item>())
    let stored = Set(try items + context.fetchIdentifiers(FetchDescriptor<Item.Box>()))
    let difference = recorded.symmetricDifference(stored).sorted()
    return difference.first.map { "\($0) is in one of rows and history" }
  }

  /// The value of an item, whose size and bytes say at which step it was made.
  private func blob(of item: Item) throws -> Blob? {
    guard let data = item.blob else { return nil }
    return try Blob(data, of: item.number)
  }
}
