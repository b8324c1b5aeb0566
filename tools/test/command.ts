import { type ChildProcess, spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../workspace.ts'

/** How a command ended. `code` is undefined when a signal or the time limit ended it. */
export interface Ended {
  readonly code: number | undefined
  readonly output: string
  readonly timedOut: boolean
}

export interface CommandOptions {
  readonly cwd?: string | undefined
  readonly env?: NodeJS.ProcessEnv | undefined
  /** The command and all that it started are killed after this many milliseconds. @default 1_800_000 */
  readonly limitMs?: number | undefined
  /** When this aborts, the command is asked to end by itself: a SIGTERM, to it alone. */
  readonly close?: AbortSignal | undefined
  /** Shows the output as it comes, in whole lines: another command may show its own at the same time. @default false */
  readonly show?: boolean | undefined
}

const running = new Set<ChildProcess>()

/** The environment in which tools run: this Node and the workspace's own binaries come first. */
export function toolEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  return { ...process.env, PATH: path, NO_COLOR: '1', FORCE_COLOR: undefined, ...extra }
}

/** A binary of the workspace's own, run by this Node: `bin('vitest')` gives its command line. */
export function bin(name: string): string {
  return join(root, 'node_modules/.bin', name)
}

/**
 * Runs a command to its end, in a process group of its own so that the time limit ends all of it.
 * Does not reject when the command fails; one that can't be started has code 127.
 */
export function command(file: string, args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { cwd = root, env = toolEnvironment(), limitMs = 1_800_000, close, show = false } = options
  return new Promise(resolve => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    running.add(child)
    const chunks: Buffer[] = []
    let timedOut = false
    const limit = setTimeout(() => {
      timedOut = true
      kill(child, 'SIGKILL')
    }, limitMs)
    const askToEnd = (): unknown => child.kill('SIGTERM')
    close?.addEventListener('abort', askToEnd, { once: true })
    const ended = (code: number | undefined): void => {
      clearTimeout(limit)
      close?.removeEventListener('abort', askToEnd)
      // What it started may be in a loop without an end.
      if (close?.aborted) kill(child, 'SIGKILL')
      running.delete(child)
      const late = timedOut ? `\nStopped: it took longer than ${limitMs / 1000} s.\n` : ''
      resolve({ code, timedOut, output: Buffer.concat(chunks).toString('utf8') + late })
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      if (show) createInterface({ input: stream }).on('line', line => process.stdout.write(`${line}\n`))
    }
    child.once('error', error => {
      chunks.push(Buffer.from(`${file}: ${error.message}\n`))
      ended(127)
    })
    child.once('close', code => ended(code ?? undefined))
  })
}

/** Ends every command that is still running, with all that it started. */
export function killAll(signal: NodeJS.Signals = 'SIGTERM'): void {
  for (const child of running) kill(child, signal)
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.kill(signal)
  }
}
