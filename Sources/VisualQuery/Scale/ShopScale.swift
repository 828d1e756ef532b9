// This floor hands on those below it, whose names its declarations use.

@_exported public import ShopStore
