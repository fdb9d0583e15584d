package main
import ("testing";"os";"oriel.dev/oriel/tree";"fmt")
func TestDump(t *testing.T){
 a,_:=os.ReadFile(os.Getenv("ORT")); ra,_:=tree.NewReader(a); fmt.Println(ra.Window()); dump(ra)
}
