import OpenSwiftData

/// Key paths for inverses that lead in a circle: the compiler refuses them within the attributes.
enum Inverses {
  static var party: AnyKeyPath { \Guest.party }
  static var guests: AnyKeyPath { \Party.guests }
  static var partner: AnyKeyPath { \Mate.partner }
  static var friends: AnyKeyPath { \Mate.friends }
}

@Model
final class Journey {
  var from: Station?
  var to: Station?

  init() {}
}

@Model
final class Station {
  var journeys: [Journey] = []

  init() {}
}

@Model
final class Party {
  @Relationship(inverse: Inverses.party) var guests: [Guest] = []

  init() {}
}

@Model
final class Guest {
  @Relationship(inverse: Inverses.guests) var party: Party?

  init() {}
}

@Model
final class Oak {
  @Relationship(inverse: \Leaf.oak) var leaf: Leaf?
  var other: Leaf?

  init() {}
}

@Model
final class Leaf {
  @Relationship(inverse: \Oak.other) var oak: Oak?

  init() {}
}

@Model
final class Door {
  @Relationship(inverse: \Key.door) var key: Key?

  init() {}
}

@Model
final class Key {
  @Relationship(inverse: nil) var door: Door?

  init() {}
}

@Model
final class Sender {
  @Relationship(inverse: \Parcel.carrier) var letter: Parcel?

  init() {}
}

@Model
final class Parcel {
  var carrier: Carrier?

  init() {}
}

@Model
final class Carrier {
  var name = ""

  init() {}
}

@Model
final class Plate {
  @Relationship(inverse: \Car.number) var car: Car?

  init() {}
}

@Model
final class Car {
  var number = 0

  init() {}
}

@Model
final class Boss {
  @Relationship(inverse: \Worker.boss) var first: Worker?
  @Relationship(inverse: \Worker.boss) var second: Worker?

  init() {}
}

@Model
final class Worker {
  var boss: Boss?

  init() {}
}

@Model
final class Walker {
  var name: String
  var home: Town?
  var work: Town?
  @Relationship(inverse: nil) var seen: [Town] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Town {
  var name: String
  @Relationship(inverse: \Walker.home) var residents: [Walker] = []
  var workers: [Walker] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
class Entry {
  var name: String
  var folder: Folder?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Folder: Entry {
  var entries: [Entry] = []

  override init(_ name: String) {
    super.init(name)
  }
}

@Model
final class Mate {
  var name: String
  @Relationship(inverse: Inverses.partner) var partner: Mate?
  @Relationship(inverse: Inverses.friends) var friends: [Mate] = []

  init(_ name: String) {
    self.name = name
  }
}
