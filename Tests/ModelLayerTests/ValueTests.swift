import ModelLayer
import Testing

@Suite("Values of every type")
struct ValueTests {
  @Test func `are stored exactly, including extreme values`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let one = Everything()
    fill(one)
    context.insert(one)
    try context.save()
    let back = try #require(try ModelContext(container).all(Everything.self).first)
    #expect(back.int == .min)
    #expect(back.int8 == -128)
    #expect(back.uint64 == .max)
    #expect(back.float == .leastNonzeroMagnitude)
    #expect(back.double.bitPattern == (-0.0).bitPattern)
    #expect(back.flag)
    #expect(Array(back.text.unicodeScalars) == Array("e\u{301}\0\u{212A}".unicodeScalars))
    #expect(back.character == "👩‍👩‍👧")
    #expect(back.date.timeIntervalSinceReferenceDate == 0.1 + 0.2)
    #expect(back.data == Data([0, 255]))
    #expect(back.uuid == one.uuid)
    #expect(back.url == URL(string: "https://example.com/a?b=c"))
    #expect(back.decimal == Decimal(string: "12345678901234567890.123456789"))
  }

  private func fill(_ one: Everything) {
    one.int = .min
    one.int8 = -128
    one.uint64 = .max
    one.float = .leastNonzeroMagnitude
    one.double = -0.0
    one.flag = true
    one.text = "e\u{301}\0\u{212A}"
    one.character = "👩‍👩‍👧"
    one.date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
    one.data = Data([0, 255])
    one.uuid = UUID()
    one.url = URL(string: "https://example.com/a?b=c")
    one.decimal = Decimal(string: "12345678901234567890.123456789") ?? 0
  }

  @Test func `are stored exactly if they are optional, enumerated or composite`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let empty = Everything()
    let full = Everything()
    full.optionalInt = 5
    full.reason = .wellness
    full.optionalReason = .reunion
    full.mood = .loud(level: 11)
    full.address = Address(street: "Main", number: nil)
    full.words = ["a", ""]
    full.numbers = [3, 1, 2]
    full.table = ["x": 1]
    full.scratch = 9
    context.insert(empty)
    context.insert(full)
    try context.save()
    let back = try ModelContext(container).all(Everything.self)
    #expect(back.map(\.optionalInt) == [nil, 5])
    #expect(back.map(\.reason) == [.family, .wellness])
    #expect(back.map(\.optionalReason) == [nil, .reunion])
    #expect(back.map(\.mood) == [.calm, .loud(level: 11)])
    #expect(back.map(\.address) == [nil, Address(street: "Main", number: nil)])
    #expect(back.map(\.words) == [[], ["a", ""]])
    #expect(back.map(\.numbers) == [[], [1, 2, 3]])
    #expect(back.map(\.table) == [[:], ["x": 1]])
    #expect(back.map(\.scratch) == [7, 7])
  }

  @Test func `fail the save if they cannot be encoded`() throws {
    let container = try ModelContainer(
      for: Schema(Stubborn.self),
      configurations: [MemoryFixture.configuration()]
    )
    let context = ModelContext(container)
    let one = Stubborn()
    context.insert(one)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.property == "content")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stubborn>()) == 0)
    one.content = Refusal(refuses: false)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Stubborn>()) == 1)
  }
}

struct Refusal: Codable {
  struct No: Error {}
  var refuses = true

  func encode(to encoder: any Encoder) throws {
    if refuses { throw No() }
    var container = encoder.singleValueContainer()
    try container.encode(false)
  }

  init(refuses: Bool) { self.refuses = refuses }

  init(from decoder: any Decoder) throws {
    refuses = try decoder.singleValueContainer().decode(Bool.self)
  }
}

@Model
final class Stubborn {
  var content: Refusal = Refusal(refuses: true)

  init() {}
}
