import Foundation
import OpenSwiftData

@Model
final class Thing {
  var ice: String?
  var id: Int
  var mood: MoodValue?
  var place: PlaceValue?
  var words: [String]?

  init(id: Int) {
    self.id = id
  }

  enum MoodValue: Codable, Hashable {
    case busy
    case calm
  }

  struct PlaceTagsElementValue: Codable, Hashable {
    var k: Int
    var l: String?
  }

  struct PlaceValue: Codable, Hashable {
    var id: Int
    var tags: [PlaceTagsElementValue]
  }
}
