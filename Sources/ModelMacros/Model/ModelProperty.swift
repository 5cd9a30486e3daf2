/// A persisted property.
struct ModelProperty {
  /// The name as written, backticks included.
  var name: String
  var type: String?
  var initialValue: InitialValue?
  var storage: Storage
  var isLet: Bool
  var observers: [PropertyObserver]
  /// The schema expression that its `@Attribute` or `@Relationship` asks for.
  var metadata: String?
  var offset: Int
  /// The offset of its declaration, attributes included.
  var declarationOffset: Int

  /// The name without backticks.
  var bareName: String { name.filter { $0 != "`" } }

  /// The stored property behind it.
  var peerName: String {
    let peer = "_" + bareName
    return name == bareName || peer.utf8.allSatisfy(Byte.continuesWord) ? peer : "`\(peer)`"
  }

  /// The type of the stored property behind it, or the slot that the compiler completes.
  var peerType: String? {
    switch storage {
    case .plain(let type): type
    case .slot(let type?): "ModelLayer._Slot<\(type)>"
    case .slot(nil): nil
    }
  }
}
