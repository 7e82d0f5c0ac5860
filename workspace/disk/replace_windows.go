package disk

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
)

// replaceFile puts data at name in dir, at once or not at all, with like's mode
// when it is not nil. last is asked when the data is on disk and only the name
// is missing; what came there after it is replaced. (renameio has no Windows;
// os.Root's Rename replaces atomically there.)
func replaceFile(dir *os.Root, name string, data []byte, like fs.FileInfo, _ bool, last func() error) (err error) {
	perm := fs.FileMode(0o666)
	if like != nil {
		perm = like.Mode().Perm()
	}
	tmp := fmt.Sprintf(".%s%d", name, rand.Int64())
	f, err := dir.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(tmp)
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = last()
	}
	if err != nil {
		return err
	}
	return dir.Rename(tmp, name)
}
