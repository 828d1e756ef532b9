// store.pov -- one house by day: povray +Istore.pov Declare=Item=0..3.
#version 3.7;
#include "stores.inc"
#ifndef (Dusk) #declare Dusk = 0; #end
#ifndef (Side) #declare Side = -6; #end
Outdoors(Item, Dusk)
object { StoreFront(Item) }
#declare Reach = array[4] { 15, 15, 9.5, 14 }
#declare Eye = array[4] { 3.1, 2.4, 2.0, 2.9 }
camera { location <Side*Reach[Item]/15, 2.4, -Reach[Item]> right x*image_width/image_height up y look_at y*Eye[Item] angle 52 }
