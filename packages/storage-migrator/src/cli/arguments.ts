import { parseArgs } from 'node:util'

/** The parsed command line. */
export interface Arguments {
  /** Names of definitions. */
  readonly definitions: readonly string[]
  /** Whether to migrate every definition of the cluster that has objects to migrate. */
  readonly all: boolean
  readonly mode: 'migrate' | 'server' | 'plan' | 'verify' | 'gate'
  /** The manifest that `--gate` names. */
  readonly manifest: string | undefined
  readonly qps: number | undefined
  readonly concurrency: number | undefined
  readonly settleMs: number | undefined
  /** The file that keeps the state, instead of a ConfigMap. */
  readonly stateFile: string | undefined
  /** The namespace of the state's ConfigMap. */
  readonly namespace: string | undefined
  readonly json: boolean
}

export const usage = `Usage: storage-migrator <definition…> [options]
       storage-migrator --all [options]
       storage-migrator --gate FILE

Rewrites the stored objects of CustomResourceDefinitions (as games.arcade.example.com) at their storage version and
shortens status.storedVersions, so that old versions can be removed. A run that was stopped goes on where it was.

  --all              every definition with more than one stored version
  --dry-run          say what would be done, and write nothing
  --server           let the server migrate by itself (storagemigration.k8s.io, from Kubernetes 1.37 on), and wait for it
  --verify           prove that every object is stored at the storage version, by writes that change nothing
  --gate FILE        say what applying the definitions in FILE (YAML or JSON) breaks, and write nothing
  --qps N            at most N writes a second (default: no bound; the server slows the migration down)
  --concurrency N    N writes at a time (default: 10)
  --settle SECONDS   wait before objects are listed, until every API server knows the storage version (default: 5)
  --state FILE       keep the state in FILE (default: in the ConfigMap wherry-storage-migrator)
  --namespace NAME   the namespace of that ConfigMap (default: the context's, or default)
  --json             print a JSON document for each definition, on a line of its own
  --help             print this text

The cluster is that of KUBECONFIG, of the pod, or of ~/.kube/config.

Exit status: 0 all is done, or there was nothing to do; 1 some objects could not be migrated, or the gate is shut;
2 wrong usage, no access, or the migration could not be done; 130 or 143 stopped by a signal.
`

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parses a command line; `undefined` if it asks for the usage. @throws UsageError */
export function parseArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parsed(args)
  if (values.help === true) return undefined
  const { all = false, gate, json = false } = values
  const { server, verify } = values
  const plans = values['dry-run']
  const modes = [plans && 'plan', server && 'server', verify && 'verify', gate !== undefined && 'gate'] as const
  const asked = modes.filter(mode => typeof mode === 'string')
  if (asked.length > 1) throw new UsageError('--dry-run, --server, --verify and --gate exclude each other')
  const mode = asked[0] ?? 'migrate'
  if (mode === 'gate' && (all || positionals.length > 0)) {
    throw new UsageError('--gate takes its definitions from the file: name no others')
  }
  if (all && positionals.length > 0) throw new UsageError('--all takes no names of definitions')
  if (mode !== 'gate' && !all && positionals.length === 0) throw new UsageError('name a definition, or give --all')
  if (values.state !== undefined && values.namespace !== undefined) {
    throw new UsageError('--namespace is for the ConfigMap, which --state replaces')
  }
  for (const option of onlySome) {
    if (values[option] === undefined || usedBy[mode].includes(option)) continue
    throw new UsageError(`--${option} has no effect with --${mode === 'plan' ? 'dry-run' : mode}`)
  }
  const settle = number('--settle', values.settle)
  return {
    ...{ definitions: [...new Set(positionals)], all, mode, json },
    manifest: gate,
    qps: number('--qps', values.qps),
    concurrency: number('--concurrency', values.concurrency),
    settleMs: settle === undefined ? undefined : settle * 1000,
    stateFile: values.state,
    namespace: values.namespace,
  }
}

/** The options that not every mode uses. */
const onlySome = ['qps', 'concurrency', 'settle', 'state', 'namespace'] as const

const usedBy: Readonly<Record<Arguments['mode'], readonly string[]>> = {
  migrate: onlySome,
  verify: ['qps', 'concurrency'],
  ...{ plan: [], server: [], gate: [] },
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const options = {
  ...{ all: flag, 'dry-run': flag, verify: flag, server: flag, json: flag, help: { ...flag, short: 'h' } },
  ...{ gate: text, qps: text, concurrency: text, settle: text, state: text, namespace: text },
} as const

type Parsed = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true; args: string[] }>>

function parsed(args: readonly string[]): Parsed {
  try {
    return parseArgs({ options, allowPositionals: true, args: [...args] })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function number(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const value = Number(given)
  if (given.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new UsageError(`${option} takes a number, not ${given}`)
  return value
}
