/// A response to the compiler.
enum PluginMessage: Encodable {
  case getCapabilityResult(capability: Capability)
  case expandMacroResult(expandedSource: String?, diagnostics: [PluginDiagnostic])

  struct Capability: Encodable {
    var protocolVersion = 7
    var features: [String] = []
  }
}

/// An error at a location in a file, in the compiler's format.
struct PluginDiagnostic: Encodable {
  var message: String
  var severity = "error"
  var position: Position
  var highlights: [Range] = []
  var notes: [String] = []
  var fixIts: [FixIt] = []

  /// A byte of a file.
  struct Position: Encodable, Equatable {
    var fileName: String
    var offset: Int
  }

  /// Several bytes of a file.
  struct Range: Encodable {
    var fileName: String
    var startOffset: Int
    var endOffset: Int
  }

  /// A change of the source that fixes an error.
  struct FixIt: Encodable {
    var message: String
    var changes: [Change]

    /// One replacement of a range of bytes.
    struct Change: Encodable {
      var range: Range
      var newText: String
    }
  }
}
