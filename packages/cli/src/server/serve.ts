import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { type EmbeddedApiServer, startEmbeddedApiServer } from '@wherry/apiserver'
import { refused } from '../failure.ts'
import type { CommandHost, Output } from '../host.ts'
import { createDefinitions } from '../program/create-definitions.ts'
import type { PlannedFault } from './fault-option.ts'
import { FaultPlayer } from './fault-player.ts'
import { writeOwnKubeconfig } from './own-kubeconfig.ts'

/** How a server is run. */
export interface ServeOptions {
  /** The port to listen on; 0 for a free port. */
  readonly port: number
  /** The path for the kubeconfig of the server, as the user wrote it. */
  readonly kubeconfig: string
  /** The folder with definitions. It may be missing. */
  readonly crd: string
  /** Whether requests need the rights of roles. */
  readonly isRestricted: boolean
  /** The faults. Their times count from the moment when the definitions are stored. */
  readonly faults: readonly PlannedFault[]
  /** The command that runs next to the server. Empty: no command, and the server runs until the host ends it. */
  readonly command: readonly string[]
}

/** Runs a server until the command has ended, or until the host ends it. Resolves with the command's exit status. */
export async function serve(options: ServeOptions, host: CommandHost): Promise<number> {
  const { port, kubeconfig, crd, isRestricted, faults, command } = options
  await using server = await started(port, isRestricted)
  await using own = await writeOwnKubeconfig(server.kubeconfig, kubeconfig, host.cwd)
  await createDefinitions(server, crd, host)
  await using player = new FaultPlayer(server, line => host.stderr.write(`${line}\n`))
  await player.start(faults)
  if (command.length > 0) return await runBeside(command, own.path, host)
  host.stdout.write(`${server.url}, until Ctrl+C\nexport KUBECONFIG=${own.path}\n`)
  const ending = host.ending?.()
  if (!ending?.aborted) await (ending ? once(ending, 'abort') : new Promise(() => {}))
  return 0
}

async function started(port: number, isRestricted: boolean): Promise<EmbeddedApiServer> {
  try {
    return await startEmbeddedApiServer({
      port,
      authorization: isRestricted ? 'RBAC' : 'allow',
      anonymous: isRestricted,
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw refused(`port ${port} is in use: choose another with --port, or none for a free one`)
    throw error
  }
}

async function runBeside(command: readonly string[], kubeconfig: string, host: CommandHost): Promise<number> {
  const [program = '', ...args] = command
  const isTerminal = host.stdout === process.stdout
  const child = spawn(program, args, {
    cwd: host.cwd,
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: isTerminal ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  })
  const forward = (from: NodeJS.ReadableStream | null, to: Output): void =>
    void from?.setEncoding('utf8').on('data', (text: string) => to.write(text))
  forward(child.stdout, host.stdout)
  forward(child.stderr, host.stderr)
  // A terminal's Ctrl+C reaches the command too. The command then ends by itself, and the server after it.
  const ending = host.ending?.()
  const end = (): void => void child.kill('SIGTERM')
  ending?.addEventListener('abort', end)
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal])
  } catch (error) {
    throw refused(`${program} can't be run: ${(error as Error).message}`)
  } finally {
    ending?.removeEventListener('abort', end)
  }
}
