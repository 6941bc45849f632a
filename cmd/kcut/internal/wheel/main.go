// Wheel makes a Python wheel from a static program: the program as a command, and the module kcut,
// which runs it. Equal programs, versions and times give equal bytes.
//
//	wheel -version 0.1.0 -time 1700000000 -out build/wheels linux/amd64 build/kcut
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	version := flag.String("version", "", "the version, in the form of PEP 440")
	seconds := flag.Int64("time", 0, "when the files of the wheel were last changed, in "+
		"`SECONDS` since 1970")
	out := flag.String("out", ".", "the `FOLDER` of the wheel")
	readme := flag.String("readme", "docs/python.md", "the `FILE` that describes the package")
	license := flag.String("license", "LICENSE", "its license's `FILE`")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*out, flag.Arg(0), flag.Arg(1), *readme, *license, *version,
		time.Unix(*seconds, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// write makes the wheel of a platform and prints its path.
func write(out, platform, program, readme, license, version string, changed time.Time) error {
	w := wheel{version: version, platform: platform, changed: changed}
	for to, path := range map[*[]byte]string{&w.program: program, &w.readme: readme,
		&w.license: license} {
		var err error
		if *to, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	archive, name, err := w.pack()
	if err != nil {
		return err
	}
	path := filepath.Join(out, name)
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		return err
	}
	_, err = fmt.Println(path)
	return err
}
