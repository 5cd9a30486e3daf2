import CoreDataFiles
import StoreProtocol

/// The contents of a store, and the parts that a copy changes, loses, or cannot determine.
///
/// The sentences are for users who migrate a store. They name entities and properties, never
/// values.
package struct CoreDataSurvey: Sendable {
  /// The identifier that Core Data gave the store.
  package let storeIdentifier: String
  /// The version of the framework that wrote the store, or `nil` if it is unknown.
  package let frameworkVersion: Int?
  package let modelSource: String
  /// The version that the program gave its model.
  package let modelVersion: String
  /// The number of objects of each entity.
  package internal(set) var objects: [String: Int] = [:]
  /// The number of references of each relationship (`Person.friends`) that the file keeps.
  package internal(set) var references: [String: Int] = [:]
  /// The differences between the model of the file and that of the store.
  package internal(set) var changes: [String] = []
  /// The facts that the file does not contain.
  package internal(set) var unknowns: [String] = []
  /// The contents that are intentionally not read.
  package internal(set) var leftOut: [String] = []
  /// The rows and references without an entity or owner.
  package internal(set) var losses: [String] = []
  /// The values that cannot be read, at most ten thousand.
  package internal(set) var problems: [UnreadableValue] = []
  /// The number of values that cannot be read.
  package internal(set) var problemCount = 0
  /// The required attributes (`Person.name`) that have no value in some row, and no default.
  package internal(set) var absentAttributes: Set<String> = []

  /// Whether a copy contains everything that the model describes.
  package var isComplete: Bool { problemCount == 0 && losses.isEmpty }
}

extension CoreDataStore {
  /// Reads all rows once, and returns a survey of their contents.
  ///
  /// The store must omit values that cannot be read (``UnreadableValuePolicy/omit``), and must not
  /// have been read before.
  ///
  /// - Parameter progress: Called with the number of rows that were read, and the total number.
  /// - Returns: The contents.
  /// - Throws: Errors of reading the store.
  package func survey(
    progress: (_ read: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> CoreDataSurvey {
    var survey = CoreDataSurvey(
      storeIdentifier: identifier,
      frameworkVersion: content.tables.metadata.frameworkVersion,
      modelSource: content.modelSource.rawValue,
      modelVersion: content.schema.version
    )
    let roots = content.schema.entities.filter { $0.superentity == nil }.map(\.name)
    let total = try roots.reduce(0) { try $0 + content.count(content.plan(of: $1)) }
    var read = 0
    for entity in content.schema.entities { survey.objects[entity.name] = 0 }
    for root in roots {
      try content.rows(of: root, nil) { row in
        survey.count(row)
        read += 1
        if read.isMultiple(of: 1_000) { try progress(read, total) }
        return true
      }
    }
    survey.problems = content.problems.all
    survey.problemCount = content.problems.count
    survey.absentAttributes = content.problems.absentAttributes.union(content.optionalAttributes)
    if content.modelSource == .names {
      survey.unknowns.append(
        "the model: names and types of properties are guesses; correct the output of 'storectl "
          + "schema show --format json' and pass it with --schema"
      )
    }
    survey.describe(content.model)
    survey.describe(content.remarks.all)
    try survey.check(content)
    return survey
  }
}

extension CoreDataSurvey {
  fileprivate mutating func count(_ row: DefaultSnapshot) {
    let entity = row.persistentIdentifier.entityName
    objects[entity, default: 0] += 1
    for (name, value) in zip(row.names.names, row.values) {
      switch value {
      case .identifier: references["\(entity).\(name)", default: 0] += 1
      case .identifiers(let list) where !list.isEmpty:
        references["\(entity).\(name)", default: 0] += list.count
      default: continue
      }
    }
  }

  /// Adds the differences between the models of the store and of the file.
  fileprivate mutating func describe(_ model: ManagedModel) {
    var unordered: [String] = []
    let hierarchy = Hierarchy(model)
    for entity in model.entities {
      if let name = entity.className {
        changes.append("\(entity.name): the program calls the class \(name)")
      }
      for attribute in entity.attributes { describe(attribute, "\(entity.name).\(attribute.name)") }
      for relationship in entity.relationships {
        let name = "\(entity.name).\(relationship.name)"
        if relationship.isTransient { leftOut.append("\(name): never stored (transient)") }
        if relationship.isToMany, !relationship.isOrdered { unordered.append(name) }
        if !relationship.isToMany, !relationship.isOptional {
          changes.append(
            "\(name): optional, because Core Data checks the model's rule only when saving"
          )
        }
        if hierarchy.isOwnInverse(relationship, of: entity.name) {
          changes.append(
            "\(name): without an inverse, because Swift cannot declare a relationship as its own; "
              + "both ends are kept"
          )
        }
        if relationship.minimumCount > 1 || relationship.maximumCount > 1 {
          let most = relationship.maximumCount == 0 ? "any" : "\(relationship.maximumCount)"
          changes.append(
            "\(name): any number of objects, not \(relationship.minimumCount) to \(most) as in "
              + "the model"
          )
        }
      }
    }
    if !unordered.isEmpty {
      let names = unordered.joined(separator: ", ")
      changes.append("in the order of their keys, because the model defines no order: \(names)")
    }
  }

  private mutating func describe(_ attribute: ManagedModel.Attribute, _ name: String) {
    switch attribute.type {
    case _ where attribute.isTransient: leftOut.append("\(name): never stored (transient)")
    case .undefined, .objectID: leftOut.append("\(name): its type has no stored values")
    case .composite where attribute.rawValue != nil:
      changes.append("\(name): the raw value of an enumeration")
      unknowns.append("\(name): the name of the enumeration and of its cases")
    case .composite where attribute.isEnumeration:
      changes.append("\(name): an enumeration (\(attribute.cases.joined(separator: ", ")))")
      unknowns.append("\(name): the name of the enumeration")
    case .composite:
      changes.append("\(name): a structured value with the columns of its members")
      unknowns.append("\(name): the name of the structure")
    case .transformable:
      guard let transformer = attribute.transformerName else { return }
      unknowns.append("\(name): the result of the transformer \(transformer)")
    default: return
    }
  }

  /// Adds the ways in which values were read.
  fileprivate mutating func describe(_ remarks: [ReadingRemark: Int]) {
    let sorted = remarks.sorted {
      ($0.key.entity, $0.key.property, $0.key.kind.rawValue)
        < ($1.key.entity, $1.key.property, $1.key.kind.rawValue)
    }
    for (remark, count) in sorted {
      let values = count == 1 ? "1 value" : "\(count) values"
      let sentence = "\(remark.entity).\(remark.property): \(values) \(remark.kind.sentence)"
      if remark.kind.isUnknown { unknowns.append(sentence) } else { changes.append(sentence) }
    }
  }
}

extension ReadingRemark.Kind {
  fileprivate var isUnknown: Bool {
    switch self {
    case .decodedArchive, .decodedJSON, .ownClass, .externalFile: false
    case .unknownBytes, .unmarkedBytes, .roundedDecimal, .absentStructure: true
    }
  }

  fileprivate var sentence: String {
    switch self {
    case .decodedArchive: "decoded from archives"
    case .decodedJSON: "decoded from JSON text"
    case .unknownBytes: "in an unknown encoding, whose bytes are kept"
    case .ownClass: "archived from the program's own classes, as structures with '$class'"
    case .externalFile: "in files beside the store"
    case .unmarkedBytes: "without a mark for external files, imported unchanged"
    case .roundedDecimal: "stored as binary numbers; digits after the 15th may be lost"
    case .absentStructure: "absent: nil, or a structure whose members are all nil"
    }
  }
}
