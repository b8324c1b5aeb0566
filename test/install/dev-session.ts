import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Access } from '../../packages/apiserver/src/install/ask.ts'
import { toolEnvironment } from '../../tools/test/command.ts'

/** How long something may take, in milliseconds: what has not come by then does not come. */
const boundMs = 120_000

/** `wherry dev` in a project. */
export class DevSession {
  readonly #project: string
  readonly #child: ReturnType<typeof spawn>
  readonly #exit: Promise<unknown>
  #said = ''

  /** @param wherry the path of the command line that the project has installed */
  constructor(project: string, wherry: string) {
    this.#project = project
    const env = { ...toolEnvironment(), NODE_NO_WARNINGS: '1' }
    this.#child = spawn(process.execPath, [wherry, 'dev', '--port', '0', '--page', '0'], { cwd: project, env })
    this.#exit = once(this.#child, 'exit')
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
      })
  }

  /** All that it and the operator have written. */
  get said(): string {
    return this.#said
  }

  /** The administrator of its server, when that is there. */
  async access(): Promise<Access> {
    await this.until('the server is there', () => this.#said.includes('export KUBECONFIG='))
    const { clusters, users } = JSON.parse(readFileSync(join(this.#project, '.wherry/kubeconfig'), 'utf8'))
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString()
    return { url: clusters[0].cluster.server, ca, token: users[0].user.token }
  }

  /** Asks until it holds. Rejects if the command has ended. */
  async until(what: string, holds: () => Promise<boolean> | boolean, everyMs: number = 10): Promise<void> {
    const end = performance.now() + boundMs
    while (!(await holds())) {
      if (this.#child.exitCode !== null) throw new Error(`wherry dev has ended:\n${this.#said}`)
      if (performance.now() > end) throw new Error(`waited in vain until ${what}`)
      await after(everyMs)
    }
  }

  /** Ends it as Ctrl+C does. Resolves with its exit status. */
  async end(): Promise<number | null> {
    this.#child.kill('SIGINT')
    await this.#exit
    return this.#child.exitCode
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
