import Foundation
import OpenSwiftData

/// A journey to one place.
@Model
class Trip {
  #Unique<Trip>([\.name, \.startDate, \.endDate])
  #Index<Trip>([\.name], [\.startDate], [\.endDate], [\.name, \.startDate, \.endDate])

  @Attribute(.preserveValueOnDeletion)
  var name: String
  var destination: String

  @Attribute(.preserveValueOnDeletion)
  var startDate: Date

  @Attribute(.preserveValueOnDeletion)
  var endDate: Date

  /// Whether somebody else confirmed the stay since the trip was last shown.
  var hasNews = false

  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []

  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  init(name: String, destination: String, startDate: Date, endDate: Date) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}
