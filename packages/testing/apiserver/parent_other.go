//go:build !linux

package main

// killWithParent does nothing here: only Linux has it. The end of stdin tells.
func killWithParent() {}
