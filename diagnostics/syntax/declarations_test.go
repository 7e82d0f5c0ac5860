package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func TestDeclarationsOfEachLanguage(t *testing.T) {
	if !Available() {
		if _, ok := Declarations("a.go", "package a\n"); ok {
			t.Fatal("a parser was found")
		}
		return
	}
	for name, c := range map[string]struct{ file, src, want string }{
		"go": {"a.go", `package a

// C is one.
const C = 1

const (
	A, B = 1, 2
	// D is another.
	D = 3
)

// T is
// a type.
type T struct{ x int }

type I interface {
	M(int) error
}

// F does.
func F() {
	var inner int
	type U int
}

func (t *T[K]) M() {}

var v = func() { var w int }
`, `constant C 3-4
constant A, B 7-7
constant D 8-9
struct T 12-14
interface I 16-18
  method M 17-17
function F 20-24
method T.M 26-26
variable v 28-28`},
		"python": {"a.py", `LIMIT = 3
x.y = 4

# what C is
@decorated
class C(B):
    field: int = 1

    @property
    def m(self):
        local = 1
        def inner():
            pass

async def f():
    pass
`, `variable LIMIT 1-1
class C 4-13
  variable field 7-7
  method m 9-13
    function inner 12-13
function f 15-16`},
		"typescript": {"a.ts", `export const limit = 3, other = 4;

/** what f is */
export const f = async () => { const local = 1 };

@dec()
export class C extends B {
  private x = 1;
  g = () => { return 1 };
  m(): void { const y = 1; function inner() {} }
}
export interface I { a(): void; b: number }
type T = { a: number };
enum E { A }
export default function main() {}
namespace N { export function k() {} }
`, `variable limit 1-1
variable other 1-1
function f 3-4
class C 6-11
  field x 8-8
  method g 9-9
  method m 10-10
    function inner 10-10
interface I 12-12
  method a 12-12
type T 13-13
enum E 14-14
function main 15-15
namespace N 16-16
  function k 16-16`},
		"tsx and jsx": {"a.jsx", "export function App() { return <div>{xs.map(x => <b/>)}</div> }\nconst B = memo(() => <p/>);\n", "function App 1-1\nvariable B 2-2"},
		"rust": {"a.rs", `/// A point.
#[derive(Debug)]
pub struct P { x: i32 }

impl P {
    /// new
    pub fn new() -> P { fn inner() {} P { x: 1 } }
}

impl Display for P {
    fn fmt(&self) {}
}
trait Tr { fn f(&self); }
enum E { A }
mod m { pub const C: i32 = 1; }
macro_rules! mac { () => {} }
`, `struct P 1-3
impl P 5-8
  method new 6-7
impl Display for P 10-12
  method fmt 11-11
trait Tr 13-13
  method f 13-13
enum E 14-14
module m 15-15
  constant C 15-15
macro mac 16-16`},
		"java": {"A.java", `package a;

/** What A is. */
@Deprecated
public class A<T> {
    private int x = 1, y;
    public A() { int local = 1; }
    // doc
    void m() { Runnable r = () -> {}; }
    interface I { void k(); }
    enum E { ONE, TWO }
}
record R(int a) {}
`, `class A 3-12
  field x 6-6
  field y 6-6
  constructor A 7-7
  method m 8-9
  interface I 10-10
    method k 10-10
  enum E 11-11
    constant ONE 11-11
    constant TWO 11-11
record R 13-13`},
		"c": {"a.h", `#define MAX 10
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* a point */
struct point { int x; };
typedef struct { int a; } pair;
enum color { RED };
int add(int a, int b);
static int *count = 0;

// adds
int add(int a, int b)
{
	int local = a;
	return local + b;
}
`, `macro MAX 1-1
macro MIN 2-2
struct point 4-5
type pair 6-6
enum color 7-7
prototype add 8-8
variable count 9-9
function add 11-16`},
		"bash":        {"run.sh", "#!/bin/bash\nset -e\n\n# greets\nhello() {\n  echo hi\n}\n\nfunction bye { echo bye; }\n", "function hello 4-7\nfunction bye 9-9"},
		"broken code": {"a.go", "package a\n\nfunc F() {\n\tx := (\n}\n\nfunc G() {}\n", "function F 3-5\nfunction G 7-7"},
	} {
		t.Run(name, func(t *testing.T) {
			list, ok := Declarations(c.file, c.src)
			if !ok {
				t.Fatal("no parser")
			}
			var got []string
			for _, d := range list {
				got = append(got, fmt.Sprintf("%s%s %s %d-%d", strings.Repeat("  ", d.Depth), d.Kind, d.Name, d.From, d.Last))
				if d.Line < d.From || d.Line > d.Last {
					t.Errorf("%+v", d)
				}
			}
			if g := strings.Join(got, "\n"); g != c.want {
				t.Errorf("got\n%s\nwant\n%s", g, c.want)
			}
		})
	}
	if _, ok := Declarations("a.cobol", "x"); ok {
		t.Error("cobol has a parser")
	}
}
