import Foundation

/// What all contenders store: ten columns, the key among them.
protocol Fields {
  var number: Int { get }
  var group: Int { get }
  var rank: Int { get }
  var price: Double { get }
  var weight: Double { get }
  var name: String { get }
  var city: String { get }
  var note: String { get }
  var created: Date { get }
}

/// The values of one row, which follow from its number alone.
struct Record: Fields, Codable {
  var id: Int
  var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  var created: Date

  enum CodingKeys: String, CodingKey {
    case id = "$id"
    case number, group, rank, price, weight, name, city, note, created
  }

  private static let cities = ["Oslo", "København", "Paris", "Reykjavík", "Wien", "Zürich"]

  /// How many groups the records fall into.
  static let groups = 300

  /// Creates the record of an index, counted from 0.
  init(_ index: Int) {
    var random = UInt64(index) &* 0x9E37_79B9_7F4A_7C15
    random ^= random >> 29
    random = random &* 0xBF58_476D_1CE4_E5B9
    random ^= random >> 32
    id = index + 1
    number = index
    group = index % Self.groups
    rank = Int(random % 1_000_000)
    price = Double(random >> 40) / 100
    weight = Double(random % 10_000) / 10_000
    name = "item \(index)"
    city = Self.cities[Int(random >> 20) % Self.cities.count]
    note = "the note of item \(index), long enough not to fit into a word or two"
    created = Date(timeIntervalSinceReferenceDate: Double(700_000_000 + random % 100_000_000))
  }

  /// The first records.
  static func first(_ count: Int) -> [Record] { (0..<count).map { Record($0) } }
}

/// An order-sensitive sum of what was read, by which each contender is checked.
struct Digest {
  private(set) var value: UInt64 = 14_695_981_039_346_656_037

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 1_099_511_628_211
  }

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(UInt64(byte)) }
  }

  mutating func add(_ fields: some Fields) {
    add(fields.number)
    add(fields.group)
    add(fields.rank)
    add(fields.price.bitPattern)
    add(fields.weight.bitPattern)
    add(fields.name)
    add(fields.city)
    add(fields.note)
    add(fields.created.timeIntervalSinceReferenceDate.bitPattern)
  }

  /// The digest of all fields of rows in their order.
  static func of<Rows: Sequence>(_ rows: Rows) -> UInt64 where Rows.Element: Fields {
    var digest = Digest()
    for row in rows { digest.add(row) }
    return digest.value
  }
}
