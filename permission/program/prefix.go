package program

import (
	"slices"
	"strings"
)

// Prefix is the pattern of a rule that a person may allow for good because of
// this command, "" = none is proposed: it is an interpreter, may destroy or send
// something, or does more than its name says.
func Prefix(words []string) string {
	if len(words) == 0 || Escapes(words) != "" {
		return ""
	}
	name := Name(words[0])
	if Interpreter(name) && name != "make" && name != "just" && name != "task" || neverAlways(name) {
		return ""
	}
	n := depth(words)
	if n == 0 || n > len(words) {
		return ""
	}
	for _, w := range words[:n] {
		if w == "" || strings.ContainsAny(w, "*?[{\\ \t\n\"'=") || strings.HasPrefix(w, "-") {
			return ""
		}
	}
	return strings.Join(words[:n], " ") + " *"
}

// depth is how many words of a command say what it does, 0 = no prefix of it is
// safe.
func depth(words []string) int {
	name := Name(words[0])
	sub, third := "", ""
	if len(words) > 1 {
		sub = words[1]
	}
	if len(words) > 2 {
		third = words[2]
	}
	bad := map[string][]string{
		"git":     {"push", "reset", "clean", "checkout", "restore", "switch", "rebase", "rm", "branch", "tag", "update-ref", "reflog", "gc", "prune", "config", "worktree", "submodule", "bisect", "stash", "remote", "clone", "filter-repo", "replace", "am", "apply", "archive", "bundle", "fetch", "pull", "ls-remote"},
		"go":      {"run", "generate", "tool", "env", "install", "get", "clean", "work"},
		"npm":     {"exec", "x", "publish", "unpublish", "config", "set", "token", "adduser", "login", "init", "create", "explore", "install", "i", "ci", "add", "uninstall"},
		"cargo":   {"run", "install", "publish", "clean", "login", "r"},
		"docker":  {"run", "exec", "rm", "rmi", "system", "volume", "kill", "cp", "push", "login", "compose", "container", "image"},
		"kubectl": {"delete", "exec", "apply", "replace", "patch", "drain", "cp", "edit", "run", "create"},
		"gh":      {"api", "auth", "repo", "secret", "alias", "extension", "release", "gist", "ssh-key"},
		"pip":     {"install", "uninstall", "config", "download"},
		"uv":      {"run", "tool", "pip", "publish"},
		"poetry":  {"run", "publish", "config", "shell"},
		"dotnet":  {"run", "nuget", "tool", "publish", "script"},
		"bundle":  {"exec", "config"},
		"mvn":     {"deploy", "exec:java", "exec:exec"},
	}
	switch name {
	case "pnpm", "yarn":
		bad[name] = append(bad["npm"], "dlx", "node")
	case "pip3":
		bad[name] = bad["pip"]
	case "podman":
		bad[name] = bad["docker"]
	case "make", "just", "task":
		if sub == "" || strings.HasPrefix(sub, "-") || len(words) != 2 {
			return 0
		}
		return 2
	}
	list, grouped := bad[name]
	if !grouped {
		return 1
	}
	if sub == "" || strings.HasPrefix(sub, "-") || slices.Contains(list, sub) {
		return 0
	}
	if sub == "run" || sub == "run-script" || sub == "mod" {
		if third == "" || strings.HasPrefix(third, "-") {
			return 0
		}
		return 3
	}
	return 2
}

// neverAlways are commands that destroy, send or give rights, or stand for
// many others.
func neverAlways(name string) bool {
	name = strings.TrimPrefix(name, "git-")
	return strings.HasPrefix(name, "mkfs") || slices.Contains([]string{
		"rm", "rmdir", "unlink", "shred", "dd", "truncate", "mv", "cp", "ln", "install", "tee", "chmod", "chown", "chgrp", "kill", "pkill", "killall", "shutdown", "reboot",
		"halt", "poweroff", "mount", "umount", "fdisk", "parted", "wipefs", "swapoff", "iptables", "nft", "ufw", "systemctl", "service", "launchctl", "crontab", "visudo",
		"passwd", "useradd", "userdel", "usermod", "groupadd", "chsh", "insmod", "rmmod", "modprobe", "sysctl",
		"curl", "wget", "nc", "ncat", "netcat", "telnet", "ftp", "aws", "gcloud", "az", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "helm", "heroku", "vercel", "netlify", "fly",
		"gpg", "openssl", "ssh-keygen", "ssh-add", "security", "pass", "op", "vault",
		"apt", "apt-get", "dpkg", "yum", "dnf", "pacman", "apk", "brew", "snap", "flatpak", "port", "choco", "winget", "scoop", "gem",
		"del", "erase", "rd", "format", "diskpart", "reg", "regedit", "schtasks", "taskkill", "net", "sc", "rundll32", "certutil", "bitsadmin", "msiexec", "wmic",
		"export", "declare", "typeset", "local", "readonly", "read", "mapfile", "readarray", "unset", "let", "set", "shopt", "hash", "enable", "unalias", "bind", "pushd", "popd", "time",
	}, name)
}
