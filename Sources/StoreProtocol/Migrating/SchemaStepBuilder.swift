/// Finds the steps between two schemas.
struct SchemaStepBuilder {
  let old: StoreSchema
  let new: StoreSchema
  private(set) var steps: [SchemaStep] = []

  /// Compares the entities of both schemas, and lists those that are in one schema only.
  mutating func build() {
    for entity in old.entities where new.entity(named: entity.name) == nil {
      add(.entityRemoved, entity, nil, "removed with all its objects")
    }
    for entity in new.entities {
      if let before = old.entity(named: entity.name) {
        compare(before, entity)
      } else {
        add(.entityAdded, entity, nil, "added")
      }
    }
    steps.sort { ($0.entity, $0.property ?? "") < ($1.entity, $1.property ?? "") }
  }

  private mutating func add(
    _ kind: SchemaStep.Kind,
    _ entity: StoreEntity,
    _ property: String?,
    _ change: String,
    _ effort: SchemaStep.Effort = .always
  ) {
    steps.append(SchemaStep(kind, entity.name, property, change, effort))
  }

  private mutating func compare(_ before: StoreEntity, _ after: StoreEntity) {
    if before.superentity != after.superentity {
      let names = [before, after].map { $0.superentity ?? "no entity" }
      add(.superentityChanged, after, nil, "inherits from \(names[1]) instead of \(names[0])")
    }
    let match = PropertyMatch(old: before, new: after)
    for index in after.properties.indices { compareProperty(at: index, match) }
    let kept = Set(match.sources.compactMap { $0 })
    for index in before.properties.indices where !kept.contains(index) {
      let property = before.properties[index]
      if isInheritedChange(of: property.name, in: before, old, isGone: true) { continue }
      add(.propertyRemoved, after, property.name, "removed with its values")
    }
    compareLists(match)
  }

  private mutating func compareProperty(at index: Int, _ match: PropertyMatch) {
    let property = match.new.properties[index]
    guard let before = match.source(of: index) else { return compareNew(property, match.new) }
    // A change of a property that an entity inherits in both schemas is listed for the superentity.
    guard !isInheritedInBoth(before, property, match) else { return }
    let declarer = Self.declarer(of: property.name, in: match.new, new)
    if declarer != match.new.name, Self.declarer(of: before.name, in: match.old, old) != declarer {
      add(.propertyMoved, match.new, property.name, "moved to \(declarer)")
    }
    if before.name != property.name {
      add(.propertyRenamed, match.new, property.name, "renamed from \(before.name)")
    }
    compare(before, property, match.new)
  }

  private mutating func compareNew(_ property: StoreProperty, _ entity: StoreEntity) {
    guard !isInheritedChange(of: property.name, in: entity, new, isGone: false) else { return }
    let isFilled = property.isOptional || property.isToMany
    let hasDefault = property.defaultValue.map { !$0.isNull } ?? false
    if !RowMapping.Owner.all(of: property, from: old, to: new).isEmpty {
      let inverse = property.relationship.map { "\($0.destination).\($0.inverse ?? "")" } ?? ""
      let text = "added, with the objects whose \(inverse) refers to it"
      return add(
        .propertyAdded,
        entity,
        property.name,
        text,
        isFilled ? .always : .ifRowsAllow("there is one for each row, because it is required")
      )
    }
    add(
      .propertyAdded,
      entity,
      property.name,
      hasDefault ? "added with its default value" : "added",
      isFilled || hasDefault
        ? .always
        : .ifRowsAllow("there are no rows, because it is required and has no default value")
    )
  }

  /// Whether a property is added or removed in a superentity, which lists the change.
  private func isInheritedChange(
    of name: String,
    in entity: StoreEntity,
    _ schema: StoreSchema,
    isGone: Bool
  ) -> Bool {
    let declarer = Self.declarer(of: name, in: entity, schema)
    guard declarer != entity.name else { return false }
    let other = isGone ? new : old
    guard let here = schema.entity(named: declarer), let there = other.entity(named: declarer)
    else {
      return false
    }
    let match =
      isGone
      ? PropertyMatch(old: here, new: there) : PropertyMatch(old: there, new: here)
    if isGone { return match.name(ofOld: name) == nil }
    return here.indexByName[name].map { match.sources[$0] == nil } ?? false
  }

  private func isInheritedInBoth(
    _ before: StoreProperty,
    _ after: StoreProperty,
    _ match: PropertyMatch
  ) -> Bool {
    let then = Self.declarer(of: before.name, in: match.old, old)
    let now = Self.declarer(of: after.name, in: match.new, new)
    return then == now && now != match.new.name
  }

  /// Returns the topmost entity that has a property.
  private static func declarer(
    of property: String,
    in entity: StoreEntity,
    _ schema: StoreSchema
  ) -> String {
    var declarer = entity
    while let above = declarer.superentity.flatMap(schema.entity(named:)), above !== declarer,
      above.indexByName[property] != nil
    {
      declarer = above
    }
    return declarer.name
  }
}

extension SchemaStepBuilder {
  private mutating func compare(
    _ before: StoreProperty,
    _ after: StoreProperty,
    _ entity: StoreEntity
  ) {
    if let from = before.attributeType, let to = after.attributeType {
      compareTypes(from, to, after, entity)
    } else if let change = RelationshipChange(before, after, old: old, new: new) {
      compareRelationships(before, after, change, entity)
    } else {
      let reason = "attributes and relationships cannot be converted to each other"
      let word = after.relationship == nil ? "an attribute" : "a relationship"
      add(.typeChanged, entity, after.name, "becomes \(word)", .needsCode(reason))
    }
    compareRequirement(before, after, entity)
    let (earlier, later) = (Set(before.formOptions), Set(after.formOptions))
    if earlier != later {
      let lost = earlier.subtracting(later).sorted().map { "-\($0)" }
      let won = later.subtracting(earlier).sorted().map { "+\($0)" }
      add(.optionsChanged, entity, after.name, "options \((lost + won).joined(separator: " "))")
    }
  }

  private mutating func compareTypes(
    _ from: AttributeType,
    _ to: AttributeType,
    _ property: StoreProperty,
    _ entity: StoreEntity
  ) {
    guard from != to else { return }
    let change = "\(from.rawValue) becomes \(to.rawValue)"
    let effort: SchemaStep.Effort =
      switch AttributeConversion(from: from, to: to) {
      case .same?, .widened?: .always
      case .checked?: .ifRowsAllow("every value fits")
      case nil: .needsCode("the values have no automatic conversion")
      }
    add(.typeChanged, entity, property.name, change, effort)
  }

  private mutating func compareRelationships(
    _ before: StoreProperty,
    _ after: StoreProperty,
    _ change: RelationshipChange,
    _ entity: StoreEntity
  ) {
    guard let from = before.relationship, let to = after.relationship else { return }
    let effort =
      change.obstacle.map(SchemaStep.Effort.needsCode)
      ?? (change.gainsInverse && to.inverseIsToOne
        ? .ifRowsAllow("no related object belongs to two objects") : .always)
    if from.destination != to.destination {
      let text = "refers to \(to.destination) instead of \(from.destination)"
      add(.destinationChanged, entity, after.name, text, effort)
    } else if let other = change.outsider {
      let text = "refers to \(to.destination), of which \(other) is no longer a kind"
      add(.destinationChanged, entity, after.name, text, effort)
    }
    if before.isToMany != after.isToMany {
      let text = "becomes a relationship to \(after.isToMany ? "many" : "one")"
      add(.cardinalityChanged, entity, after.name, text, effort)
    }
    if from.inverse != to.inverse || from.inverseIsToOne != to.inverseIsToOne {
      let text =
        "has \(to.inverse ?? "no property") as its inverse instead of \(from.inverse ?? "none")"
      add(.inverseChanged, entity, after.name, text, effort)
    }
    if from.deleteRule != to.deleteRule {
      add(
        .deleteRuleChanged,
        entity,
        after.name,
        "has the delete rule \(to.deleteRule) instead of \(from.deleteRule)"
      )
    }
  }

  private mutating func compareRequirement(
    _ before: StoreProperty,
    _ after: StoreProperty,
    _ entity: StoreEntity
  ) {
    guard before.isOptional != after.isOptional, !after.isToMany, !before.isToMany else { return }
    guard !after.isOptional else { return add(.madeOptional, entity, after.name, "is optional") }
    let hasDefault = after.defaultValue.map { !$0.isNull } ?? false
    add(
      .madeRequired,
      entity,
      after.name,
      hasDefault ? "is required; rows without a value get the default value" : "is required",
      hasDefault ? .always : .ifRowsAllow("every row has a value")
    )
  }

  private mutating func compareLists(_ match: PropertyMatch) {
    let renamed = { (list: [String]) in list.map { match.name(ofOld: $0) ?? $0 } }
    let constraints = (
      Set(
        old.constraints(of: match.old).filter { $0.entity == match.old.name }
          .map { renamed($0.properties) }
      ),
      Set(new.constraints(of: match.new).filter { $0.entity == match.new.name }.map(\.properties))
    )
    for list in constraints.0.subtracting(constraints.1).sorted(by: { "\($0)" < "\($1)" }) {
      add(.constraintRemoved, match.new, nil, "\(list.joined(separator: ", ")) need not be unique")
    }
    for list in constraints.1.subtracting(constraints.0).sorted(by: { "\($0)" < "\($1)" }) {
      let text = "\(list.joined(separator: ", ")) must be unique"
      add(.constraintAdded, match.new, nil, text, .ifRowsAllow("no two rows have equal values"))
    }
    let indices = (Set(match.old.indices.map(renamed)), Set(match.new.indices))
    for list in indices.0.subtracting(indices.1).sorted(by: { "\($0)" < "\($1)" }) {
      add(.indexRemoved, match.new, nil, "no index on \(list.joined(separator: ", "))")
    }
    for list in indices.1.subtracting(indices.0).sorted(by: { "\($0)" < "\($1)" }) {
      add(.indexAdded, match.new, nil, "an index on \(list.joined(separator: ", "))")
    }
  }
}
