// This floor hands on those below it, whose names its declarations use.

@_exported public import ShopFeeds
@_exported public import ShopScale
@_exported public import ShopStore
