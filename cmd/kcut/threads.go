package main

import "runtime"

// keepTo makes the process use no more processors at a time than a job's threads: what collects
// garbage and what writes count as well. 0 threads stand for all.
func keepTo(threads int) {
	if threads > 0 {
		runtime.GOMAXPROCS(min(threads, runtime.GOMAXPROCS(0)))
	}
}
