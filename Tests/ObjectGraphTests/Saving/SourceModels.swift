import Foundation
import OpenSwiftData
import StoreTestSupport

/// A model of every plain type.
@Model
final class Reading {
  var number: Int
  var name: String
  var level: Double
  var moment: Date
  var isGood: Bool
  var narrow: Int8
  var wide: UInt64
  var coarse: Float
  var amount: Decimal
  var bytes: Data
  var tag: UUID
  var page: URL?
  var note: String?
  var count: Int?
  var share: Double?
  var seen: Date?
  var isDone: Bool?
  @Attribute(.ephemeral) var draft = "none"

  init(_ number: Int) {
    func pick<T>(_ values: [T]) -> T { values[number % values.count] }
    self.number = number
    name = pick(HardValues.strings)
    level = pick(HardValues.doubles)
    moment = pick(HardValues.dates)
    isGood = number.isMultiple(of: 3)
    narrow = Int8(truncatingIfNeeded: number)
    wide = pick(HardValues.unsignedIntegers)
    coarse = Float(number) / 3
    amount = pick(HardValues.decimals)
    bytes = pick(HardValues.data)
    tag = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, UInt8(number & 255)))
    page = number.isMultiple(of: 2) ? URL(string: "https://example.org/\(number)") : nil
    note = number.isMultiple(of: 2) ? nil : pick(HardValues.strings.reversed())
    count = number.isMultiple(of: 5) ? nil : number
    share = number.isMultiple(of: 7) ? nil : pick(HardValues.doubles)
    seen = number.isMultiple(of: 2) ? nil : pick(HardValues.dates)
    isDone = number.isMultiple(of: 4) ? nil : number.isMultiple(of: 3)
  }

  /// Changes some properties, which ones depends on the number.
  func change(_ step: Int) {
    name = HardValues.strings[(number + step) % HardValues.strings.count]
    if number.isMultiple(of: 2) { level = HardValues.doubles[step % HardValues.doubles.count] }
    if number.isMultiple(of: 3) { note = step.isMultiple(of: 2) ? nil : "e\u{301}\(step)" }
    if number.isMultiple(of: 5) { draft = "\(step)" }
  }
}

/// A hierarchy in one table, without relationships.
@Model
class Instrument {
  var label: String

  init(label: String) { self.label = label }
}

@Model
final class Barometer: Instrument {
  var pressure: Double

  init(label: String, pressure: Double) {
    self.pressure = pressure
    super.init(label: label)
  }
}

/// A model that only has its hidden text changed.
@Model
final class Sketch {
  @Attribute(.ephemeral) var draft = ""
  var title: String

  init(_ title: String) { self.title = title }
}

/// Models whose new rows are more than a statement.
@Model
final class Lighthouse {
  @Attribute(.unique) var code: String

  init(_ code: String) { self.code = code }
}

@Model
final class Photo {
  @Attribute(.externalStorage) var bytes: Data

  init(_ bytes: Data) { self.bytes = bytes }
}

@Model
final class Supporter {
  var crews: [Crew] = []

  init(_ crews: [Crew]) { self.crews = crews }
}

/// A graph: lists whose members say where they belong, members of several classes, both ends of one
/// to one, and objects that lead to others of their own kind.
@Model
final class Crew {
  var name: String
  @Relationship(inverse: \Oarsman.crew) var sailors: [Oarsman] = []

  init(_ name: String) { self.name = name }
}

@Model
class Oarsman {
  var name: String
  var crew: Crew?
  @Relationship(inverse: \Oarsman.pupils) var mentor: Oarsman?
  var pupils: [Oarsman] = []
  @Relationship(deleteRule: .cascade, inverse: \Skiff.owner) var skiff: Skiff?

  init(_ name: String, crew: Crew? = nil) {
    self.name = name
    self.crew = crew
  }
}

@Model
final class Coxswain: Oarsman {
  var voice: Int

  init(_ name: String, voice: Int) {
    self.voice = voice
    super.init(name)
  }
}

@Model
final class Skiff {
  var name: String
  var owner: Oarsman?

  init(_ name: String) { self.name = name }
}

/// Values whose stored form is made by code of the program.
struct Tint: Codable, Hashable {
  var red: Int
}

@Model
final class Paint {
  var shade: Tint

  init(_ shade: Tint) { self.shade = shade }
}
