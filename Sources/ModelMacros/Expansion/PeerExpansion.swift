/// Writes the stored property behind a persisted one.
enum PeerExpansion {
  static func source(of property: ModelProperty) -> Source {
    guard let type = property.peerType else {
      let value = property.initialValue?.text ?? ""
      return Source("private var \(property.peerName) = ModelLayer._Slot.unset({ \(value) })")
    }
    return Source("private var \(property.peerName): \(type)")
  }
}
