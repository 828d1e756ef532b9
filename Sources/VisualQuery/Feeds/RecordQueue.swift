/// Products that were made of several rows and wait to be read.
///
/// A product becomes its entities when it is read, so that no more than those of one product are in memory.
struct RecordQueue: Sendable {
  /// Products whose entities are not made yet, and entities that are.
  private enum Entry: Sendable {
    case family(ProductFamily, FeedContext)
    case records([FeedRecord])
  }

  private var entries: [Entry] = []
  private var position = 0
  /// The entities of the product that is being read, the next one last.
  private var records: [FeedRecord] = []

  mutating func add(_ family: ProductFamily, _ context: FeedContext) {
    entries.append(.family(family, context))
  }

  mutating func add(_ products: [(line: Int, record: DraftRecord)]) {
    entries.append(.records(products.map { FeedRecord(line: $0.line, $0.record) }))
  }

  mutating func next() -> FeedRecord? {
    while true {
      if let record = records.popLast() { return record }
      guard position < entries.count else {
        (entries, position) = ([], 0)
        return nil
      }
      switch entries[position] {
      case .records(let own): records = own.reversed()
      case .family(let family, let context):
        records = family.products(context).reversed().map { FeedRecord(line: $0.line, $0.record) }
      }
      entries[position] = .records([])
      position += 1
    }
  }
}
