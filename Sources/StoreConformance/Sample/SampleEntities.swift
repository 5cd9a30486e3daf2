import StoreProtocol

/// The entities of the sample schema.
enum SampleEntities {
  /// All attribute types, each under its own name.
  static let specimen = StoreEntity(
    name: "Specimen",
    properties: [attribute("name", .string, isOptional: false)]
      + SampleValues.types.map { attribute($0.rawValue, $0) }
  )

  static let person = StoreEntity(
    name: "Person",
    properties: [
      attribute("name", .string, isOptional: false), attribute("age", .int64),
      attribute("height", .double), attribute("email", .string, isUnique: true),
      attribute("badge", .int64, isUnique: true),
      toOne("mentor", "Person", inverse: "students"),
      toMany("students", "Person", inverse: "mentor", inverseIsToOne: true),
      toMany("pets", "Animal", inverse: "owner", inverseIsToOne: true),
      toMany("groups", "Group", inverse: "members"),
      toMany("favourites", "Animal"),
      toOne("passport", "Passport", inverse: "holder", inverseIsToOne: true),
    ],
    uniquenessConstraints: [["email"], ["badge"]],
    indices: [["name"]]
  )

  static let passport = StoreEntity(
    name: "Passport",
    properties: [
      attribute("name", .string, isOptional: false),
      toOne("holder", "Person", inverse: "passport", inverseIsToOne: true),
    ]
  )

  static let group = StoreEntity(
    name: "Group",
    properties: [
      attribute("name", .string, isOptional: false), attribute("year", .int64),
      toMany("members", "Person", inverse: "groups"),
    ],
    uniquenessConstraints: [["name", "year"]]
  )

  static let seat = StoreEntity(
    name: "Seat",
    properties: [
      attribute("row", .int64, isOptional: false), attribute("note", .string),
      toOne("group", "Group"),
    ],
    uniquenessConstraints: [["group", "row"]]
  )

  /// An entity with features that the others lack: required attributes of every type, structured
  /// values of known types, relationships in all directions, and indexes.
  static let exhibit = StoreEntity(
    name: "Exhibit",
    properties: [
      attribute("name", .string, isOptional: false), attribute("title", .string),
      attribute("shown", .bool, isOptional: false), attribute("count", .int64, isOptional: false),
      attribute("small", .int8, isOptional: false), attribute("big", .uint64, isOptional: false),
      attribute("price", .double, isOptional: false), attribute("ratio", .float, isOptional: false),
      attribute("cost", .decimal, isOptional: false), attribute("made", .date, isOptional: false),
      attribute("seen", .date), attribute("key", .uuid, isOptional: false),
      attribute("bytes", .data, isOptional: false), attribute("link", .url),
      attribute("words", .codable, isOptional: false),
      attribute("numbers", .codable, isOptional: false),
      attribute("maybes", .codable, isOptional: false),
      attribute("counts", .codable, isOptional: false),
      attribute("address", .codable, isOptional: false), attribute("home", .codable),
      attribute("places", .codable, isOptional: false),
      toOne("keeper", "Person"), toOne("animal", "Animal"), toOne("specimen", "Specimen"),
      toOne("whole", "Exhibit", inverse: "parts"),
      toMany("parts", "Exhibit", inverse: "whole", inverseIsToOne: true),
      toMany("related", "Exhibit"), toMany("makers", "Person"), toMany("animals", "Animal"),
    ],
    indices: [["name"], ["title"], ["count"], ["price"], ["made"], ["shown", "count"]]
  )

  static let animalProperties = [
    attribute("name", .string, isOptional: false), attribute("weight", .double),
    attribute("tag", .int64, isUnique: true), toOne("owner", "Person", inverse: "pets"),
  ]

  static func animal(
    _ name: String,
    _ properties: [StoreProperty],
    above: String? = nil,
    unique: [[String]] = []
  ) -> StoreEntity {
    StoreEntity(
      name: name,
      superentity: above,
      root: "Animal",
      properties: properties,
      uniquenessConstraints: [["tag"]] + unique
    )
  }

  static func withoutUniqueValues(_ entity: StoreEntity) -> StoreEntity {
    StoreEntity(
      name: entity.name,
      superentity: entity.superentity,
      root: entity.root,
      properties: entity.properties.map { property in
        StoreProperty(
          name: property.name,
          kind: property.kind,
          isOptional: property.isOptional,
          options: property.options
        )
      },
      indices: entity.indices
    )
  }

  static func attribute(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true,
    isUnique: Bool = false
  ) -> StoreProperty {
    StoreProperty(
      name: name,
      kind: .attribute(type),
      isOptional: isOptional,
      isUnique: isUnique
    )
  }

  static func toOne(
    _ name: String,
    _ destination: String,
    inverse: String? = nil,
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

  static func toMany(
    _ name: String,
    _ destination: String,
    inverse: String? = nil,
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
