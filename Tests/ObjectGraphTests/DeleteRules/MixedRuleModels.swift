import OpenSwiftData

// One model for each delete rule at either end; each leads to all four of the other end.

@Model
final class MixedLeftCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: [MixedRightCascade] = []
  @Relationship(deleteRule: .cascade) var nullify: [MixedRightNullify] = []
  @Relationship(deleteRule: .cascade) var deny: [MixedRightDeny] = []
  @Relationship(deleteRule: .cascade) var noAction: [MixedRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedLeftNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: [MixedRightCascade] = []
  @Relationship(deleteRule: .nullify) var nullify: [MixedRightNullify] = []
  @Relationship(deleteRule: .nullify) var deny: [MixedRightDeny] = []
  @Relationship(deleteRule: .nullify) var noAction: [MixedRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedLeftDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: [MixedRightCascade] = []
  @Relationship(deleteRule: .deny) var nullify: [MixedRightNullify] = []
  @Relationship(deleteRule: .deny) var deny: [MixedRightDeny] = []
  @Relationship(deleteRule: .deny) var noAction: [MixedRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedLeftNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: [MixedRightCascade] = []
  @Relationship(deleteRule: .noAction) var nullify: [MixedRightNullify] = []
  @Relationship(deleteRule: .noAction) var deny: [MixedRightDeny] = []
  @Relationship(deleteRule: .noAction) var noAction: [MixedRightNoAction] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedRightCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: MixedLeftCascade?
  @Relationship(deleteRule: .cascade) var nullify: MixedLeftNullify?
  @Relationship(deleteRule: .cascade) var deny: MixedLeftDeny?
  @Relationship(deleteRule: .cascade) var noAction: MixedLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedRightNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: MixedLeftCascade?
  @Relationship(deleteRule: .nullify) var nullify: MixedLeftNullify?
  @Relationship(deleteRule: .nullify) var deny: MixedLeftDeny?
  @Relationship(deleteRule: .nullify) var noAction: MixedLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedRightDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: MixedLeftCascade?
  @Relationship(deleteRule: .deny) var nullify: MixedLeftNullify?
  @Relationship(deleteRule: .deny) var deny: MixedLeftDeny?
  @Relationship(deleteRule: .deny) var noAction: MixedLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class MixedRightNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: MixedLeftCascade?
  @Relationship(deleteRule: .noAction) var nullify: MixedLeftNullify?
  @Relationship(deleteRule: .noAction) var deny: MixedLeftDeny?
  @Relationship(deleteRule: .noAction) var noAction: MixedLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

extension RulePair {
  /// Each pairing of rules.
  static let oneToMany: [RulePair] = [
    RulePair(
      "cascade/cascade",
      MixedLeftCascade.init,
      MixedRightCascade.init,
      .many(\.cascade),
      .one(\.cascade)
    ),
    RulePair(
      "cascade/nullify",
      MixedLeftCascade.init,
      MixedRightNullify.init,
      .many(\.nullify),
      .one(\.cascade)
    ),
    RulePair(
      "cascade/deny",
      MixedLeftCascade.init,
      MixedRightDeny.init,
      .many(\.deny),
      .one(\.cascade)
    ),
    RulePair(
      "cascade/noAction",
      MixedLeftCascade.init,
      MixedRightNoAction.init,
      .many(\.noAction),
      .one(\.cascade)
    ),
    RulePair(
      "nullify/cascade",
      MixedLeftNullify.init,
      MixedRightCascade.init,
      .many(\.cascade),
      .one(\.nullify)
    ),
    RulePair(
      "nullify/nullify",
      MixedLeftNullify.init,
      MixedRightNullify.init,
      .many(\.nullify),
      .one(\.nullify)
    ),
    RulePair(
      "nullify/deny",
      MixedLeftNullify.init,
      MixedRightDeny.init,
      .many(\.deny),
      .one(\.nullify)
    ),
    RulePair(
      "nullify/noAction",
      MixedLeftNullify.init,
      MixedRightNoAction.init,
      .many(\.noAction),
      .one(\.nullify)
    ),
    RulePair(
      "deny/cascade",
      MixedLeftDeny.init,
      MixedRightCascade.init,
      .many(\.cascade),
      .one(\.deny)
    ),
    RulePair(
      "deny/nullify",
      MixedLeftDeny.init,
      MixedRightNullify.init,
      .many(\.nullify),
      .one(\.deny)
    ),
    RulePair("deny/deny", MixedLeftDeny.init, MixedRightDeny.init, .many(\.deny), .one(\.deny)),
    RulePair(
      "deny/noAction",
      MixedLeftDeny.init,
      MixedRightNoAction.init,
      .many(\.noAction),
      .one(\.deny)
    ),
    RulePair(
      "noAction/cascade",
      MixedLeftNoAction.init,
      MixedRightCascade.init,
      .many(\.cascade),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/nullify",
      MixedLeftNoAction.init,
      MixedRightNullify.init,
      .many(\.nullify),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/deny",
      MixedLeftNoAction.init,
      MixedRightDeny.init,
      .many(\.deny),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/noAction",
      MixedLeftNoAction.init,
      MixedRightNoAction.init,
      .many(\.noAction),
      .one(\.noAction)
    ),
  ]
}
