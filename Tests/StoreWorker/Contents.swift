import Foundation

/// What a store holds, or must hold, without any store.
struct Contents: Equatable {
  /// What an item holds.
  struct Item: Equatable {
    var text: String
    var count: Int
    var remark: String?
    var box: Int?
    var blob: Blob?
  }

  /// The items by number.
  var items: [Int: Item] = [:]
  /// The numbers of the items of each box, in order.
  var boxes: [Int: [Int]] = [:]

  /// The contents after the first steps of a script.
  init(_ script: Script, after number: Int) {
    for step in 1..<max(1, number + 1) { perform(step, of: script) }
  }

  init() {}

  /// What a step does to the contents.
  mutating func perform(_ number: Int, of script: Script) {
    let isWide = script.isWide(after: number)
    switch script[number] {
    case .put(let item): put(item, number, isWide: isWide)
    case .batch(let item, let count):
      for next in item..<item + count { put(next, number, isWide: isWide) }
    case .drop(let item):
      leave(item)
      items[item] = nil
    case .link(let item, let box): link(item, box, number, isWide: isWide)
    case .unlink(let item): leave(item)
    case .turn(let box): boxes[box] = boxes[box].map { Self.turned($0, number) }
    case .blob(let item, let size):
      if items[item] == nil { put(item, number, isWide: isWide) }
      items[item]?.blob = Blob(item: item, step: number, size: size)
    case .blobs(let item, let count, let size):
      for next in item..<item + count {
        put(next, number, isWide: isWide)
        items[next]?.blob = Blob(item: next, step: number, size: size)
      }
    case .clear: (items, boxes) = ([:], [:])
    case .rollback, .fetch, .compact, .reopen, .widen, nil: break
    }
  }

  private mutating func put(_ item: Int, _ number: Int, isWide: Bool) {
    var state = items[item] ?? Item(text: "", count: 0)
    state.text = Self.text(item, number)
    state.count = number
    if isWide { state.remark = Self.remark(number) }
    items[item] = state
  }

  private mutating func link(_ item: Int, _ box: Int, _ number: Int, isWide: Bool) {
    if items[item] == nil { put(item, number, isWide: isWide) }
    guard items[item]?.box != box else { return }
    leave(item)
    items[item]?.box = box
    boxes[box, default: []].append(item)
  }

  private mutating func leave(_ item: Int) {
    guard let box = items[item]?.box else { return }
    boxes[box]?.removeAll { $0 == item }
    items[item]?.box = nil
  }

  /// The text of an item that a step put.
  static func text(_ item: Int, _ number: Int) -> String { "item \(item) of step \(number)" }

  /// The value that items have with the wide schema alone.
  static func remark(_ number: Int) -> String { "remark of step \(number)" }

  /// Numbers in an order that follows from a step's number, and is the same done twice.
  static func turned(_ numbers: [Int], _ step: Int) -> [Int] {
    numbers.sorted { rank($0, step) < rank($1, step) }
  }

  private static func rank(_ number: Int, _ step: Int) -> UInt64 {
    var numbers = Numbers(seed: UInt64(number) &* 0x1_0000_0001 ^ UInt64(step))
    return numbers.next()
  }
}

extension Contents {
  /// The first difference to other contents, nil for none.
  func difference(to other: Contents) -> String? {
    for number in Set(items.keys).union(other.items.keys).sorted()
    where items[number] != other.items[number] {
      return "item \(number) is \(Self.name(items[number])), not \(Self.name(other.items[number]))"
    }
    for number in Set(boxes.keys).union(other.boxes.keys).sorted()
    where boxes[number] != other.boxes[number] {
      return "box \(number) has \(Self.name(boxes[number])), not \(Self.name(other.boxes[number]))"
    }
    return nil
  }

  private static func name(_ value: Any?) -> String {
    value.map { "\($0)" } ?? "absent"
  }
}
