/// What `@Model` understands of a class.
struct ModelDescription {
  /// What the schema of a model lists.
  enum Entry {
    case property(ModelProperty, Ordinal)
    /// A `#Unique` or `#Index`.
    case constraint(MacroExpansion)
  }

  /// An `#if` block that holds persisted properties, with how many each branch has.
  struct Block {
    var number: Int
    var branches: [(condition: String, count: Ordinal)]
  }

  /// The name as written.
  var name: String
  /// What generated code in the class calls it.
  var reference: String
  var nameOffset: Int
  var access: Access
  /// The `@available` attributes of the class.
  var availability: [Attribute]
  /// The first type after the colon; a superclass unless the compiler says that this is a root.
  var firstInherited: String?
  /// Whether the class, or a type around it, has generic parameters.
  var isGeneric: Bool
  /// Whether the class names a global actor.
  var isIsolated: Bool
  /// Whether the body of the class declares an initialiser.
  var hasInitializer: Bool
  var entries: Branching<Entry>
  var blocks: [Block]
  var count: Ordinal

  /// The persisted properties under every condition.
  var properties: [ModelProperty] {
    entries.all.compactMap { entry in
      if case .property(let property, _) = entry { property } else { nil }
    }
  }

  /// The name without backticks.
  var bareName: String { ModelProperty.bare(name) }

  /// The place of a property; two of one name stand at different offsets, under different `#if`s.
  func ordinal(of name: String, at offset: Int) -> Ordinal? {
    var found: Ordinal?
    for case .property(let property, let ordinal) in entries.all where property.name == name {
      if property.declarationOffset == offset { return ordinal }
      if found == nil { found = ordinal }
    }
    return found
  }

  /// Whether the place of a property is only known to the compiler.
  var needsIndex: Bool { firstInherited != nil || !blocks.isEmpty }

  /// The place of a property as an expression that holds in the whole class.
  func index(at ordinal: Ordinal) -> String {
    (firstInherited == nil ? "" : "_$Index.first + ") + ordinal.expression
  }
}

/// How far the members of a model are seen.
enum Access: Equatable {
  case `public`
  case open
  case package
  case `internal`

  init(_ modifiers: [Modifier]) {
    let names = modifiers.filter { $0.detail == nil }.map(\.name)
    if names.contains("open") {
      self = .open
    } else if names.contains("public") {
      self = .public
    } else if names.contains("package") {
      self = .package
    } else {
      self = .internal
    }
  }

  /// The modifier of a member that nobody overrides, with the space after it.
  var fixed: String {
    switch self {
    case .open, .public: "public "
    case .package: "package "
    case .internal: ""
    }
  }

  /// The modifier of a member that subclasses override, with the space after it.
  var overridable: String { self == .open ? "open " : fixed }
}
