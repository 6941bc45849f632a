package main

import "runtime"

// keepTo makes the process run on no more processors at a time than a job's threads: what
// collects garbage and what writes count as well, what the system does for them does not. 0
// threads stand for all.
func keepTo(threads int) {
	if threads > 0 {
		runtime.GOMAXPROCS(min(threads, runtime.GOMAXPROCS(0)))
	}
}
