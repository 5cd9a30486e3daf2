import CommandLineSupport
import OpenSwiftData

/// The label of an object beside its key: the attribute by which people recognize it.
enum Label {
  private static let usual = ["name", "title", "label", "code", "word"]
  private static let longest = 60

  /// Returns the attribute that labels objects of an entity.
  static func property(of entity: StoreEntity) -> StoreProperty? {
    let texts = entity.properties.filter { $0.attributeType == .string }
    for word in usual {
      if let found = texts.first(where: { $0.name.lowercased() == word }) { return found }
    }
    return texts.first
  }

  /// Returns the label of an object, or `nil` if it has none.
  static func text(_ object: StoredObject) -> String? {
    guard let property = property(of: object.entity),
      case .string(let text)? = object.value(of: property), !text.isEmpty
    else { return nil }
    return text.shown(to: longest)
  }
}

/// The labels of some objects.
struct Labels {
  private var texts: [PersistentIdentifier: String] = [:]

  subscript(_ identifier: PersistentIdentifier) -> String? { texts[identifier] }

  mutating func read(
    _ identifiers: [PersistentIdentifier],
    of entity: String,
    in opened: OpenedStore
  ) throws {
    guard !identifiers.isEmpty else { return }
    let family = opened.store.schema.storeSchema.family(of: entity)
    let names = Set(family.compactMap { Label.property(of: $0)?.name })
    let wanted = WantedProperties(names: names, readsFiles: false, longestString: 1_000)
    for object in try opened.objects(.rows(identifiers, of: entity), wanted) {
      texts[object.identifier] = Label.text(object)
    }
  }
}
