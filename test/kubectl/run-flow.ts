import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { ApiServer } from '@wherry/testing'
import { type Command, type Flow, split } from './flow.ts'

/** What a command printed, and how it ended. */
export interface Said {
  readonly command: string
  readonly stdout: string
  readonly stderr: string
  /** `undefined`: it was interrupted. */
  readonly code: number | undefined
}

/** One of the two servers, for kubectl. */
export interface Side {
  readonly program: string
  readonly kubeconfig: ApiServer['kubeconfig']
  /** Where the flows' folders are, each with kubectl's caches of its own: what another flow has seen is not known. */
  readonly folder: string
}

/** Runs the commands of a flow with kubectl in its namespace, which must be there, and returns what each said. */
export async function runFlow(
  flow: Flow,
  side: Side,
  shared: Readonly<Record<string, string | object>>,
): Promise<Said[]> {
  const folder = join(side.folder, flow.name)
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries({ ...shared, ...flow.files })) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const context = { ...side.kubeconfig.contexts[0]?.context, namespace: flow.name }
  const kubeconfig = { ...side.kubeconfig, contexts: [{ ...side.kubeconfig.contexts[0], context }] }
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
  const session = new Session(side, folder)
  const said: Said[] = []
  for (const command of flow.commands)
    said.push(await session.run(typeof command === 'string' ? { args: command } : command))
  return said
}

class Session {
  readonly #side: Side
  readonly #folder: string
  readonly #saved = new Map<string, string>()

  constructor(side: Side, folder: string) {
    this.#side = side
    this.#folder = folder
  }

  async run(command: Command): Promise<Said> {
    let said = await this.#once(command)
    // A bound on what hangs: 600 times 100 ms.
    for (
      let i = 0;
      i < 600 && command.meanwhile === undefined && command.until?.test(said.stdout + said.stderr) === false;
      i++
    ) {
      await after(100)
      said = await this.#once(command)
    }
    if (command.save !== undefined) this.#saved.set(command.save, said.stdout)
    return said
  }

  #once(command: Command): Promise<Said> {
    const words = split(command.args.replaceAll(/\$(\w+)/g, (whole, name: string) => this.#saved.get(name) ?? whole))
    const env = {
      PATH: process.env.PATH,
      TMPDIR: '/tmp',
      HOME: this.#folder,
      KUBECONFIG: join(this.#folder, 'kubeconfig'),
      ...(command.edit !== undefined && { KUBE_EDITOR: `sed -i -e ${command.edit}` }),
    }
    const child = spawn(this.#side.program, ['kubectl', ...words], { cwd: this.#folder, env, timeout: 120_000 })
    child.stdin.on('error', () => {}) // It may end before it has read all.
    child.stdin.end(command.stdin ?? '')
    let stdout = ''
    let stderr = ''
    let begun = false
    const received = (): void => {
      if (command.meanwhile === undefined) return
      if (!begun && (command.from ?? /\n/).test(stdout)) {
        begun = true
        void this.#meanwhile(command.meanwhile)
      }
      if (begun && command.until?.test(stdout)) child.kill('SIGINT')
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      received()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code =>
        resolve({ command: command.args, stdout, stderr, code: begun ? undefined : (code ?? undefined) }),
      )
    })
  }

  async #meanwhile(commands: readonly string[]): Promise<void> {
    for (const args of commands) await this.run({ args })
  }
}
