/// An attribute before a declaration, such as `@Attribute(.unique)`.
struct Attribute: Equatable {
  /// The name without `@`, qualified as written.
  var name: String
  /// The source between the parentheses, or `nil` without parentheses.
  var arguments: String?
  var offset: Int

  /// The last part of the name.
  var baseName: String { name.split(separator: ".").last.map(String.init) ?? name }
}

/// A modifier before a declaration, such as `private(set)`.
struct Modifier: Equatable {
  var name: String
  var detail: String?
  var offset: Int
}

/// A class, structure, enumeration, actor, protocol or extension.
struct TypeDeclaration {
  var attributes: [Attribute]
  var modifiers: [Modifier]
  var keyword: String
  var keywordOffset: Int
  var name: String
  var nameOffset: Int
  var isGeneric: Bool
  var inheritedTypes: [String]
  var members: Branching<Member>
}

/// A member of a type, as far as a model uses it.
enum Member {
  case property(PropertyDeclaration)
  case expansion(MacroExpansion)
  case initializer(InitializerDeclaration)
  case other(keyword: String)
}

/// An initializer of a class.
struct InitializerDeclaration {
  var attributes: [Attribute]
  var modifiers: [Modifier]
  /// The names and keywords in its body, without backticks.
  var words: Set<String>

  /// Whether it must set all properties of the class.
  var isDesignated: Bool { !modifiers.contains { $0.name == "convenience" } }
}

/// A use of a freestanding macro, such as `#Unique<Trip>([\.name])`.
struct MacroExpansion: Equatable {
  var name: String
  /// The source between the angle brackets.
  var genericArguments: String?
  var arguments: String
  var offset: Int
}

/// A `var` or `let` with all its bindings.
struct PropertyDeclaration {
  var attributes: [Attribute]
  var modifiers: [Modifier]
  var isLet: Bool
  /// The offset of the first byte, attributes included.
  var offset: Int
  var keywordOffset: Int
  var bindings: [Binding]

  /// Returns the attribute with a name, whatever qualifies it.
  func attribute(named name: String) -> Attribute? {
    attributes.first { $0.baseName == name }
  }

  /// Whether a modifier with a name precedes the keyword.
  func has(_ modifier: String) -> Bool { modifiers.contains { $0.name == modifier } }
}

/// One name, or one pattern, of a `var` or `let`.
struct Binding {
  /// The name as written, backticks included, or `nil` for any other pattern.
  var name: String?
  var offset: Int
  /// The offset after the last byte.
  var end = 0
  /// The whole binding as written.
  var text = ""
  var type: String?
  var initialValue: InitialValue?
  var accessors: Accessors?
}

/// The expression after the equals sign.
struct InitialValue: Equatable {
  var text: String
  /// Whether it is an `if` or a `switch`, which cannot be parenthesized.
  var isBranching = false
  var literal: Literal?

  /// The source in a form that other source may follow: a directive needs its own line.
  var inline: String { text.hasSuffix("#endif") ? text + "\n" : text }

  /// A literal whose type is known without the compiler.
  enum Literal: Equatable {
    case string
    case integer
    case float
    case boolean
  }
}

/// The block in braces after a property.
enum Accessors: Equatable {
  case computed
  case observers([PropertyObserver])
}

/// A `willSet` or `didSet`.
struct PropertyObserver: Equatable {
  var kind: String
  /// The name in parentheses after the keyword.
  var parameter: String?
  /// The source between the braces.
  var body: String

  /// The name of the other value in the body.
  var valueName: String { parameter ?? (kind == "willSet" ? "newValue" : "oldValue") }

  /// Whether the body mentions it, possibly only in a string or a comment.
  var usesValue: Bool { body.contains(valueName) }
}
