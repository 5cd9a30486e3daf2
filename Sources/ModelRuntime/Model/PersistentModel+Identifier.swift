import StoreProtocol

extension PersistentModel {
  /// The identifier of this model, which is temporary until the first save.
  public var persistentModelID: PersistentIdentifier {
    if let registration = _$state.registration { return registration.identifier(of: self) }
    if let identifier = _$state.ownIdentifier { return identifier }
    return PersistentIdentifier(
      scope: ModelLayout.of(Self.self).temporaryScope(of: self),
      key: .temporary(_$temporaryNumber())
    )
  }

  /// The identifier of this model, unless it declares its own `id`.
  public var id: PersistentIdentifier { persistentModelID }
}
