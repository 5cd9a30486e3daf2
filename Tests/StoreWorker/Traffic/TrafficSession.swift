import Foundation
import OpenSwiftData

/// An open store with traffic.
struct TrafficSession {
  let container: ModelContainer
  private let process: Int
  private let padding: Int
  private let pause: Int
  /// How often a save whose outcome is unknown is tried again, in a store that may be unreachable.
  private static let attempts = 100

  /// Creates a session of an open store, or opens one.
  init(_ options: TrafficOptions, _ container: ModelContainer? = nil) throws {
    self.container = try container ?? Self.open(options)
    process = options.process
    padding = options.padding
    pause = options.pause
  }

  static func open(_ options: TrafficOptions) throws -> ModelContainer {
    try ModelContainer(for: Schema(Traffic.models), store: options.url)
  }

  /// Performs an operation to its end.
  ///
  /// - Returns: What it read, as the log has it.
  func perform(_ operation: TrafficOperation, _ number: Int) throws -> String {
    let context = ModelContext(container)
    context.author = "\(process).\(number)"
    // What reads before it writes must not lose what came between.
    context.mergePolicy = .error
    switch operation {
    case .lists(let lists):
      return Self.text(try objects(Traffic.List.self, lists, context))
    case .append(let all): return try append(all, number, context)
    case .read(let register):
      let found = try objects(Traffic.Register.self, [register], context)[register]
      return "\(found?.value ?? 0)"
    case .write(let register, let value, let way):
      try write(register, value, way, context)
      return ""
    case .add(let counter):
      let model = try object(Traffic.Counter.self, counter, context)
      hesitate(number)
      model.value += 1
      // After the save, the object shows what others have made of it since.
      let value = model.value
      try save(context)
      return "\(value)"
    case .raise(let counter):
      try raise(counter, context)
      return ""
    case .transfer(let from, let to, let amount):
      let accounts = try objects(Traffic.Account.self, [from, to], context)
      hesitate(number)
      accounts[from]?.balance -= amount
      accounts[to]?.balance += amount
      try save(context)
      return ""
    case .sum:
      let accounts = try context.fetch(FetchDescriptor<Traffic.Account>())
      return "\(accounts.reduce(0) { $0 + $1.balance })"
    case .move(let piece, let holder):
      try move(piece, holder, context)
      return ""
    case .drop(let holder, let isBulk):
      try drop(holder, isBulk: isBulk, context)
      return ""
    }
  }

  /// Leaves others time, between what is read and what is written, now and then.
  private func hesitate(_ number: Int) {
    if number % 2 == 0 { usleep(1_000) }
  }

  /// Saves; after an unknown outcome, the same save again determines it.
  private func save(_ context: ModelContext) throws {
    for _ in 0..<(pause == 0 ? 0 : Self.attempts) {
      do {
        return try context.save()
      } catch let error as DataStoreError where error == .outcomeUnknown {
        Output.line("D \(error.code)")
        usleep(UInt32(pause) * 1_000)
      }
    }
    try context.save()
  }

  private func append(
    _ all: [TrafficOperation.Appending],
    _ number: Int,
    _ context: ModelContext
  ) throws -> String {
    let lists = try objects(Traffic.List.self, all.map(\.list), context)
    let seen = Self.text(lists)
    hesitate(number)
    for each in all { lists[each.list]?.values.append(each.value) }
    try save(context)
    return seen
  }

  private func write(
    _ register: Int,
    _ value: Int,
    _ way: TrafficOperation.Way,
    _ context: ModelContext
  ) throws {
    context.mergePolicy = .mergeByProperty
    // Other text each time: SQLite writes only those pages of a value that are not as before.
    let text = padding > 0 ? String(repeating: "\(value) ", count: padding / 8) : ""
    if way == .update {
      let condition = Traffic.Register.numbered([register])
      let count = try context.update(
        model: Traffic.Register.self,
        where: condition,
        set: .set(\.value, to: value),
        .set(\.padding, to: text)
      )
      if count > 0 { return try save(context) }
    }
    let found =
      way == .insert
      ? nil : try objects(Traffic.Register.self, [register], context)[register]
    let model = found ?? Traffic.Register(number: register)
    model.value = value
    model.padding = text
    if found == nil { context.insert(model) }
    try save(context)
  }

  private func raise(_ counter: Int, _ context: ModelContext) throws {
    let count = try context.update(
      model: Traffic.Counter.self,
      where: Traffic.Counter.numbered([counter]),
      set: .set(\.value, to: #Expression { $0.value + 1 })
    )
    guard count == 1 else { throw WorkerError.wrong("\(count) objects of Counter \(counter)") }
    try save(context)
  }

  private func drop(_ holder: Int, isBulk: Bool, _ context: ModelContext) throws {
    context.mergePolicy = .mergeByProperty
    if isBulk {
      try context.delete(
        model: Traffic.Holder.self,
        where: Traffic.Holder.numbered([holder])
      )
    } else if let found = try objects(Traffic.Holder.self, [holder], context)[holder] {
      context.delete(found)
    }
    try save(context)
  }

  private func move(_ piece: Int, _ holder: Int?, _ context: ModelContext) throws {
    context.mergePolicy = .mergeByProperty
    let model = try object(Traffic.Piece.self, piece, context)
    if let holder {
      let found = try objects(Traffic.Holder.self, [holder], context)[holder]
      let target = found ?? Traffic.Holder(number: holder)
      if found == nil { context.insert(target) }
      model.holder = target
    } else {
      model.holder = nil
    }
    try save(context)
  }

  /// The objects of some numbers, by one fetch.
  private func objects<Model: TrafficModel>(
    _: Model.Type,
    _ numbers: [Int],
    _ context: ModelContext
  ) throws -> [Int: Model] {
    let all = try context.fetch(FetchDescriptor(predicate: Model.numbered(numbers)))
    let byNumber = Dictionary(all.map { ($0.number, $0) }) { first, _ in first }
    guard byNumber.count == all.count else {
      throw WorkerError.wrong("several objects of \(Model.self) have one of the numbers \(numbers)")
    }
    return byNumber
  }

  /// The object of a number that is always there.
  private func object<Model: TrafficModel>(
    _ type: Model.Type,
    _ number: Int,
    _ context: ModelContext
  ) throws -> Model {
    guard let model = try objects(type, [number], context)[number] else {
      throw WorkerError.wrong("\(Model.self) \(number) is gone")
    }
    return model
  }

  static func text(_ lists: [Int: Traffic.List]) -> String {
    lists.sorted { $0.key < $1.key }
      .map { "\($0)=" + $1.values.map(String.init).joined(separator: ",") }
      .joined(separator: " ")
  }
}

extension TrafficSession {
  /// Makes what the traffic works with.
  func prepare(lists: Int) throws {
    let context = ModelContext(container)
    context.author = "prepare"
    for number in 1...lists { context.insert(Traffic.List(number: number)) }
    for number in 1...Traffic.counts.counters { context.insert(Traffic.Counter(number: number)) }
    for number in 1...Traffic.counts.accounts { context.insert(Traffic.Account(number: number)) }
    for number in 1...Traffic.counts.pieces { context.insert(Traffic.Piece(number: number)) }
    try context.save()
  }
}
