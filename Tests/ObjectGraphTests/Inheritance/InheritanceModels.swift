import OpenSwiftData

/// The base that no test makes an object of.
@Model
class Being {
  #Unique<Being>([\.name])
  #Index<Being>([\.born])

  var name: String
  var born: Int
  var home: Habitat?

  init(_ name: String, born: Int = 0) {
    self.name = name
    self.born = born
  }
}

@Model
class Beast: Being {
  var legs: Int

  init(_ name: String, legs: Int) {
    self.legs = legs
    super.init(name)
  }
}

@Model
class Hound: Beast {
  #Unique<Hound>([\.trick, \.born])

  var trick: String?
  var owner: Owner?
  @Relationship(deleteRule: .cascade, inverse: \Hound.parent) var young: [Hound] = []
  var parent: Hound?

  init(_ name: String, trick: String? = nil) {
    self.trick = trick
    super.init(name, legs: 4)
  }

  override init(_ name: String, legs: Int) {
    super.init(name, legs: legs)
  }
}

/// The fourth level.
@Model
final class Racer: Hound {
  var speed = 60.0

  override init(_ name: String, trick: String? = nil) {
    super.init(name, trick: trick)
  }
}

@Model
class Bird: Being {
  /// Has the name of a property of another class, and another type.
  var trick = 0
  var mates: [Bird] = []
  @Relationship(inverse: \Bird.mates) var matedWith: [Bird] = []

  override init(_ name: String, born: Int = 0) {
    super.init(name, born: born)
  }
}

@Model
final class Parrot: Bird {
  var words: [String] = []

  init(_ name: String, words: [String]) {
    self.words = words
    super.init(name)
  }
}

@Model
final class Habitat {
  var name: String
  var beings: [Being] = []
  @Relationship(inverse: nil) var favourite: Being?
  @Relationship(inverse: nil) var flock: [Bird] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Owner {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Hound.owner) var hounds: [Hound] = []

  init(_ name: String) {
    self.name = name
  }
}
