import Foundation
import OpenSwiftData

@Model
final class Member {
  var name: String
  var circle: [Member]
  var twin: Member?

  init(name: String) {
    self.name = name
    self.circle = []
  }
}
