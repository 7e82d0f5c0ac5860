package disk

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"unicode/utf8"
)

// longestName is how much of a file's name its temporary file has, in bytes:
// file systems allow 255.
const longestName = 160

// TempName is a name, beside a file, for its next content on its way; token
// makes it the caller's own.
func TempName(name, token string) string {
	if len(name) > longestName {
		name = name[:longestName]
		for !utf8.ValidString(name) && name != "" {
			name = name[:len(name)-1]
		}
	}
	return fmt.Sprintf(".%s.%s.tmp", name, token)
}

// replacement is one file on its way to its name.
type replacement struct {
	temp string // name until then; "" = one of its own
	data []byte
	like fs.FileInfo // whose mode and owner it gets; nil = the rights of the umask
	// fresh: nothing may be there.
	fresh bool
	lazy  bool // the data need not be on the disk when it has its name
	// last is asked when only the name is missing.
	last func() error
}

// replaceFile puts data at name in dir, at once or not at all.
func replaceFile(dir *os.Root, name string, r replacement) (err error) {
	temp := r.temp
	if temp == "" {
		temp = TempName(name, fmt.Sprintf("%08x", rand.Uint32()))
	}
	perm := fs.FileMode(0o666)
	if r.like != nil {
		perm = r.like.Mode().Perm()
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	there := true
	defer func() {
		if there {
			_ = dir.Remove(temp)
		}
	}()
	_, err = f.Write(r.data)
	if err == nil && r.like != nil {
		err = keep(f, r.like)
	}
	if err == nil && !r.lazy {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = r.last()
	}
	if err != nil {
		return err
	}
	if r.fresh {
		if done, err := claim(dir, temp, name); done || err != nil {
			return err
		}
		if err := r.last(); err != nil {
			return err
		}
	}
	if err := dir.Rename(temp, name); err != nil {
		return err
	}
	there = false
	return nil
}
