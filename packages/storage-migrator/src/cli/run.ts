import type { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { MigrationError } from '../errors.ts'
import { wayOut } from '../failure.ts'
import { gate } from '../gate.ts'
import { migrateStorage } from '../migrate.ts'
import type { RewriteOptions } from '../options.ts'
import { plan } from '../plan.ts'
import type { MigrationReport } from '../report.ts'
import { permitted } from '../retry.ts'
import { migrateByServer, type ServerMigrationReport } from '../server-migration.ts'
import { configMapState } from '../state/config-map-state.ts'
import { fileState } from '../state/file-state.ts'
import type { StateStore } from '../state/migration-state.ts'
import { type Verification, verify } from '../verify.ts'
import { type Arguments, parseArguments, UsageError, usage } from './arguments.ts'
import { readManifest } from './manifest.ts'
import { type Output, ProgressLine, printable } from './terminal.ts'

/** The parts of its process that a command uses. */
export interface CommandHost {
  readonly stdout: Output
  readonly stderr: Output
  /** Connects to the cluster. */
  connect(): Promise<Client>
  /** Ends the command. */
  readonly signal: AbortSignal
}

/** 0: done; 1: objects failed or are not proved, or the gate has a finding that the server refuses; 2: an error ended the command, or a migration. */
export type ExitStatus = 0 | 1 | 2

/** Runs the command and resolves with its exit status. Results go to stdout, all else to stderr. */
export async function runCommand(args: readonly string[], host: CommandHost): Promise<ExitStatus> {
  let client: Client | undefined
  try {
    const given = parseArguments(args)
    if (given === undefined) {
      host.stdout.write(usage)
      return 0
    }
    const { manifest } = given
    const wanted = manifest === undefined ? [] : await readManifest(manifest)
    client = await host.connect()
    const command = new Command(given, host, client)
    return manifest === undefined ? await command.each() : await command.gate(wanted)
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(`${error}`)
    const hint = error instanceof UsageError ? '\nstorage-migrator --help prints the usage' : ''
    const stopped = host.signal.aborted ? 'stopped; run it again to go on' : message
    host.stderr.write(`storage-migrator: ${printable(stopped)}${hint}\n`)
    return 2
  } finally {
    await client?.close()
  }
}

class Command {
  readonly #given: Arguments
  readonly #host: CommandHost
  readonly #client: Client
  readonly #progress: ProgressLine

  constructor(given: Arguments, host: CommandHost, client: Client) {
    this.#given = given
    this.#host = host
    this.#client = client
    this.#progress = new ProgressLine(host.stderr)
  }

  /** Runs the command for each definition. */
  async each(): Promise<ExitStatus> {
    const { all, definitions } = this.#given
    let status: ExitStatus = 0
    const names = all ? await this.#withOldVersions() : definitions
    if (names.length === 0) this.#say('nothing to do: no definition has more than one stored version')
    for (const definition of names) {
      try {
        const succeeded = await this.#one(definition)
        if (!succeeded && status === 0) status = 1
      } catch (error) {
        // The error concerns only this definition, so the other definitions are still handled.
        if (!(error instanceof MigrationError)) throw error
        this.#progress.end()
        this.#say(`storage-migrator: ${printable(error.message)}`)
        status = 2
      }
    }
    return status
  }

  #one(definition: string): Promise<boolean> {
    const { mode } = this.#given
    if (mode === 'plan') return this.#plan(definition)
    if (mode === 'server') return this.#byServer(definition)
    return mode === 'verify' ? this.#verify(definition) : this.#migrate(definition)
  }

  /** Checks the effect of these definitions on the server and on clients. */
  async gate(wanted: readonly CustomResourceDefinition[]): Promise<ExitStatus> {
    let status: ExitStatus = 0
    for (const after of wanted) {
      const definition = after.metadata?.name ?? ''
      const { signal } = this.#host
      const get = (): Promise<CustomResourceDefinition | undefined> =>
        this.#client.get(customResourceDefinitions, { name: definition }, { signal })
      const before = await this.#permitted(definition, 'get customresourcedefinitions', get)
      const findings = before === undefined ? [] : gate(before, after)
      if (findings.some(({ refused }) => refused)) status = 1
      this.#print({ definition, findings }, [
        ...findings.map(({ refused, message }) => `${definition}: ${refused ? 'refused' : 'warning'}: ${message}`),
        ...(findings.length === 0 ? [`${definition}: nothing breaks`] : []),
      ])
    }
    return status
  }

  async #plan(definition: string): Promise<true> {
    const planned = await plan({ client: this.#client, definition, signal: this.#host.signal })
    const { storageVersion, storedVersions, objects, requests, nothingToDo, serverMigrates } = planned
    const todo = nothingToDo
      ? `nothing to do: only ${storageVersion} is stored`
      : `${objects} objects would be written at ${storageVersion}, in ${requests} requests; stored versions: ${storedVersions.join(', ')}`
    const own = `${definition}: this server can migrate by itself too (--server)`
    this.#print(planned, [`${definition}: ${todo}`, ...(serverMigrates && !nothingToDo ? [own] : [])])
    return true
  }

  async #verify(definition: string): Promise<boolean> {
    const found = await verify(this.#rewriting(definition))
    this.#progress.end()
    const { storageVersion, storedVersions, proven, counts, failures } = found
    const result = proven
      ? `proved: all ${counts.listed} objects are stored at ${storageVersion}`
      : `not proved: ${counts.rewritten} objects had to be rewritten, ${failures.length} failed; stored versions: ${storedVersions.join(', ')}`
    this.#print(found, [`${definition}: ${result}`, ...failureLines(found)])
    return proven
  }

  async #migrate(definition: string): Promise<boolean> {
    const { settleMs } = this.#given
    const report = await migrateStorage({ ...this.#rewriting(definition), settleMs, state: this.#state() })
    this.#progress.end()
    this.#print(report, [`${definition}: ${resultText(report)}`, ...failureLines(report)])
    return report.outcome !== 'failed'
  }

  async #byServer(definition: string): Promise<boolean> {
    const report = await migrateByServer({ client: this.#client, definition, signal: this.#host.signal })
    this.#print(report, [`${definition}: ${serverResultText(report)}`])
    return report.outcome !== 'failed'
  }

  #rewriting(definition: string): RewriteOptions {
    const { qps, concurrency } = this.#given
    const onProgress: RewriteOptions['onProgress'] = progress => this.#progress.show(progress)
    return { client: this.#client, definition, signal: this.#host.signal, qps, concurrency, onProgress }
  }

  #state(): StateStore {
    const { stateFile, namespace = this.#client.namespace ?? 'default' } = this.#given
    return stateFile === undefined ? configMapState({ client: this.#client, namespace }) : fileState(stateFile)
  }

  async #withOldVersions(): Promise<string[]> {
    const list = async (): Promise<string[]> => {
      const { items } = await this.#client.list(customResourceDefinitions, { signal: this.#host.signal })
      const old = items.filter(({ status, metadata }) => {
        return (status?.storedVersions ?? []).length > 1 && metadata?.deletionTimestamp === undefined
      })
      return old.map(({ metadata }) => metadata?.name ?? '')
    }
    return this.#permitted('all definitions', 'list customresourcedefinitions', list)
  }

  #permitted<T>(definition: string, right: string, request: () => Promise<T>): Promise<T> {
    return permitted(this.#client.environment, definition, right, request, this.#host.signal)
  }

  #print(result: object, lines: readonly string[]): void {
    if (this.#given.json) this.#host.stdout.write(`${JSON.stringify(result)}\n`)
    else for (const line of lines) this.#host.stdout.write(`${printable(line)}\n`)
  }

  #say(line: string): void {
    this.#host.stderr.write(`${line}\n`)
  }
}

function serverResultText(report: ServerMigrationReport): string {
  const { outcome, storageVersion, removableVersions, message } = report
  const removable = removableVersions.length === 0 ? '' : `; ${removableVersions.join(', ')} can be removed`
  if (outcome === 'nothing-to-do') return `nothing to do: only ${storageVersion} is stored${removable}`
  if (outcome === 'migrated') return `done by the server: only ${storageVersion} is stored${removable}`
  return `the server's migration failed: ${message}; without --server the others are done, and each that fails is named`
}

function resultText(report: MigrationReport): string {
  const { outcome, storageVersion, storedVersions, removableVersions, counts, failures, complete } = report
  const removable = removableVersions.length === 0 ? '' : `; ${removableVersions.join(', ')} can be removed`
  if (outcome === 'nothing-to-do') return `nothing to do: only ${storageVersion} is stored${removable}`
  if (outcome === 'migrated') {
    const { rewritten, unchanged, changed, gone } = counts
    const rest = `${unchanged} were there already, ${changed} changed and ${gone} deleted meanwhile`
    return `done: ${rewritten} objects rewritten at ${storageVersion}, ${rest}${removable}`
  }
  const early = complete ? '' : ', and the run ended early'
  return `${failures.length} objects could not be rewritten${early}; stored versions stay ${storedVersions.join(', ')}`
}

function failureLines({ failures }: Pick<MigrationReport | Verification, 'failures'>): string[] {
  return failures.map(failure => {
    const { namespace, name, reason, message } = failure
    const key = namespace === undefined ? name : `${namespace}/${name}`
    return `  ${key}: ${reason}: ${message}: ${wayOut(failure)}`
  })
}
