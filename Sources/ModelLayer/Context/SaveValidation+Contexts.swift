import StoreProtocol

extension SaveValidation {
  /// Refuses a relationship to an object of another context.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` naming both objects and the property.
  static func checkContext(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration
  ) throws {
    guard case .models(let models) = ContentWriter.content(of: index, in: model) else { return }
    let stranger = models.first { other in
      other.registration.map { $0.context !== registration.context } ?? false
    }
    guard let stranger else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) is related to \(stranger.persistentModelID), an object of another "
        + "context; use the object that this context has for its identifier",
      entity: registration.entity.name,
      property: registration.entity.properties[index].name
    )
  }
}
