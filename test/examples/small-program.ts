import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@wherry/client'
import { startApiServer } from '@wherry/testing'
import { root } from '../../tools/workspace.ts'

const hook = join(import.meta.dirname, 'from-source.ts')

/** A program that runs in a process of its own. */
export interface Program {
  /** The lines that it has printed so far. */
  readonly lines: readonly string[]
  /** Resolves with the first line that `wanted` matches, as soon as it is printed. Rejects if the program ends without it. */
  line(wanted: string | RegExp): Promise<string>
  /** Presses Ctrl-C, and resolves with all its lines. Rejects if the program fails. */
  stop(): Promise<readonly string[]>
  /** Resolves with all its lines when it has ended by itself. Rejects if the program fails. */
  ended(): Promise<readonly string[]>
}

/** What a scene is given. */
export interface Stage {
  /** A client of the server that the programs find by their KUBECONFIG. */
  readonly client: Client
  /** A folder of its own, which is removed afterwards. */
  readonly folder: string
  /** Runs a file of `examples`, as `node examples/PATH …` does. */
  start(path: string, ...args: string[]): Program
}

/** Calls `scene` with an embedded server of its own. Afterwards no program of it is left. */
export async function onStage(scene: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-small-'))
  const server = await startApiServer()
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const children: ChildProcess[] = []
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await server.writeKubeconfig(kubeconfig)
    const start = (path: string, ...args: string[]): Program => {
      const child = spawn(process.execPath, ['--import', hook, join(root, 'examples', path), ...args], {
        env: { ...process.env, KUBECONFIG: kubeconfig },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.push(child)
      return programOf(child)
    }
    await scene({ client, folder, start })
  } finally {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    await client.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Waiting {
  readonly wanted: string | RegExp
  found(line: string): void
  fail(error: Error): void
}

function programOf(child: ChildProcess): Program {
  const lines: string[] = []
  const waiting = new Set<Waiting>()
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const matches = (line: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? line === wanted : wanted.test(line)
  if (child.stdout === null) throw new Error('the output of the program is not piped')
  createInterface({ input: child.stdout }).on('line', line => {
    lines.push(line)
    for (const one of [...waiting]) {
      if (!matches(line, one.wanted)) continue
      waiting.delete(one)
      one.found(line)
    }
  })
  const failure = (what: string): Error => new Error(`${what}; it printed:\n${lines.join('\n')}\n${complaints}`)
  const closed = once(child, 'close').then(([code, signal]) => {
    for (const one of waiting) one.fail(failure(`the program ended without ${one.wanted}`))
    waiting.clear()
    return (code ?? signal) as number | string
  })
  const ended = async (): Promise<readonly string[]> => {
    const code = await closed
    if (code !== 0) throw failure(`the program ended with ${code}`)
    return lines
  }
  return {
    lines,
    ended,
    line: wanted => {
      const there = lines.find(line => matches(line, wanted))
      if (there !== undefined) return Promise.resolve(there)
      if (child.exitCode !== null) return Promise.reject(failure(`the program had ended without ${wanted}`))
      return new Promise((found, fail) => waiting.add({ wanted, found, fail }))
    },
    stop: () => {
      child.kill('SIGINT')
      return ended()
    },
  }
}
