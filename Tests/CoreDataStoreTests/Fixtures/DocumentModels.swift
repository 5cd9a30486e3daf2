import Foundation
import OpenSwiftData

@Model
class Document {
  var cover: CoverValue

  init(cover: CoverValue) {
    self.cover = cover
  }

  struct CoverValue: Codable, Hashable {
    var `class`: String
    var text: String

    enum CodingKeys: String, CodingKey {
      case `class` = "$class"
      case text
    }
  }
}

@Model
final class Sketch: Document {
  var scale: Double

  init(cover: CoverValue, scale: Double) {
    self.scale = scale
    super.init(cover: cover)
  }
}
