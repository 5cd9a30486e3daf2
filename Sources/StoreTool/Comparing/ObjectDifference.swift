/// What is different about one object of two stores.
struct ObjectDifference: Encodable {
  /// Which store has the object, or that both have it with other values.
  enum Change: String, Encodable {
    case added, removed, changed
  }

  /// A value that differs, as text.
  struct Value: Encodable {
    let property: String
    /// The value in the first store.
    let a: String
    /// The value in the second store.
    let b: String
  }

  let change: Change
  let object: String
  /// The object in the second store, where it is called otherwise there.
  var other: String?
  var values: [Value] = []

  /// The difference as lines for people.
  var lines: [String] {
    switch change {
    case .added: ["+ \(object)"]
    case .removed: ["- \(object)"]
    case .changed:
      ["~ \(object)" + (other.map { ", \($0) in the other" } ?? "")]
        + values.map { "    \($0.property): \($0.a) → \($0.b)" }
    }
  }
}
