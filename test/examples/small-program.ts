import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Client } from '@wherry/client'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { root } from '../../tools/workspace.ts'

const hook = join(import.meta.dirname, 'from-source.ts')

/** A program that runs in a process of its own. */
export interface Program {
  /** The lines that it has printed so far. */
  readonly lines: readonly string[]
  /** Resolves with the first line that `wanted` matches, as soon as it is printed. Rejects if the program ends without it. */
  line(wanted: string | RegExp): Promise<string>
  /** The same, but of the lines after the one that the last `next` found. */
  next(wanted: string | RegExp): Promise<string>
  /** As `line`, of what it prints to standard error. */
  complaint(wanted: string | RegExp): Promise<string>
  /** Presses Ctrl-C, and resolves with all its lines. Rejects if the program fails. */
  stop(): Promise<readonly string[]>
  /** Resolves with all its lines when it has ended by itself. Rejects if the program fails. */
  ended(): Promise<readonly string[]>
}

/** What a scene is given. */
export interface Stage {
  /** A client of the server that the programs find by their KUBECONFIG. */
  readonly client: Client
  readonly server: EmbeddedApiServer
  /** A folder of its own, which is removed afterwards. */
  readonly folder: string
  /** Runs a file of `examples`, as `node examples/PATH …` does. @param args its arguments, or variables of its environment */
  start(path: string, ...args: readonly string[] | readonly [NodeJS.ProcessEnv]): Program
}

/** Calls `scene` with an embedded server of its own. Afterwards no program of it is left. */
export async function onStage(scene: (stage: Stage) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-small-'))
  const server = await startApiServer({ clusterObjects: false })
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const children: ChildProcess[] = []
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await server.writeKubeconfig(kubeconfig)
    const start = (path: string, ...given: readonly string[] | readonly [NodeJS.ProcessEnv]): Program => {
      const args = given.filter(one => typeof one === 'string')
      const variables = given.find(one => typeof one === 'object')
      const child = spawn(process.execPath, ['--import', hook, join(root, 'examples', path), ...args], {
        env: { ...process.env, ...variables, KUBECONFIG: kubeconfig },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.push(child)
      return programOf(child)
    }
    await scene({ client, server, folder, start })
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
  found(index: number): void
  fail(error: Error): void
}

/** The lines of one stream, as they come. */
class Lines {
  readonly all: string[] = []
  readonly #waiting = new Set<Waiting>()
  #hasEnded = false

  constructor(stream: Readable) {
    createInterface({ input: stream }).on('line', line => {
      const index = this.all.push(line) - 1
      for (const one of [...this.#waiting]) {
        if (!matches(line, one.wanted)) continue
        this.#waiting.delete(one)
        one.found(index)
      }
    })
  }

  /** Resolves with the index of the first line, from that index on, that `wanted` matches. */
  find(wanted: string | RegExp, from = 0): Promise<number> {
    const index = this.all.findIndex((line, i) => i >= from && matches(line, wanted))
    if (index !== -1) return Promise.resolve(index)
    return new Promise((found, fail) => {
      this.#waiting.add({ wanted, found, fail })
      if (this.#hasEnded) this.end()
    })
  }

  /** No line follows: waits for one are rejected. */
  end(): void {
    this.#hasEnded = true
    for (const { wanted, fail } of this.#waiting) {
      fail(new Error(`the program ended without the line ${wanted}, after:\n${this.all.join('\n')}`))
    }
    this.#waiting.clear()
  }
}

function matches(line: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? line === wanted : wanted.test(line)
}

function programOf(child: ChildProcessByStdio<null, Readable, Readable>): Program {
  const output = new Lines(child.stdout)
  const errors = new Lines(child.stderr)
  const closed = once(child, 'close').then(([code, signal]) => {
    output.end()
    errors.end()
    return (code ?? signal) as number | string
  })
  const ended = async (): Promise<readonly string[]> => {
    const code = await closed
    if (code === 0) return output.all
    throw new Error(`the program ended with ${code}:\n${[...output.all, ...errors.all].join('\n')}`)
  }
  let seen = 0
  return {
    lines: output.all,
    ended,
    line: async wanted => output.all[await output.find(wanted)] as string,
    next: async wanted => {
      const index = await output.find(wanted, seen)
      seen = index + 1
      return output.all[index] as string
    },
    complaint: async wanted => errors.all[await errors.find(wanted)] as string,
    stop: () => {
      child.kill('SIGINT')
      return ended()
    },
  }
}
