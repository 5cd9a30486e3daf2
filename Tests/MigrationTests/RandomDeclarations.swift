import OpenSwiftData

/// Changes of options, constraints, indexes, delete rules and inverses.
extension RandomSchema {
  /// Returns the options of a new attribute.
  mutating func options() -> Set<String> {
    guard chance(40) else { return [] }
    return [Self.allOptions[below(Self.allOptions.count)]]
  }

  private static let allOptions = [
    "externalStorage", "ephemeral", "preserveValueOnDeletion", "spotlight", "fullText",
    "preserveValueOnDeletion", "externalStorage", "allowsCloudEncryption", "codable",
  ]

  mutating func deleteRule() -> String { ["nullify", "cascade", "deny", "noAction"][below(4)] }

  /// Changes one declaration other than a name or a type.
  mutating func changeDeclaration() {
    switch below(8) {
    case 0...1: changeOption()
    case 2: changeUniqueness()
    case 3: changeList(\.constraints)
    case 4: changeList(\.indices)
    case 5: changeDeleteRule()
    case 6: removeInverse()
    default: addInverse()
    }
  }

  private mutating func changeOption() {
    guard let (entity, property) = place(),
      case .attribute = entities[entity].properties[property].content
    else { return }
    let option = Self.allOptions[below(Self.allOptions.count)]
    entities[entity].properties[property].options.formSymmetricDifference([option])
  }

  private mutating func changeUniqueness() {
    guard let (entity, property) = place() else { return }
    entities[entity].properties[property].isUnique.toggle()
  }

  /// Adds or removes a constraint or an index.
  private mutating func changeList(_ lists: WritableKeyPath<Entity, [[Int]]>) {
    let entity = below(entities.count)
    if !entities[entity][keyPath: lists].isEmpty, chance(40) {
      entities[entity][keyPath: lists].removeLast()
      return
    }
    var numbers = all(entities[entity]).filter { !$0.isToMany }.map(\.number)
    guard !numbers.isEmpty else { return }
    let count = 1 + below(min(3, numbers.count))
    let list = (0..<count).map { _ in numbers.remove(at: below(numbers.count)) }
    guard !entities[entity][keyPath: lists].contains(list) else { return }
    entities[entity][keyPath: lists].append(list)
  }

  private mutating func changeDeleteRule() {
    guard let (entity, property) = place(),
      case .reference = entities[entity].properties[property].content
    else { return }
    entities[entity].properties[property].deleteRule = deleteRule()
  }

  private mutating func setInverse(_ number: Int?, of place: (entity: Int, property: Int)) {
    guard
      case .reference(let target, let isToMany, _) = entities[place.entity]
        .properties[place.property].content
    else { return }
    entities[place.entity].properties[place.property].content = .reference(
      target,
      isToMany: isToMany,
      inverse: number
    )
  }

  private mutating func removeInverse() {
    for place in places {
      guard
        case .reference(_, _, let number?) = entities[place.entity].properties[place.property]
          .content,
        let other = places.first(where: {
          entities[$0.entity].properties[$0.property].number == number
        }), chance(50)
      else { continue }
      setInverse(nil, of: place)
      setInverse(nil, of: other)
      return
    }
  }

  /// Makes two relationships each other's inverse, or adds the inverse of one.
  private mutating func addInverse() {
    for first in places {
      let property = entities[first.entity].properties[first.property]
      guard case .reference(let target, _, nil) = property.content, chance(60),
        let destination = entities.firstIndex(where: { $0.name == target })
      else { continue }
      let candidate = entities[destination].properties.indices.first { index in
        let other = entities[destination].properties[index]
        guard other.number != property.number,
          case .reference(entities[first.entity].name, _, nil) = other.content
        else { return false }
        return true
      }
      if let candidate, chance(50) {
        let second = (destination, candidate)
        setInverse(entities[destination].properties[candidate].number, of: first)
        setInverse(property.number, of: second)
      } else {
        addProperty(inverseTo: first, in: destination)
      }
      return
    }
  }

  private mutating func addProperty(
    inverseTo place: (entity: Int, property: Int),
    in destination: Int
  ) {
    guard let name = freeName(in: destination) else { return }
    let number = takeNumber()
    let back = entities[place.entity].properties[place.property].number
    entities[destination].properties.append(
      Property(
        number: number,
        name: name,
        content: .reference(entities[place.entity].name, isToMany: chance(50), inverse: back)
      )
    )
    setInverse(number, of: place)
  }
}
