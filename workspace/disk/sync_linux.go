package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// fewFiles is up to how many files each is brought to the disk by itself:
// syncfs waits for everything else that the file system has to write.
const fewFiles = 16

// syncAll brings the file systems of the paths to the disk.
func syncAll(paths []string) (done bool, err error) {
	call := syncfs()
	if len(paths) <= fewFiles || call == 0 {
		return false, nil
	}
	seen := map[uint64]bool{}
	folders := map[string]bool{}
	for _, p := range paths {
		dir := filepath.Dir(p)
		if folders[dir] {
			continue
		}
		folders[dir] = true
		info, err := os.Stat(dir)
		if err != nil {
			continue // gone since: nothing of it is to be kept
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return false, nil
		}
		if seen[uint64(st.Dev)] {
			continue
		}
		seen[uint64(st.Dev)] = true
		f, err := os.Open(dir)
		if err != nil {
			return false, nil
		}
		_, _, no := syscall.Syscall(call, f.Fd(), 0, 0)
		f.Close()
		if no != 0 {
			return false, nil
		}
	}
	return true, nil
}

// syncfs is the number of the call (asm/unistd_64.h, asm-generic/unistd.h),
// which package syscall does not have everywhere; 0 = not known.
func syncfs() uintptr {
	switch runtime.GOARCH {
	case "amd64":
		return 306
	case "arm64", "riscv64", "loong64":
		return 267
	}
	return 0
}
