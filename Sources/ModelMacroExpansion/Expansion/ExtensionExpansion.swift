/// Writes the conformances that the compiler requests.
struct ExtensionExpansion {
  /// The type in the compiler's form.
  let type: String
  /// The protocols that are still missing.
  let conformances: [String]
  /// The `@available` attributes of the type, which its extensions need as well.
  let availability: [Attribute]

  private static let message =
    "a model is not Sendable; pass its persistentModelID and fetch it in the other context"

  // The compiler shows it with an error of the line below.
  private static let hint =
    "// If this crosses into main actor-isolated code: conform in a `nonisolated extension`."

  var source: Source {
    var source = Source()
    for conformance in conformances {
      switch conformance.split(separator: ".").last {
      case "PersistentModel":
        source.add(Self.hint)
        add("ModelLayer.PersistentModel", to: &source)
      case "Observable": add("ModelLayer._Names.Observable", to: &source)
      case "ModelActor": add("ModelLayer.ModelActor", to: &source)
      case "Sendable":
        source.add("@available(*, unavailable, message: \"\(Self.message)\")")
        source.add("extension \(type): @unchecked ModelLayer._Names.Sendable {}")
      default: break
      }
    }
    return source
  }

  private func add(_ conformance: String, to source: inout Source) {
    for attribute in availability { source.add("@available(\(attribute.arguments ?? ""))") }
    source.add("nonisolated extension \(type): \(conformance) {}")
  }
}
