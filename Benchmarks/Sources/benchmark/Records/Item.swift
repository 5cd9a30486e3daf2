import Foundation
import Observation
import OpenSwiftData

/// The record as a model of the engine.
@Model
final class Item {
  #Index<Item>([\.group, \.rank])

  var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  var created: Date

  init(_ record: Record) {
    number = record.number
    group = record.group
    rank = record.rank
    price = record.price
    weight = record.weight
    name = record.name
    city = record.city
    note = record.note
    created = record.created
  }
}

extension Item: Fields {}

/// The record as a class instance and nothing else.
final class PlainItem: Fields {
  var id: Int
  var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  var created: Date

  init(
    id: Int,
    number: Int,
    group: Int,
    rank: Int,
    price: Double,
    weight: Double,
    name: String,
    city: String,
    note: String,
    created: Date
  ) {
    self.id = id
    self.number = number
    self.group = group
    self.rank = rank
    self.price = price
    self.weight = weight
    self.name = name
    self.city = city
    self.note = note
    self.created = created
  }

  convenience init(_ record: Record) {
    self.init(
      id: record.id,
      number: record.number,
      group: record.group,
      rank: record.rank,
      price: record.price,
      weight: record.weight,
      name: record.name,
      city: record.city,
      note: record.note,
      created: record.created
    )
  }
}

/// The record as an observable class, as Observation's macro makes it.
@Observable
final class ObservableItem {
  var number: Int
  var group: Int
  var rank: Int
  var price: Double
  var weight: Double
  var name: String
  var city: String
  var note: String
  var created: Date

  init(_ record: Record) {
    number = record.number
    group = record.group
    rank = record.rank
    price = record.price
    weight = record.weight
    name = record.name
    city = record.city
    note = record.note
    created = record.created
  }
}
