// product.pov -- one product in the studio: povray +Iproduct.pov Declare=Item=N, N from names.inc.
#version 3.7;
#include "studio.inc"
#include "catalogue.inc"
#include "names.inc"
#local Subject = object { Thing(Names[Item]) };
#ifndef (Yaw) #declare Yaw = 0; #end
Studio(Thing_H, Thing_S, Yaw, 14, (mod(Item, 3) = 0 ? Sweep_Light : (mod(Item, 3) = 1 ? Sweep_Warm : Sweep_Cool)))
object { Subject }
