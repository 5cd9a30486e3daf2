import Foundation
import SQLiteStore
import StoreProtocol
import StoreTestSupport

/// Notes whose texts have indexes of words, in a hierarchy, with a unique text among them.
enum SearchSample {
  static let note = StoreEntity(
    name: "Note",
    properties: noteProperties,
    uniquenessConstraints: [["title"]],
    indices: [["kind"]]
  )

  static let longNote = StoreEntity(
    name: "LongNote",
    superentity: "Note",
    root: "Note",
    properties: noteProperties + [text("summary")],
    uniquenessConstraints: [["title"]],
    indices: [["kind"]]
  )

  static let schema = StoreSchema(entities: [note, longNote])

  /// The same without indexes of words.
  static let plainSchema = StoreSchema(
    entities: [note, longNote].map { entity in
      StoreEntity(
        name: entity.name,
        superentity: entity.superentity,
        root: entity.root,
        properties: entity.properties.map {
          StoreProperty(name: $0.name, kind: $0.kind, isOptional: $0.isOptional)
        },
        uniquenessConstraints: entity.uniquenessConstraints,
        indices: entity.indices
      )
    }
  )

  static func text(_ name: String, options: [String] = ["fullText"]) -> StoreProperty {
    StoreProperty(name: name, kind: .attribute(.string), isOptional: true, options: options)
  }

  private static let noteProperties = [
    text("title"), text("body"), text("kind", options: []),
    SampleSchema.attribute("number", .int64),
    StoreProperty(
      name: "above",
      kind: .toOne(StoreRelationship(destination: "Note")),
      isOptional: true
    ),
  ]

  private static let words = [
    "sea", "Sea", "SEA", "hot", "spring", "springs", "hot spring", "caf\u{E9}", "cafe\u{301}",
    "CAFE", "stra\u{DF}e", "STRASSE", "\u{212A}elvin", "kelvin", "\u{130}stanbul", "中国", "国",
    "ひらがな", "ภาษา", "שָׁלוֹם", "👩‍👩‍👧", "❤️", "e-mail", "a@b.org", "don't", "x\u{0}y", "7", "²",
    "_", "%", "\"", "'", "*", "-", "OR", "AND", "NOT", "NEAR(", "^", ":", "{", "}", "\\", "\r\n",
    "\u{FEFF}", "\u{301}", "",
  ]

  /// A text of some of the words.
  static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(words) }
      .joined(separator: random.pick([" ", " ", "-", ", ", ""]))
  }

  /// A text or nil.
  static func value(_ random: inout SeededGenerator) -> StoreValue {
    Int.random(in: 0..<8, using: &random) == 0 ? .null : .string(text(&random))
  }

  /// A search of some of the words, as a person might type it or a mischievous one would.
  static func search(_ random: inout SeededGenerator) -> TextSearch {
    let terms = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      let word = random.pick(words)
      return random.pick(["", "", "", "-"])
        + random.pick([word, word, "\"\(word) \(random.pick(words))\"", "\(word)*"])
    }
    return TextSearch(terms.joined(separator: random.pick([" ", " ", " OR "])))
  }
}

extension SQLiteStore {
  /// The keys of the rows whose text matches, by Swift.
  func scanned(
    _ search: TextSearch,
    _ entity: String,
    _ property: String,
    isOpposite: Bool = false
  ) throws -> [Int64] {
    try fetch(StoreQuery(entity: entity)).compactMap { record in
      guard case .string(let text) = record[property] else { return nil }
      return search.isFound(in: text) != isOpposite ? record.persistentIdentifier.integerKey : nil
    }
  }
}
