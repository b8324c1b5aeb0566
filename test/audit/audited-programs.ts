import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../../packages/testing/src/real/binary-cache.ts'
import { withLock } from '../../packages/testing/src/real/lock.ts'
import { root } from '../../tools/workspace.ts'
import { buildRustAudit } from '../clients/build.ts'
import { buildGoProgram } from '../go-program.ts'

/** A finding without its numbers: `whole-kind secrets`. */
export type ExpectedFinding = string

/** The operator of Mirrors, written with a library. */
export interface AuditedProgram {
  readonly name: string
  /** The library with its version, as the locked dependencies have it. */
  readonly library: string
  /** How the program reads and writes, for the table. */
  readonly reads: string
  /** The findings of its audit, exactly these, in the order of the report. */
  readonly expected: readonly ExpectedFinding[]
  /** The commands that build or run the program: each is looked for before anything runs. @default none */
  readonly needs?: readonly string[]
  /** Builds the program if it must be built, and returns its command. */
  command(): Promise<readonly string[]>
}

const run = promisify(execFile)
const here = import.meta.dirname
const bench = join(root, 'test/bench/go')
const requirements = join(here, 'kopf/requirements.txt')

/** The name of the Secret that the Mirror of an audit names. */
export const neededSecret = 'key-7'

/** Builds the operator on controller-runtime, once for a machine (it needs Go), and returns the path. */
const buildGo = (): Promise<string> =>
  buildGoProgram(bench, 'audit', { options: ['-ldflags', '-s -w'], main: './audit' })

/** Installs kopf from PyPI, once for a machine (it needs Python 3), and returns the path. */
async function installKopf(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const folder = join(cacheFolder(), `kopf-${hash}`)
  await mkdir(cacheFolder(), { recursive: true })
  await withLock(
    `${folder}.lock`,
    () => {},
    async () => {
      // The last file that is written: an install that was cut short is made again.
      if (existsSync(join(folder, 'installed'))) return
      await rm(folder, { recursive: true, force: true })
      await run('python3', ['-m', 'venv', folder])
      await run(join(folder, 'bin/pip'), ['install', '--quiet', '--requirement', requirements])
      await mkdir(join(folder, 'installed.partial'))
      await rename(join(folder, 'installed.partial'), join(folder, 'installed'))
    },
  )
  return join(folder, 'bin/kopf')
}

/** The version in a file that locks it. */
function versionIn(file: string, pattern: RegExp): string {
  const version = pattern.exec(readFileSync(file, 'utf8'))?.[1]
  if (version === undefined) throw new Error(`${file} has no version of ${pattern.source}`)
  return version
}

/** All audited programs. @param node the options of Node for those in TypeScript. @default none: it takes the packages as they were built */
export function auditedPrograms(node: readonly string[] = []): readonly AuditedProgram[] {
  const controllerRuntime = `controller-runtime ${versionIn(join(bench, 'go.mod'), /controller-runtime v(\S+)/)}`
  const kubeRs = versionIn(join(root, 'test/clients/rust/Cargo.lock'), /name = "kube"\nversion = "(.+)"/)
  const clientNode = versionIn(join(here, 'package.json'), /client-node": "(.+)"/)
  return [
    {
      name: 'go',
      library: controllerRuntime,
      reads: 'Caches all Secrets and ConfigMaps, as is the default',
      expected: ['whole-kind configmaps', 'whole-kind secrets'],
      needs: ['go'],
      command: async () => [await buildGo()],
    },
    {
      name: 'go-by-object',
      library: controllerRuntime,
      reads: '`ByObject`: Secrets by name, ConfigMaps by label',
      expected: [],
      needs: ['go'],
      command: async () => [await buildGo(), '-by-object', neededSecret],
    },
    {
      name: 'kube-rs',
      library: `kube-rs ${kubeRs}`,
      reads: 'Watches all Secrets, applies in each run',
      expected: ['whole-kind secrets', 'unchanged-writes configmaps'],
      needs: ['cargo'],
      command: async () => [await buildRustAudit()],
    },
    {
      name: 'client-node',
      library: `client-node ${clientNode}`,
      reads: 'An informer of all Secrets, replaces in each run',
      expected: ['whole-kind secrets', 'unchanged-writes configmaps'],
      command: async () => [process.execPath, ...node, join(here, 'programs/client-node.ts')],
    },
    {
      name: 'kopf',
      library: `kopf ${versionIn(requirements, /^kopf==(.+)$/m)}`,
      reads: '`@kopf.index` of all Secrets, writes what differs',
      expected: ['whole-kind secrets'],
      needs: ['python3'],
      command: async () => [
        ...[await installKopf(), 'run', '--all-namespaces', '--standalone', '--quiet'],
        join(here, 'kopf/mirror.py'),
      ],
    },
    {
      name: 'wherry',
      library: 'Wherry',
      reads: '`read.get` of the Secret by name, `apply`',
      expected: [],
      command: async () => [process.execPath, ...node, join(here, 'programs/wherry.ts')],
    },
  ]
}
