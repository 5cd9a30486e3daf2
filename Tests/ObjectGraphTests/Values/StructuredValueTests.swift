import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Structured values")
struct StructuredValueTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `of enumerations, structures, classes and collections are read back unchanged`(
    store: EveryStore
  ) throws {
    let fixture = try ContainerFixture(store, for: Structured.self)
    try {
      let context = try fixture.context()
      context.insert(Structured(1))
      let full = Structured(2)
      full.fill()
      context.insert(full)
      let changed = Structured(3)
      changed.fill()
      context.insert(changed)
      try context.save()
      changed.clear()
      try context.save()
    }()
    let rows = try fixture.context()
      .fetch(FetchDescriptor<Structured>(sortBy: [SortDescriptor(\.number)]))
    let (empty, full) = (Structured(1), Structured(2))
    full.fill()
    for (row, expected) in zip(rows, [empty, full, empty]) {
      #expect(row.suit == expected.suit && row.maybeSuit == expected.maybeSuit)
      #expect(row.grade == expected.grade && row.initial == expected.initial)
      #expect(row.shape == expected.shape && row.maybeShape == expected.maybeShape)
      #expect(row.choices == expected.choices && row.maybeChoices == expected.maybeChoices)
      #expect(row.tree == expected.tree)
      #expect(row.box == expected.box && row.maybeBox == expected.maybeBox)
      #expect(row.clamped == expected.clamped)
      #expect(row.words == expected.words && row.maybeWords == expected.maybeWords)
      #expect(row.gaps == expected.gaps && row.grid == expected.grid)
      #expect(row.set == expected.set && row.suits == expected.suits)
      #expect(row.byName == expected.byName && row.byNumber == expected.byNumber)
      #expect(row.byIdentity == expected.byIdentity && row.bySuit == expected.bySuit)
      #expect(row.holes == expected.holes)
      #expect(row.range == expected.range && row.bytes == expected.bytes)
      #expect(row.half == expected.half && row.wide == expected.wide)
      #expect(row.anything == expected.anything)
    }
    #expect(rows.count == 3)
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `keep the level of nested optionals`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Doubled.self)
    let levels: [(Int??, Suit??, String??)] = [
      (nil, nil, nil), (.some(nil), .some(nil), .some(nil)), (5, .hearts, ""),
    ]
    try {
      let context = try fixture.context()
      for (number, level) in levels.enumerated() {
        let row = Doubled(number)
        (row.int, row.suit, row.text) = level
        row.inside = Doubled.Inside(int: level.0, list: [level.0, nil])
        context.insert(row)
      }
      try context.save()
    }()
    let rows = try fixture.context().fetch(
      FetchDescriptor<Doubled>(sortBy: [SortDescriptor(\.number)])
    )
    #expect(rows.count == 3)
    for (row, level) in zip(rows, levels) {
      #expect(row.int == level.0 && row.suit == level.1 && row.text == level.2)
      #expect(row.inside == Doubled.Inside(int: level.0, list: [level.0, nil]))
    }
  }

  @Test(arguments: EveryStore.withTextKeys)
  func `that are nil stay nil, also inside other values`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Sparse.self)
    let context = try fixture.context()
    let row = Sparse()
    context.insert(row)
    try context.save()
    #expect(try fixture.context().all(Sparse.self).first?.point == nil)
    row.point = Sparse.Point(x: nil, inner: Sparse.Inner(y: nil, words: nil))
    try context.save()
    let back = try #require(try fixture.context().all(Sparse.self).first)
    #expect(back.point == Sparse.Point(x: nil, inner: Sparse.Inner(y: nil, words: nil)))
    row.point = Sparse.Point(x: 1, inner: nil)
    try context.save()
    #expect(try fixture.context().all(Sparse.self).first?.point == Sparse.Point(x: 1, inner: nil))
    row.point = nil
    try context.save()
    #expect(try fixture.context().all(Sparse.self).first?.point == nil)
    let count = try fixture.context().fetchCount(
      FetchDescriptor<Sparse>(predicate: #Predicate { $0.point == nil })
    )
    #expect(count == 1)
  }
}

@Suite("128-bit integers")
struct WideIntegerTests {
  @Test(arguments: EveryStore.withTextKeys)
  func `are read back and found by equality, but cannot be ordered`(store: EveryStore) throws {
    let fixture = try ContainerFixture(store, for: Wide.self)
    let values: [Int128] = [0, 1, -1, .min, .max, Int128(Int64.max) + 1, Int128(UInt64.max) + 1]
    try {
      let context = try fixture.context()
      for value in values { context.insert(Wide(value)) }
      try context.save()
    }()
    let context = try fixture.context()
    let rows = try context.all(Wide.self)
    #expect(rows.map(\.value) == values)
    #expect(rows.map(\.magnitude) == values.map(\.magnitude))
    let wanted = Int128.min
    let found = try context.fetch(
      FetchDescriptor<Wide>(predicate: #Predicate { $0.value == wanted })
    )
    #expect(found.map(\.value) == [.min])
    #expect(throws: (any Error).self) {
      try context.fetch(FetchDescriptor<Wide>(predicate: #Predicate { $0.value < wanted }))
    }
    #expect(throws: (any Error).self) {
      try context.fetch(FetchDescriptor<Wide>(sortBy: [SortDescriptor(\.value)]))
    }
  }
}

@Model
private final class Wide {
  var value: Int128
  var magnitude: UInt128

  init(_ value: Int128) {
    self.value = value
    magnitude = value.magnitude
  }
}

private enum Suit: String, Codable { case hearts, spades }
private enum Grade: Int, Codable { case low = -1, high = 9_000_000_000 }
private enum Initial: Character, Codable {
  case a = "a", b = "b"

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self = text == "b" ? .b : .a
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(rawValue))
  }
}

private enum Shape: Codable, Equatable {
  case none
  case circle(radius: Double)
  case polygon([Int], name: String?)
  case pair(Int, Suit)
}

private struct Choices: OptionSet, Codable {
  let rawValue: UInt16
  static let first = Choices(rawValue: 1)
  static let last = Choices(rawValue: 1 << 15)
}

private indirect enum Tree: Codable, Equatable {
  case leaf
  case node(Tree, Int, Tree)
}

private class Box: Codable, Equatable {
  var size: Int
  init(size: Int) { self.size = size }
  static func == (lhs: Box, rhs: Box) -> Bool { lhs.size == rhs.size }
}

@propertyWrapper
private struct Clamped: Codable, Equatable {
  var wrappedValue: Int { didSet { wrappedValue = min(wrappedValue, 10) } }
}

private struct Wrapping: Codable, Equatable {
  @Clamped var value: Int = 3
}

/// A type of several kinds, which decoding tries one after the other.
private enum Anything: Codable, Equatable {
  case bool(Bool), int(Int), double(Double), text(String), list([Anything]), nothing

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .nothing
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let int = try? value.decode(Int.self) {
      self = .int(int)
    } else if let double = try? value.decode(Double.self) {
      self = .double(double)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try value.decode([Anything].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .bool(let bool): try value.encode(bool)
    case .int(let int): try value.encode(int)
    case .double(let double): try value.encode(double)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .nothing: try value.encodeNil()
    }
  }
}

@Model
private final class Structured {
  var number: Int
  var suit: Suit = Suit.hearts
  var maybeSuit: Suit?
  var grade: Grade = Grade.low
  var initial: Initial = Initial.a
  var shape: Shape = Shape.none
  var maybeShape: Shape?
  var choices: Choices = Choices.first
  var maybeChoices: Choices?
  var tree: Tree = Tree.leaf
  var box: Box = Box(size: 0)
  var maybeBox: Box?
  var clamped: Wrapping = Wrapping()
  var words: [String] = []
  var maybeWords: [String]?
  var gaps: [Int?] = []
  var grid: [[Double]] = []
  var set: Set<Date> = []
  var suits: Set<Suit> = []
  var byName: [String: Int] = [:]
  var byNumber: [Int: String] = [:]
  var byIdentity: [UUID: Date] = [:]
  var bySuit: [Suit: [Bool]] = [:]
  var holes: [String: Int?] = [:]
  var range: ClosedRange<Int> = 0...0
  var bytes: [UInt8] = []
  var half: Float16 = 0
  var wide: Int128 = 0
  var anything: [Anything] = []

  init(_ number: Int) {
    self.number = number
  }

  func fill() {
    (suit, maybeSuit, grade, initial) = (.spades, .hearts, .high, .b)
    (shape, maybeShape) = (.polygon([1, 2], name: nil), .pair(3, .spades))
    (choices, maybeChoices) = ([.first, .last], [])
    tree = .node(.node(.leaf, 1, .leaf), 2, .leaf)
    (box, maybeBox, clamped) = (Box(size: 4), Box(size: -1), Wrapping(value: 7))
    (words, maybeWords) = (HardValues.strings, [])
    (gaps, grid) = ([1, nil, 3], [[], [1, -0.0], [.infinity]])
    (set, suits) = (Set(HardValues.dates), [.hearts, .spades])
    byName = ["": 0, "$object": 1, "some": 2, "a\0b": 3]
    byNumber = [.min: "min", 0: "", .max: "max"]
    byIdentity = [Self.identity: Date(timeIntervalSinceReferenceDate: 0.1)]
    bySuit = [.hearts: [true], .spades: []]
    holes = ["a": 1, "b": nil]
    (range, bytes) = (-3...9, [0, 255])
    (half, wide) = (1.5, .max)
    anything = [.nothing, .bool(true), .int(1), .double(1.5), .text("1"), .list([.int(2)])]
  }

  func clear() {
    let empty = Structured(number)
    (suit, maybeSuit, grade, initial) = (empty.suit, nil, empty.grade, empty.initial)
    (shape, maybeShape, choices, maybeChoices) = (empty.shape, nil, empty.choices, nil)
    (tree, box, maybeBox, clamped) = (empty.tree, empty.box, nil, empty.clamped)
    (words, maybeWords, gaps, grid) = ([], nil, [], [])
    (set, suits, byName, byNumber) = ([], [], [:], [:])
    (byIdentity, bySuit, holes) = ([:], [:], [:])
    (range, bytes, half, wide, anything) = (0...0, [], 0, 0, [])
  }

  private static let identity = UUID()
}

@Model
private final class Doubled {
  struct Inside: Codable, Equatable {
    var int: Int??
    var list: [Int??]
  }

  var number: Int
  var int: Int??
  var suit: Suit??
  var text: String??
  var inside: Inside?

  init(_ number: Int) {
    self.number = number
  }
}

@Model
private final class Sparse {
  struct Point: Codable, Equatable {
    var x: Int?
    var inner: Inner?
  }

  struct Inner: Codable, Equatable {
    var y: Date?
    var words: [String]?
  }

  var point: Point?

  init() {}
}
