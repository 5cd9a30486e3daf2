import ModelRuntime
import StoreProtocol

extension SaveValidation {
  /// Refuses a relationship to an object of another context.
  ///
  /// - Throws: `SwiftDataError.modelValidationFailure` with both objects and the property.
  static func checkContext(
    _ index: Int,
    of model: any PersistentModel,
    in registration: EntityRegistration,
    _ related: RelatedReader
  ) throws {
    func isUnrelated(_ other: any PersistentModel) -> Bool {
      other.registration.map { $0.context !== registration.context } ?? false
    }
    let target = related.target.flatMap { isUnrelated($0) ? $0 : nil }
    guard let unrelated = target ?? related.members.first(where: isUnrelated) else { return }
    throw SwiftDataError.modelValidationFailure.with(
      "\(model.persistentModelID) is related to \(unrelated.persistentModelID), an object of another "
        + "context; use the object that this context has for its identifier",
      entity: registration.entity.name,
      property: registration.entity.properties[index].name
    )
  }
}
