// Package publishtest is a file system that loses power, for tests of what is made durable.
package publishtest
