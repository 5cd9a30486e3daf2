/// Writes the conformances that the compiler asks for.
enum ExtensionExpansion {
  static func source(type: String, conformances: [String]) -> Source {
    var source = Source()
    for conformance in conformances {
      switch conformance.split(separator: ".").last {
      case "PersistentModel": source.add("extension \(type): ModelLayer.PersistentModel {}")
      case "Observable": source.add("extension \(type): Observation.Observable {}")
      case "ModelActor": source.add("extension \(type): ModelLayer.ModelActor {}")
      case "Sendable":
        source.add("@available(*, unavailable, message: \"\(message)\")")
        source.add("extension \(type): @unchecked Swift.Sendable {}")
      default: break
      }
    }
    return source
  }

  private static let message =
    "a model is not Sendable; pass its persistentModelID and fetch it in the other context"
}
