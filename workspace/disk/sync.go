package disk

import (
	"errors"
	"io/fs"
	"os"
)

// Sync brings what lazy Puts of these paths wrote onto the disk.
func Sync(paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if done, err := syncAll(paths); done || err != nil {
		return err
	}
	for _, p := range paths {
		f, err := os.OpenFile(p, os.O_RDWR|openNonblock, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return nil
}
