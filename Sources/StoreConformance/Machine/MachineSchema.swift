import StoreProtocol

/// The schema of the machine: every feature of schemas in few entities, so that features meet.
///
/// Rows of three levels have lists of their own. Each level has unique values.
enum MachineSchema {
  /// The schema with its unique values.
  static let schema = Schema(storeSchema: StoreSchema(entities: entities))

  /// The schema for stores that enforce no unique values.
  static let plainSchema = Schema(
    storeSchema: StoreSchema(entities: entities.map(SampleEntities.withoutUniqueValues))
  )

  private typealias Make = SampleEntities

  private static let item = [
    Make.attribute("name", .string, isOptional: false),
    Make.attribute("code", .string, isUnique: true),
    Make.attribute("note", .string),
    Make.attribute("count", .int64, isOptional: false),
    Make.attribute("size", .double),
    Make.attribute("made", .date, isOptional: false),
    option("kept", .string, "preserveValueOnDeletion"),
    option("blob", .data, "externalStorage"),
    Make.attribute("form", .codable),
    Make.toOne("box", "Box", inverse: "items"),
    Make.toOne("cover", "Cover", inverse: "item", inverseIsToOne: true),
    Make.toMany("peers", "Item"),
    Make.toMany("tags", "Tag", inverse: "items"),
    Make.toMany("friends", "Item", inverse: "friends"),
  ]

  private static let tool =
    item + [
      Make.attribute("serial", .int64, isUnique: true),
      Make.toMany("picks", "Item"),
      Make.toMany("boxes", "Box", inverse: "tool", inverseIsToOne: true),
    ]

  private static let drill =
    tool + [
      Make.attribute("brand", .string), Make.attribute("number", .int64),
      Make.toMany("bits", "Box"),
    ]

  private static let indices = [["name"], ["made"], ["note", "count"]]

  private static let entities = [
    StoreEntity(
      name: "Item",
      properties: item,
      uniquenessConstraints: [["code"]],
      indices: indices
    ),
    StoreEntity(
      name: "Tool",
      superentity: "Item",
      root: "Item",
      properties: tool,
      uniquenessConstraints: [["code"], ["serial"]],
      indices: indices + [["size"]]
    ),
    StoreEntity(
      name: "Drill",
      superentity: "Tool",
      root: "Item",
      properties: drill,
      uniquenessConstraints: [["code"], ["serial"], ["brand", "number"]],
      indices: indices + [["size"], ["number"]]
    ),
    StoreEntity(
      name: "Box",
      properties: [
        Make.attribute("name", .string, isOptional: false), Make.attribute("label", .string),
        Make.attribute("shelf", .int64), Make.toOne("tool", "Tool", inverse: "boxes"),
        Make.toOne("outer", "Box", inverse: "inner"),
        Make.toMany("inner", "Box", inverse: "outer", inverseIsToOne: true),
        Make.toMany("items", "Item", inverse: "box", inverseIsToOne: true),
      ],
      uniquenessConstraints: [["label", "shelf"]],
      indices: [["label"]]
    ),
    StoreEntity(
      name: "Cover",
      properties: [
        Make.attribute("serial", .int64, isUnique: true),
        Make.toOne("item", "Item", inverse: "cover", inverseIsToOne: true),
      ],
      uniquenessConstraints: [["serial"]]
    ),
    StoreEntity(
      name: "Slot",
      properties: [
        Make.attribute("place", .int64, isOptional: false), Make.attribute("note", .string),
        Make.toOne("box", "Box"),
      ],
      uniquenessConstraints: [["box", "place"]]
    ),
    StoreEntity(
      name: "Tag",
      properties: [
        Make.attribute("word", .string, isUnique: true),
        Make.toMany("items", "Item", inverse: "tags"),
      ],
      uniquenessConstraints: [["word"]]
    ),
  ]

  private static func option(
    _ name: String,
    _ type: AttributeType,
    _ option: String
  ) -> StoreProperty {
    StoreProperty(name: name, kind: .attribute(type), isOptional: true, options: [option])
  }
}
