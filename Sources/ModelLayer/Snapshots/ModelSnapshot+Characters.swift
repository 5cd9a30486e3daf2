import ModelRuntime
import StoreProtocol

// Characters are attributes like others, but not Codable.

extension ModelSnapshot {
  /// The value of an attribute.
  public subscript(dynamicMember path: KeyPath<Model, Character>) -> Character {
    character(at: path) ?? "\u{FFFD}"
  }

  /// The value of an attribute.
  public subscript(dynamicMember path: ReferenceWritableKeyPath<Model, Character>) -> Character {
    get { character(at: path) ?? "\u{FFFD}" }
    set { set(newValue, at: path) }
  }

  /// The value of an attribute.
  public subscript(dynamicMember path: KeyPath<Model, Character?>) -> Character? {
    character(at: path)
  }

  /// The value of an attribute.
  public subscript(
    dynamicMember path: ReferenceWritableKeyPath<Model, Character?>
  ) -> Character? {
    get { character(at: path) }
    set { set(newValue, at: path) }
  }

  private func character<Value>(at path: KeyPath<Model, Value>) -> Character? {
    guard let index = record.index(of: path, in: Model.self) else {
      return (record.detachedObject() as? Model)?[keyPath: path] as? Character
    }
    if case .value(let stored) = record.contents[index] { return Character(storeValue: stored) }
    return record.layout.properties[index].metadata.makeDefault?() as? Character
  }

  private mutating func set(_ character: Character?, at path: PartialKeyPath<Model>) {
    guard let index = record.index(of: path, in: Model.self) else { return }
    record.contents[index] = .value(character?.storeValue ?? .null)
  }
}
