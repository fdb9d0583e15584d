package sandbox
import ("testing";"os";"fmt";"strings";"time")
func TestDbgMem(t *testing.T){
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	e.must("probe","x")
	pid := e.runnerPID(probeID)
	time.Sleep(300*time.Millisecond)
	b,_ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup",pid)); fmt.Println(string(b))
	b,_ = os.ReadFile(fmt.Sprintf("/proc/%d/statm",pid)); fmt.Println(string(b))
	b,_ = os.ReadFile(fmt.Sprintf("/proc/%d/smaps",pid))
	var head string
	for _,l := range strings.Split(string(b),"\n") {
		f := strings.Fields(l)
		if len(f)>0 && strings.Contains(f[0],"-") { head=l }
		if strings.HasPrefix(l,"Anonymous:") && f[1]!="0" { var n int; fmt.Sscan(f[1],&n); if n>=100 {fmt.Println(n, head)} }
	}
}
