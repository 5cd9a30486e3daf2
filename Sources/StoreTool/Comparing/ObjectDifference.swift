/// The difference of one object between two stores.
struct ObjectDifference: Encodable {
  /// The store that has the object, or `changed` if both have it with different values.
  enum Change: String, Encodable {
    case added, removed, changed
  }

  /// A value that differs, as a string.
  struct Value: Encodable {
    let property: String
    /// The value in the first store.
    let a: String
    /// The value in the second store.
    let b: String
  }

  let change: Change
  let object: String
  /// The attribute by which people recognize the object, or `nil` if it has none.
  var label: String?
  /// The name of the object in the second store, if it differs there.
  var other: String?
  var values: [Value] = []

  /// The difference as readable lines.
  var lines: [String] {
    let name = object + (label.map { " \($0)" } ?? "")
    return switch change {
    case .added: ["+ \(name)"]
    case .removed: ["- \(name)"]
    case .changed:
      ["~ \(name)" + (other.map { ", \($0) in the other" } ?? "")]
        + values.map { "    \($0.property): \($0.a) → \($0.b)" }
    }
  }
}
