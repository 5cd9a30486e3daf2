import SwiftData
import SwiftUI

struct BackyardList: View {
  @Query(sort: \Backyard.name) private var backyards: [Backyard]

  var body: some View {
    List(backyards) { Text($0.name) }
  }
}
