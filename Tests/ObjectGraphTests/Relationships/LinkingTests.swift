import OpenSwiftData
import StoreTestSupport
import Testing

@Suite("Relating two objects")
struct LinkingTests {
  static let shapes = [
    LinkShape("one to one, inverse on the left", LeftOOLeft.self),
    LinkShape("one to one, inverse on the right", LeftOORight.self),
    LinkShape("one to one, inverse found", LeftOOFound.self),
    LinkShape("one to many, inverse on the left", LeftOMLeft.self),
    LinkShape("one to many, inverse on the right", LeftOMRight.self),
    LinkShape("one to many, inverse found", LeftOMFound.self),
    LinkShape("one to optional many, inverse on the left", LeftOPLeft.self),
    LinkShape("one to optional many, inverse on the right", LeftOPRight.self),
    LinkShape("one to optional many, inverse found", LeftOPFound.self),
    LinkShape("many to many, inverse on the left", LeftMMLeft.self),
    LinkShape("many to many, inverse on the right", LeftMMRight.self),
    LinkShape("many to many, inverse found", LeftMMFound.self),
    LinkShape("many to optional many, inverse on the left", LeftPMLeft.self),
    LinkShape("many to optional many, inverse on the right", LeftPMRight.self),
    LinkShape("many to optional many, inverse found", LeftPMFound.self),
  ]

  @Test(arguments: shapes, EveryStore.withTextKeys)
  func `has the same result in every way, in every order and from every end`(
    shape: LinkShape,
    store: EveryStore
  ) throws {
    try shape.check(store)
  }
}
