// This floor hands on the one below it, whose names its declarations use.

@_exported public import ShopModel
