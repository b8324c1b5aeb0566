import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Ends processes and removes a folder when this process is gone, however it went. */
export interface Watchdog {
  /** The processes that must not outlive this one, from now on. None: those of earlier calls have ended. */
  guard(pids: readonly number[]): void
  /** Removes the folder, and resolves when it is gone and the watchdog with it. Idempotent. */
  close(): Promise<void>
}

/**
 * The end of stdin is the death of the parent, `kill -9` included. A killed process may write for a moment yet, so the
 * removal is tried again, for up to five seconds. A process id is not reused meanwhile: while the parent lives it is
 * the parent that reaps, and it says so here when it did.
 */
const SCRIPT = `
trap '' HUP INT TERM
pids=
while read -r line; do pids=$line; done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
tries=0
while rm -rf "$1" 2>/dev/null; [ -e "$1" ] && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
`

/** Starts a watchdog over `folder`: a shell in a session of its own, so that a Ctrl-C does not end it too. */
export async function startWatchdog(folder: string): Promise<Watchdog> {
  const shell: ChildProcess = spawn('sh', ['-c', SCRIPT, 'wherry-watchdog', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  await once(shell, 'spawn')
  const ended = once(shell, 'close')
  // Written to after somebody killed the shell: then nobody guards, but nothing else is wrong.
  shell.stdin?.on('error', () => {})
  return {
    guard: pids => void shell.stdin?.write(`${pids.join(' ')}\n`),
    async close() {
      shell.stdin?.end()
      await ended
    },
  }
}
