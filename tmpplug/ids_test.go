package main
import ("testing";"os";"oriel.dev/oriel/tree";"fmt")
func TestIDs(t *testing.T){
 a,_:=os.ReadFile("/tmp/w/plug/a.ort"); b,_:=os.ReadFile("/tmp/w/plug/b.ort")
 ra,_:=tree.NewReader(a); rb,_:=tree.NewReader(b); n:=0
 for i:=range ra.Len(){ if ra.At(i).ID()!=rb.At(i).ID(){ n++; if n<12 {fmt.Println(i,ra.At(i).Role(),ra.At(i).Name(),ra.At(i).ID(),rb.At(i).ID())} } }
 fmt.Println(n, ra.Len())
}
