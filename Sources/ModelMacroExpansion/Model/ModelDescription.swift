/// The parts of a class that `@Model` uses.
struct ModelDescription {
  /// An entry of a model's schema.
  enum Entry {
    case property(ModelProperty, Ordinal)
    /// A `#Unique` or `#Index`.
    case constraint(MacroExpansion)
  }

  /// An `#if` block with persisted properties, and their number in each branch.
  struct Block {
    var number: Int
    var branches: [(condition: String, count: Ordinal)]
  }

  /// The name as written.
  var name: String
  /// The name of the class in its generated code.
  var reference: String
  var nameOffset: Int
  var access: Access
  /// The first type after the colon; a superclass unless the compiler requests the conformance.
  var firstInherited: String?
  /// Whether the class, or a type around it, has generic parameters.
  var isGeneric: Bool
  /// Whether the class names a global actor.
  var isIsolated: Bool
  /// The initializers in the body of the class.
  var initializers: [InitializerDeclaration]
  /// Whether a macro of another library may add an initializer.
  var mayGetInitializer: Bool
  var entries: Branching<Entry>
  var blocks: [Block]
  var count: Ordinal

  /// The persisted properties under every condition.
  var properties: [ModelProperty] {
    entries.all.compactMap { entry in
      if case .property(let property, _) = entry { property } else { nil }
    }
  }

  /// Whether the body of the class declares an initializer.
  var hasInitializer: Bool { !initializers.isEmpty }

  /// Returns whether an initializer leaves a property as it is: its body does not mention it.
  func leavesUnset(_ property: ModelProperty) -> Bool {
    initializers.contains { $0.isDesignated && !$0.words.contains(property.bareName) }
  }

  /// Returns whether no initializer can set a property, so that its storage starts with its value.
  func startsWithValue(_ property: ModelProperty) -> Bool {
    property.hasPlainInitialValue && !mayGetInitializer
      && !initializers.contains { $0.words.contains(property.bareName) }
  }

  /// The name without backticks.
  var bareName: String { ModelProperty.bare(name) }

  /// Returns the index of a property; two with one name have different offsets, under different
  /// `#if`s.
  func ordinal(of name: String, at offset: Int) -> Ordinal? {
    var found: Ordinal?
    for case .property(let property, let ordinal) in entries.all where property.name == name {
      if property.declarationOffset == offset { return ordinal }
      if found == nil { found = ordinal }
    }
    return found
  }

  /// Whether only the compiler can compute the index of a property.
  var needsIndex: Bool { firstInherited != nil || !blocks.isEmpty }

  /// Returns the index of a property as an expression that is valid in the whole class.
  func index(at ordinal: Ordinal) -> String {
    (firstInherited == nil ? "" : "_$Index.first + ") + ordinal.expression
  }
}

/// The access level of a model's members.
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

  /// The modifier of a member that is not overridden, with the space after it.
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
