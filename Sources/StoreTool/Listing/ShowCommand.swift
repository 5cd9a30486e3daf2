import CommandLineSupport
import OpenSwiftData

/// `storectl show`: shows one object with all its values.
enum ShowCommand {
  private static let name = Argument("ID", "The object, as Trip/4.")
  /// The largest number of a relationship's elements that are named.
  private static let mostMembers = 5

  static let command = Command(
    "show",
    "Shows an object with all its values and related objects.",
    options: [InfoCommand.format],
    arguments: [OpenedStore.argument, name]
  ) { invocation, console in
    let opened = try OpenedStore(OpenedStore.url(invocation, before: name))
    let text = try invocation.required(name)
    let identifier = try ObjectName.identifier(text, in: opened)
    guard let object = try opened.object(identifier) else {
      throw CommandFailure("the store has no object \(identifier)")
    }
    if try InfoCommand.isJSON(invocation) {
      console.print(ObjectText.line(object))
    } else {
      print(object, to: console)
    }
  }

  private static func print(_ object: StoredObject, to console: Console) {
    console.print("\(object.identifier)".visible)
    if object.version > 0 { console.print("last changed by save \(object.version)") }
    console.print()
    let properties = object.entity.properties
    let width = properties.map { $0.name.visible.displayWidth }.max() ?? 0
    for (property, value) in zip(properties, object.values) {
      let name = property.name.visible
      let padding = String(repeating: " ", count: width - name.displayWidth)
      let shown = text(value, property, object.entity).visible
      console.print("\(name)\(padding)  \(shown)")
    }
  }

  private static func text(
    _ value: StoreValue,
    _ property: StoreProperty,
    _ entity: StoreEntity
  ) -> String {
    switch value {
    case .identifiers(let list):
      let first = list.prefix(mostMembers).map(\.description).joined(separator: ", ")
      return list.isEmpty ? "0" : "\(list.count): \(first)\(list.count > mostMembers ? ", …" : "")"
    case .null, .data: return ShownValue(value, property, in: entity).short
    default: return ShownValue(value, property, in: entity).exact
    }
  }
}
