import OpenSwiftData

// One pair of models for each shape of a relationship, and for each place where its inverse may be
// declared.

@Model
final class LeftOOLeft {
  var name: String
  @Relationship(inverse: \RightOOLeft.left)
  var right: RightOOLeft?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOOLeft: LinkEnd {
  var others: [RightOOLeft] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOOLeft {
  var name: String
  var left: LeftOOLeft?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOOLeft: LinkEnd {
  var others: [LeftOOLeft] {
    get { left.map { [$0] } ?? [] }
    set { left = newValue.last }
  }
}

@Model
final class LeftOORight {
  var name: String
  var right: RightOORight?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOORight: LinkEnd {
  var others: [RightOORight] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOORight {
  var name: String
  @Relationship(inverse: \LeftOORight.right)
  var left: LeftOORight?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOORight: LinkEnd {
  var others: [LeftOORight] {
    get { left.map { [$0] } ?? [] }
    set { left = newValue.last }
  }
}

@Model
final class LeftOOFound {
  var name: String
  var right: RightOOFound?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOOFound: LinkEnd {
  var others: [RightOOFound] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOOFound {
  var name: String
  var left: LeftOOFound?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOOFound: LinkEnd {
  var others: [LeftOOFound] {
    get { left.map { [$0] } ?? [] }
    set { left = newValue.last }
  }
}

@Model
final class LeftOMLeft {
  var name: String
  @Relationship(inverse: \RightOMLeft.lefts)
  var right: RightOMLeft?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOMLeft: LinkEnd {
  var others: [RightOMLeft] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOMLeft {
  var name: String
  var lefts: [LeftOMLeft] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightOMLeft: LinkEnd {
  var others: [LeftOMLeft] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftOMRight {
  var name: String
  var right: RightOMRight?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOMRight: LinkEnd {
  var others: [RightOMRight] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOMRight {
  var name: String
  @Relationship(inverse: \LeftOMRight.right)
  var lefts: [LeftOMRight] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightOMRight: LinkEnd {
  var others: [LeftOMRight] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftOMFound {
  var name: String
  var right: RightOMFound?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOMFound: LinkEnd {
  var others: [RightOMFound] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOMFound {
  var name: String
  var lefts: [LeftOMFound] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightOMFound: LinkEnd {
  var others: [LeftOMFound] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftOPLeft {
  var name: String
  @Relationship(inverse: \RightOPLeft.lefts)
  var right: RightOPLeft?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOPLeft: LinkEnd {
  var others: [RightOPLeft] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOPLeft {
  var name: String
  var lefts: [LeftOPLeft]?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOPLeft: LinkEnd {
  var others: [LeftOPLeft] {
    get { lefts ?? [] }
    set { lefts = newValue }
  }
}

@Model
final class LeftOPRight {
  var name: String
  var right: RightOPRight?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOPRight: LinkEnd {
  var others: [RightOPRight] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOPRight {
  var name: String
  @Relationship(inverse: \LeftOPRight.right)
  var lefts: [LeftOPRight]?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOPRight: LinkEnd {
  var others: [LeftOPRight] {
    get { lefts ?? [] }
    set { lefts = newValue }
  }
}

@Model
final class LeftOPFound {
  var name: String
  var right: RightOPFound?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftOPFound: LinkEnd {
  var others: [RightOPFound] {
    get { right.map { [$0] } ?? [] }
    set { right = newValue.last }
  }
}

@Model
final class RightOPFound {
  var name: String
  var lefts: [LeftOPFound]?

  init(_ name: String) {
    self.name = name
  }
}

extension RightOPFound: LinkEnd {
  var others: [LeftOPFound] {
    get { lefts ?? [] }
    set { lefts = newValue }
  }
}

@Model
final class LeftMMLeft {
  var name: String
  @Relationship(inverse: \RightMMLeft.lefts)
  var rights: [RightMMLeft] = []

  init(_ name: String) {
    self.name = name
  }
}

extension LeftMMLeft: LinkEnd {
  var others: [RightMMLeft] {
    get { rights }
    set { rights = newValue }
  }
}

@Model
final class RightMMLeft {
  var name: String
  var lefts: [LeftMMLeft] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightMMLeft: LinkEnd {
  var others: [LeftMMLeft] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftMMRight {
  var name: String
  var rights: [RightMMRight] = []

  init(_ name: String) {
    self.name = name
  }
}

extension LeftMMRight: LinkEnd {
  var others: [RightMMRight] {
    get { rights }
    set { rights = newValue }
  }
}

@Model
final class RightMMRight {
  var name: String
  @Relationship(inverse: \LeftMMRight.rights)
  var lefts: [LeftMMRight] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightMMRight: LinkEnd {
  var others: [LeftMMRight] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftMMFound {
  var name: String
  var rights: [RightMMFound] = []

  init(_ name: String) {
    self.name = name
  }
}

extension LeftMMFound: LinkEnd {
  var others: [RightMMFound] {
    get { rights }
    set { rights = newValue }
  }
}

@Model
final class RightMMFound {
  var name: String
  var lefts: [LeftMMFound] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightMMFound: LinkEnd {
  var others: [LeftMMFound] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftPMLeft {
  var name: String
  @Relationship(inverse: \RightPMLeft.lefts)
  var rights: [RightPMLeft]?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftPMLeft: LinkEnd {
  var others: [RightPMLeft] {
    get { rights ?? [] }
    set { rights = newValue }
  }
}

@Model
final class RightPMLeft {
  var name: String
  var lefts: [LeftPMLeft] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightPMLeft: LinkEnd {
  var others: [LeftPMLeft] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftPMRight {
  var name: String
  var rights: [RightPMRight]?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftPMRight: LinkEnd {
  var others: [RightPMRight] {
    get { rights ?? [] }
    set { rights = newValue }
  }
}

@Model
final class RightPMRight {
  var name: String
  @Relationship(inverse: \LeftPMRight.rights)
  var lefts: [LeftPMRight] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightPMRight: LinkEnd {
  var others: [LeftPMRight] {
    get { lefts }
    set { lefts = newValue }
  }
}

@Model
final class LeftPMFound {
  var name: String
  var rights: [RightPMFound]?

  init(_ name: String) {
    self.name = name
  }
}

extension LeftPMFound: LinkEnd {
  var others: [RightPMFound] {
    get { rights ?? [] }
    set { rights = newValue }
  }
}

@Model
final class RightPMFound {
  var name: String
  var lefts: [LeftPMFound] = []

  init(_ name: String) {
    self.name = name
  }
}

extension RightPMFound: LinkEnd {
  var others: [LeftPMFound] {
    get { lefts }
    set { lefts = newValue }
  }
}
