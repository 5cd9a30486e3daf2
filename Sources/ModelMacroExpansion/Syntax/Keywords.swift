/// The words that begin a declaration.
enum Keywords {
  static let introducers: Set<String> = [
    "var", "let", "func", "init", "deinit", "subscript", "class", "struct", "enum", "actor",
    "protocol", "extension", "typealias", "associatedtype", "import", "case", "operator", "macro",
    "precedencegroup",
  ]

  static let modifiers: Set<String> = [
    "public", "private", "fileprivate", "internal", "open", "package", "static", "class", "final",
    "override", "required", "convenience", "lazy", "weak", "unowned", "dynamic", "optional",
    "mutating", "nonmutating", "consuming", "borrowing", "nonisolated", "isolated", "indirect",
    "distributed", "prefix", "postfix", "infix", "sending", "async", "unsafe", "safe",
  ]

  /// The words before an operand, on the same line or the next.
  static let beforeOperands: Set<String> = [
    "return", "try", "await", "in", "is", "as", "case", "where", "if", "else", "switch", "while",
    "throw", "yield", "consume", "copy", "do",
  ]

  static let observers: Set<String> = ["willSet", "didSet"]

  static let computedAccessors: Set<String> = [
    "get", "set", "init", "_read", "_modify", "read", "modify", "yielding", "unsafeAddress",
    "unsafeMutableAddress",
  ]
}
