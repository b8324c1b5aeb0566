import type { ChildProcess } from 'node:child_process'
import { abortable } from '../abortable.ts'
import type { Clock } from '../clock.ts'

/** A program to run, and its bounds. */
export interface PluginRun {
  readonly command: string
  readonly args: readonly string[]
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** Ends the program. */
  readonly signal: AbortSignal
}

/**
 * Runs a program without input, and resolves with its output; its stderr is not kept. If it takes too long, prints too much or
 * is aborted, it is killed with its child processes (on Windows: without), and not awaited. The error has the kind of the failure, and
 * nothing of the output.
 */
export async function outputOf(run: PluginRun): Promise<string> {
  const { spawn } = await import('node:child_process')
  const { command, args, env, clock, timeoutMs, maxOutputBytes, signal } = run
  if (signal.aborted) throw new Error(closed)
  return abortable(signal, (resolve, reject) => {
    const child = spawned(() =>
      spawn(command, [...args], {
        env,
        // A process group of its own, so that its child processes can be killed.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (why: string): void => {
      timer.cancel()
      kill(child)
      // A process that has left the group may keep the pipe open.
      child.stdout.destroy()
      reject(new Error(why))
    }
    const timer = clock.timer(timeoutMs, () => end(`did not end within ${timeoutMs / 1000} s`))
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxOutputBytes) end(`printed more than ${maxOutputBytes} bytes`)
      else chunks.push(chunk)
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      timer.cancel()
      reject(new Error(error.code === 'ENOENT' ? notThere : `can't be run: ${error.code ?? error.name}`))
    })
    child.once('close', (code, endedBy) => {
      timer.cancel()
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else if (code === null) reject(new Error(`was ended by ${endedBy}`))
      else reject(new Error(`ended with code ${code}; run it by hand to see why`))
    })
    return () => end(closed)
  })
}

/** Spawns a program. The error of `spawn` is replaced, because it may quote arguments and environment. */
function spawned<T>(spawn: () => T): T {
  try {
    return spawn()
  } catch (error) {
    throw new Error(`can't be run: ${(error as NodeJS.ErrnoException).code ?? 'its arguments or environment'}`)
  }
}

/** The failure of a program that was not found. */
export const notThere = 'is not there'
const closed = 'was ended: a client was closed'

function kill(child: ChildProcess): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All processes of the group have ended meanwhile.
  }
}
