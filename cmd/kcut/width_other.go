//go:build !unix

package main

import "os"

// columnsOf returns how many characters a line of a terminal has, or 0 when that is not known.
func columnsOf(*os.File) int { return 0 }
