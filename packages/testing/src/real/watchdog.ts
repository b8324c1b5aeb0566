import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Ends processes and removes a folder when this process has ended, however it ended. */
export interface Watchdog {
  /** Sets the processes that must not outlive this process. Empty: the processes of earlier calls have ended. */
  guard(pids: readonly number[]): void
  /** Removes the folder. Resolves when the folder is removed and the watchdog has ended. Idempotent. */
  close(): Promise<void>
}

/**
 * The script of the watchdog. Its stdin ends when the parent ends, also by `kill -9`. A killed process may still write for a moment, so the
 * removal is repeated for up to five seconds. While the parent runs, only the parent reaps the processes, and it reports their end here. So a
 * process id could be reused before the kill only in the moment after the parent's end.
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
  // A write fails if the shell was killed. The processes are then not guarded, but everything else works.
  shell.stdin?.on('error', () => {})
  return {
    guard: pids => void shell.stdin?.write(`${pids.join(' ')}\n`),
    async close() {
      shell.stdin?.end()
      await ended
    },
  }
}
