/// All entities of a catalogue, page by page.
public struct EntityPages: AsyncSequence, Sendable {
  let lookup: EntityLookup
  let types: [EntityType]
  let pageSize: Int

  /// Begins at the first entity.
  public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// Where a reader of pages stands.
  public struct Iterator: AsyncIteratorProtocol {
    let pages: EntityPages
    private var last: UInt32 = 0

    init(pages: EntityPages) { self.pages = pages }

    /// The next page, or `nil` behind the last.
    ///
    /// - Throws: ``CatalogueError``; `CancellationError`.
    public mutating func next() async throws -> [EntityValue]? {
      while true {
        let page = try await pages.lookup.page(
          after: last, types: pages.types, limit: pages.pageSize)
        if !page.values.isEmpty || page.last == last {
          last = page.last
          return page.values.isEmpty ? nil : page.values
        }
        // No entity of this page can be read; the next one may have some.
        last = page.last
      }
    }
  }
}
