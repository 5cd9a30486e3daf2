/// The classification of attributes by their names.
enum AttributeName {
  private static let supported: Set<String> = [
    "Attribute", "Relationship", "Transient", "_PersistedProperty", "ObservationIgnored",
    "ObservationTracked", "IBInspectable", "GKInspectable", "NSCopying", "NSManaged", "Sendable",
  ]

  static func isGlobalActor(_ name: String) -> Bool {
    name.hasSuffix("Actor") && name != "ModelActor"
  }

  /// Whether the attribute belongs to neither the language nor this package, and is thus a property
  /// wrapper.
  static func isWrapper(_ name: String) -> Bool {
    let base = name.split(separator: ".").last.map(String.init) ?? name
    guard base.first?.isUppercase == true else { return false }
    return !supported.contains(base) && !isGlobalActor(base)
  }
}
