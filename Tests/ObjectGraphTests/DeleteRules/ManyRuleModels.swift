import OpenSwiftData

// One model for each delete rule at either end; each leads to all four of the other end.

@Model
final class ManyLeftCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: [ManyRightCascade] = []
  @Relationship(deleteRule: .cascade) var nullify: [ManyRightNullify] = []
  @Relationship(deleteRule: .cascade) var deny: [ManyRightDeny] = []
  @Relationship(deleteRule: .cascade) var noAction: [ManyRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyLeftNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: [ManyRightCascade] = []
  @Relationship(deleteRule: .nullify) var nullify: [ManyRightNullify] = []
  @Relationship(deleteRule: .nullify) var deny: [ManyRightDeny] = []
  @Relationship(deleteRule: .nullify) var noAction: [ManyRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyLeftDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: [ManyRightCascade] = []
  @Relationship(deleteRule: .deny) var nullify: [ManyRightNullify] = []
  @Relationship(deleteRule: .deny) var deny: [ManyRightDeny] = []
  @Relationship(deleteRule: .deny) var noAction: [ManyRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyLeftNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: [ManyRightCascade] = []
  @Relationship(deleteRule: .noAction) var nullify: [ManyRightNullify] = []
  @Relationship(deleteRule: .noAction) var deny: [ManyRightDeny] = []
  @Relationship(deleteRule: .noAction) var noAction: [ManyRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyRightCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: [ManyLeftCascade] = []
  @Relationship(deleteRule: .cascade) var nullify: [ManyLeftNullify] = []
  @Relationship(deleteRule: .cascade) var deny: [ManyLeftDeny] = []
  @Relationship(deleteRule: .cascade) var noAction: [ManyLeftNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyRightNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: [ManyLeftCascade] = []
  @Relationship(deleteRule: .nullify) var nullify: [ManyLeftNullify] = []
  @Relationship(deleteRule: .nullify) var deny: [ManyLeftDeny] = []
  @Relationship(deleteRule: .nullify) var noAction: [ManyLeftNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyRightDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: [ManyLeftCascade] = []
  @Relationship(deleteRule: .deny) var nullify: [ManyLeftNullify] = []
  @Relationship(deleteRule: .deny) var deny: [ManyLeftDeny] = []
  @Relationship(deleteRule: .deny) var noAction: [ManyLeftNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ManyRightNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: [ManyLeftCascade] = []
  @Relationship(deleteRule: .noAction) var nullify: [ManyLeftNullify] = []
  @Relationship(deleteRule: .noAction) var deny: [ManyLeftDeny] = []
  @Relationship(deleteRule: .noAction) var noAction: [ManyLeftNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RulePair {
  /// Each pairing of rules.
  static let manyToMany: [RulePair] = [
    RulePair(
      "cascade/cascade",
      ManyLeftCascade.init,
      ManyRightCascade.init,
      .many(\.cascade),
      .many(\.cascade)
    ),
    RulePair(
      "cascade/nullify",
      ManyLeftCascade.init,
      ManyRightNullify.init,
      .many(\.nullify),
      .many(\.cascade)
    ),
    RulePair(
      "cascade/deny",
      ManyLeftCascade.init,
      ManyRightDeny.init,
      .many(\.deny),
      .many(\.cascade)
    ),
    RulePair(
      "cascade/noAction",
      ManyLeftCascade.init,
      ManyRightNoAction.init,
      .many(\.noAction),
      .many(\.cascade)
    ),
    RulePair(
      "nullify/cascade",
      ManyLeftNullify.init,
      ManyRightCascade.init,
      .many(\.cascade),
      .many(\.nullify)
    ),
    RulePair(
      "nullify/nullify",
      ManyLeftNullify.init,
      ManyRightNullify.init,
      .many(\.nullify),
      .many(\.nullify)
    ),
    RulePair(
      "nullify/deny",
      ManyLeftNullify.init,
      ManyRightDeny.init,
      .many(\.deny),
      .many(\.nullify)
    ),
    RulePair(
      "nullify/noAction",
      ManyLeftNullify.init,
      ManyRightNoAction.init,
      .many(\.noAction),
      .many(\.nullify)
    ),
    RulePair(
      "deny/cascade",
      ManyLeftDeny.init,
      ManyRightCascade.init,
      .many(\.cascade),
      .many(\.deny)
    ),
    RulePair(
      "deny/nullify",
      ManyLeftDeny.init,
      ManyRightNullify.init,
      .many(\.nullify),
      .many(\.deny)
    ),
    RulePair("deny/deny", ManyLeftDeny.init, ManyRightDeny.init, .many(\.deny), .many(\.deny)),
    RulePair(
      "deny/noAction",
      ManyLeftDeny.init,
      ManyRightNoAction.init,
      .many(\.noAction),
      .many(\.deny)
    ),
    RulePair(
      "noAction/cascade",
      ManyLeftNoAction.init,
      ManyRightCascade.init,
      .many(\.cascade),
      .many(\.noAction)
    ),
    RulePair(
      "noAction/nullify",
      ManyLeftNoAction.init,
      ManyRightNullify.init,
      .many(\.nullify),
      .many(\.noAction)
    ),
    RulePair(
      "noAction/deny",
      ManyLeftNoAction.init,
      ManyRightDeny.init,
      .many(\.deny),
      .many(\.noAction)
    ),
    RulePair(
      "noAction/noAction",
      ManyLeftNoAction.init,
      ManyRightNoAction.init,
      .many(\.noAction),
      .many(\.noAction)
    ),
  ]
}
