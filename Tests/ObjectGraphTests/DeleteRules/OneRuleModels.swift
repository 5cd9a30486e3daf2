import OpenSwiftData

// One model for each delete rule at either end; each leads to all four of the other end.

@Model
final class OneLeftCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: OneRightCascade?
  @Relationship(deleteRule: .cascade) var nullify: OneRightNullify?
  @Relationship(deleteRule: .cascade) var deny: OneRightDeny?
  @Relationship(deleteRule: .cascade) var noAction: OneRightNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneLeftNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: OneRightCascade?
  @Relationship(deleteRule: .nullify) var nullify: OneRightNullify?
  @Relationship(deleteRule: .nullify) var deny: OneRightDeny?
  @Relationship(deleteRule: .nullify) var noAction: OneRightNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneLeftDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: OneRightCascade?
  @Relationship(deleteRule: .deny) var nullify: OneRightNullify?
  @Relationship(deleteRule: .deny) var deny: OneRightDeny?
  @Relationship(deleteRule: .deny) var noAction: OneRightNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneLeftNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: OneRightCascade?
  @Relationship(deleteRule: .noAction) var nullify: OneRightNullify?
  @Relationship(deleteRule: .noAction) var deny: OneRightDeny?
  @Relationship(deleteRule: .noAction) var noAction: OneRightNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneRightCascade {
  var name: String
  @Relationship(deleteRule: .cascade) var cascade: OneLeftCascade?
  @Relationship(deleteRule: .cascade) var nullify: OneLeftNullify?
  @Relationship(deleteRule: .cascade) var deny: OneLeftDeny?
  @Relationship(deleteRule: .cascade) var noAction: OneLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneRightNullify {
  var name: String
  @Relationship(deleteRule: .nullify) var cascade: OneLeftCascade?
  @Relationship(deleteRule: .nullify) var nullify: OneLeftNullify?
  @Relationship(deleteRule: .nullify) var deny: OneLeftDeny?
  @Relationship(deleteRule: .nullify) var noAction: OneLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneRightDeny {
  var name: String
  @Relationship(deleteRule: .deny) var cascade: OneLeftCascade?
  @Relationship(deleteRule: .deny) var nullify: OneLeftNullify?
  @Relationship(deleteRule: .deny) var deny: OneLeftDeny?
  @Relationship(deleteRule: .deny) var noAction: OneLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class OneRightNoAction {
  var name: String
  @Relationship(deleteRule: .noAction) var cascade: OneLeftCascade?
  @Relationship(deleteRule: .noAction) var nullify: OneLeftNullify?
  @Relationship(deleteRule: .noAction) var deny: OneLeftDeny?
  @Relationship(deleteRule: .noAction) var noAction: OneLeftNoAction?

  init(_ name: String) {
    self.name = name
  }
}

extension RulePair {
  /// Each pairing of rules.
  static let oneToOne: [RulePair] = [
    RulePair(
      "cascade/cascade",
      OneLeftCascade.init,
      OneRightCascade.init,
      .one(\.cascade),
      .one(\.cascade)
    ),
    RulePair(
      "cascade/nullify",
      OneLeftCascade.init,
      OneRightNullify.init,
      .one(\.nullify),
      .one(\.cascade)
    ),
    RulePair("cascade/deny", OneLeftCascade.init, OneRightDeny.init, .one(\.deny), .one(\.cascade)),
    RulePair(
      "cascade/noAction",
      OneLeftCascade.init,
      OneRightNoAction.init,
      .one(\.noAction),
      .one(\.cascade)
    ),
    RulePair(
      "nullify/cascade",
      OneLeftNullify.init,
      OneRightCascade.init,
      .one(\.cascade),
      .one(\.nullify)
    ),
    RulePair(
      "nullify/nullify",
      OneLeftNullify.init,
      OneRightNullify.init,
      .one(\.nullify),
      .one(\.nullify)
    ),
    RulePair("nullify/deny", OneLeftNullify.init, OneRightDeny.init, .one(\.deny), .one(\.nullify)),
    RulePair(
      "nullify/noAction",
      OneLeftNullify.init,
      OneRightNoAction.init,
      .one(\.noAction),
      .one(\.nullify)
    ),
    RulePair("deny/cascade", OneLeftDeny.init, OneRightCascade.init, .one(\.cascade), .one(\.deny)),
    RulePair("deny/nullify", OneLeftDeny.init, OneRightNullify.init, .one(\.nullify), .one(\.deny)),
    RulePair("deny/deny", OneLeftDeny.init, OneRightDeny.init, .one(\.deny), .one(\.deny)),
    RulePair(
      "deny/noAction",
      OneLeftDeny.init,
      OneRightNoAction.init,
      .one(\.noAction),
      .one(\.deny)
    ),
    RulePair(
      "noAction/cascade",
      OneLeftNoAction.init,
      OneRightCascade.init,
      .one(\.cascade),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/nullify",
      OneLeftNoAction.init,
      OneRightNullify.init,
      .one(\.nullify),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/deny",
      OneLeftNoAction.init,
      OneRightDeny.init,
      .one(\.deny),
      .one(\.noAction)
    ),
    RulePair(
      "noAction/noAction",
      OneLeftNoAction.init,
      OneRightNoAction.init,
      .one(\.noAction),
      .one(\.noAction)
    ),
  ]
}
