import StoreProtocol

/// The schema of the probes: a small library.
enum ProbeSchema {
  static let schema = Schema(storeSchema: StoreSchema(entities: entities))

  static func entity(_ name: String) -> StoreEntity {
    entities.first { $0.name == name } ?? entities[0]
  }

  private static let book = [
    attribute("name", .string, isOptional: false), attribute("code", .string, isUnique: true),
    attribute("mark", .string, isUnique: true), attribute("pages", .int64),
    attribute("price", .double), attribute("made", .date), attribute("note", .string),
    StoreProperty(
      name: "kept",
      kind: .attribute(.string),
      isOptional: true,
      options: ["preserveValueOnDeletion"]
    ),
    attribute("form", .codable), one("shelf", "Shelf", "books"),
    one("cover", "Cover", "book", inverseIsToOne: true), many("tags", "Tag", "books"),
    many("sequels", "Book", nil), one("ticket", "Ticket", "book", inverseIsToOne: true),
  ]

  private static let entities = [
    StoreEntity(
      name: "Shelf",
      properties: [
        attribute("name", .string, isOptional: false),
        attribute("label", .string, isUnique: true),
        many("books", "Book", "shelf", inverseIsToOne: true),
      ],
      uniquenessConstraints: [["label"]]
    ),
    StoreEntity(
      name: "Book",
      properties: book,
      uniquenessConstraints: [["code"], ["mark"]],
      indices: [["pages"], ["made"], ["price"], ["note", "pages"]]
    ),
    StoreEntity(
      name: "Novel",
      superentity: "Book",
      root: "Book",
      properties: book + [attribute("serial", .int64, isUnique: true)],
      uniquenessConstraints: [["code"], ["mark"], ["serial"]],
      indices: [["pages"], ["made"], ["price"], ["note", "pages"]]
    ),
    StoreEntity(
      name: "Cover",
      properties: [
        attribute("name", .string, isOptional: false),
        one("book", "Book", "cover", inverseIsToOne: true),
      ]
    ),
    StoreEntity(
      name: "Ticket",
      properties: [
        attribute("name", .string, isOptional: false),
        one("book", "Book", "ticket", inverseIsToOne: true, isOptional: false),
      ]
    ),
    StoreEntity(
      name: "Tag",
      properties: [attribute("name", .string, isOptional: false), many("books", "Book", "tags")]
    ),
    StoreEntity(
      name: "Seat",
      properties: [
        attribute("name", .string, isOptional: false), attribute("row", .int64),
        attribute("number", .double), one("shelf", "Shelf", nil),
      ],
      uniquenessConstraints: [["row", "number"], ["shelf", "row"]]
    ),
  ]

  private static func attribute(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true,
    isUnique: Bool = false
  ) -> StoreProperty {
    StoreProperty(name: name, kind: .attribute(type), isOptional: isOptional, isUnique: isUnique)
  }

  private static func one(
    _ name: String,
    _ destination: String,
    _ inverse: String?,
    inverseIsToOne: Bool = false,
    isOptional: Bool = true
  ) -> StoreProperty {
    let relationship = StoreRelationship(
      destination: destination,
      inverse: inverse,
      inverseIsToOne: inverseIsToOne
    )
    return StoreProperty(name: name, kind: .toOne(relationship), isOptional: isOptional)
  }

  private static func many(
    _ name: String,
    _ destination: String,
    _ inverse: String?,
    inverseIsToOne: Bool = false
  ) -> StoreProperty {
    let relationship = StoreRelationship(
      destination: destination,
      inverse: inverse,
      inverseIsToOne: inverseIsToOne
    )
    return StoreProperty(name: name, kind: .toMany(relationship))
  }
}
