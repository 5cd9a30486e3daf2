/// An error in a declaration, or a warning, with what to write instead.
///
/// Every message of the plugin has one factory here.
struct Diagnostic: Error, Equatable {
  var message: String
  /// The offset within the source.
  var offset: Int
  /// The alternative replacements.
  var fixIts: [FixIt] = []
  /// Whether the declaration is valid, but probably not meant so.
  var isWarning = false

  /// One replacement that fixes the error.
  struct FixIt: Equatable {
    var message: String
    /// The bytes to replace, as offsets within the source.
    var range: Range<Int>
    var replacement: String
  }
}

extension Diagnostic {
  /// The declaration is not what the macro works on, such as a class and its plural.
  static func wrongKind(
    _ declaration: TypeDeclaration,
    for macro: String,
    _ keyword: String,
    _ plural: String
  ) -> Diagnostic {
    Diagnostic(
      message: "\(macro) works on \(plural) only; declare '\(declaration.name)' as "
        + "\(withArticle(keyword)) instead of \(withArticle(declaration.keyword))",
      offset: declaration.keywordOffset
    )
  }

  static func noInitializer(model: String, property: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message: "'\(model)' needs an initializer because '\(property)' has no initial value; "
        + "write an init, or give '\(property)' a value",
      offset: offset
    )
  }

  static func noOwnInitializer(model: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message:
        "'\(model)' needs its own initializer, because a model inherits none; write an init that "
        + "calls super.init",
      offset: offset
    )
  }

  static func tuple(at offset: Int) -> Diagnostic {
    Diagnostic(
      message: "a persisted property must be a single name; write one var for each part of the "
        + "tuple, or mark it @Transient",
      offset: offset
    )
  }

  static func severalNames(
    _ names: [String],
    at offset: Int,
    fixIt: FixIt?
  ) -> Diagnostic {
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    return Diagnostic(
      message:
        "persisted properties must be declared separately; write one var for each of \(list)",
      offset: offset,
      fixIts: fixIt.map { [$0] } ?? []
    )
  }

  static func reference(_ modifier: String, property: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message:
        "'\(property)' cannot be persisted as a \(modifier) reference; remove '\(modifier)', "
        + "or mark the property @Transient",
      offset: offset
    )
  }

  static func constantWithValue(
    _ property: String,
    at offset: Int,
    keyword: Range<Int>
  )
    -> Diagnostic
  {
    Diagnostic(
      message:
        "'\(property)' cannot be set to its stored value because it is a let with an initial "
        + "value; use private(set) var, or assign it in the initializer",
      offset: offset,
      fixIts: ["private(set) var", "var"].map {
        FixIt(message: "use \($0)", range: keyword, replacement: $0)
      }
    )
  }

  static func transientWithoutValue(_ property: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message: "'\(property)' is @Transient, so a fetched object needs a value for it; "
        + "give it an initial value, or make it an optional var",
      offset: offset
    )
  }

  static func takenStorage(_ name: String, of property: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message:
        "'\(name)' conflicts with the storage that @Model generates for '\(property)'; rename one "
        + "of them",
      offset: offset
    )
  }

  static func lazy(_ property: String, at offset: Int) -> Diagnostic {
    Diagnostic(
      message: "'\(property)' is not saved because it is lazy; mark it @Transient, or make it a "
        + "stored or a computed property",
      offset: offset,
      isWarning: true
    )
  }

  private static func withArticle(_ keyword: String) -> String {
    (keyword.first.map("aeiou".contains) == true ? "an " : "a ") + keyword
  }
}
