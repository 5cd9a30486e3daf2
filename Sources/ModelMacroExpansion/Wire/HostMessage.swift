/// A request of the compiler.
///
/// Undeclared keys are ignored, and so is a request of an unknown kind: a later compiler may send
/// more.
struct HostMessage: Decodable {
  var getCapability: Nothing?
  var expandAttachedMacro: AttachedExpansion?
  var expandFreestandingMacro: Nothing?

  /// An unused payload.
  struct Nothing: Decodable {}
}

/// A request to expand an attached macro in one of its roles.
struct AttachedExpansion: Decodable {
  var macro: MacroReference
  var macroRole: String
  var attributeSyntax: HostSyntax
  var declSyntax: HostSyntax
  var parentDeclSyntax: HostSyntax?
  var extendedTypeSyntax: HostSyntax?
  var conformanceListSyntax: HostSyntax?
  var lexicalContext: [HostSyntax]?
  /// The build configuration, as JSON; older compilers do not send it.
  var staticBuildConfiguration: String?

  /// Whether accessors may be added to a `let`: in language modes before Swift 6.
  var allowsAccessorsOfLet: Bool {
    guard let configuration = staticBuildConfiguration,
      let mode = configuration.firstRange(of: #""languageMode":{"components":["#)
    else { return false }
    let version = configuration[mode.upperBound...].prefix { $0.isNumber }
    return Int(version).map { $0 < 6 } ?? false
  }
}

/// The macro that a request names.
struct MacroReference: Decodable {
  var moduleName: String
  var typeName: String
  var name: String
}

/// A piece of source and its location.
struct HostSyntax: Decodable {
  var source: String
  var location: Location

  /// The location of the first byte of a piece of source, leading white space included.
  struct Location: Decodable, Equatable {
    var fileName: String
    /// The module and the name of the file.
    var fileID: String?
    var offset: Int
    /// The line, counted from 1.
    var line: Int?
  }
}
