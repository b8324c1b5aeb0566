package main

import "golang.org/x/sys/unix"

// killWithParent has the kernel kill this process when the parent dies, even while it is stopped.
func killWithParent() {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		fail("PR_SET_PDEATHSIG: " + err.Error())
	}
}
