/**
 * Loaded into the process of an operator by `wherry dev`, before its program. It loads the slow modules and delays the program until it receives `go`.
 * Then it reports the state of the operator. It ends the process when the parent ends.
 */
import { subscribe } from 'node:diagnostics_channel'
import { createRequire, enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import {
  type Admission,
  type ControllerState,
  cut,
  type Explain,
  type FromOperator,
  go,
  type OperatorState,
  type Run,
} from './messages.ts'

/** The operator that `@wherry/controller` publishes. This package does not depend on that package. */
interface Observed {
  readonly name: string
  state(): Omit<OperatorState, 'name'>
  runs(): AsyncIterable<Ended>
  explain(controller: string, key: string): unknown
}

interface Ended extends Omit<Run, 'why' | 'error'> {
  readonly cause: Cause | undefined
  readonly error: unknown
}

interface Cause {
  readonly source: string
  readonly change: string
  readonly object: string | undefined
  readonly changes?: { readonly paths: readonly string[]; readonly managers: readonly string[] } | undefined
}

/** The webhooks that `@wherry/webhook` publishes. */
interface ObservedWebhooks {
  readonly name: string
  serveHere(): void
  leaveOut(): void
  onAdmission(listener: (admission: Admission) => void): void
  /** Missing in an older `@wherry/webhook`. */
  onAsked?(listener: (names: readonly string[]) => void): void
}

/** The time between two reads of the state, in milliseconds. */
const everyMs = 200

// With a cache, a start after a save compiles only the changed files. The cache is in the system's folder for temporary files.
enableCompileCache()
subscribe('wherry.operator.start', message => void report(message as Observed))
subscribe('wherry.webhooks.start', message => placeWebhooks(message as ObservedWebhooks))
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
if (process.env.WHERRY_DEV_WAITS === 'true') {
  const released = new Promise(resolve => process.on('message', message => message === go && resolve(undefined)))
  await preload(['@wherry/controller'])
  await released
}
// The channel to the parent must not keep the process alive: only the operator decides that.
process.channel?.unref()

/** Loads packages as a program in the current folder would. A missing package is ignored, because the program itself will report it. */
async function preload(names: readonly string[]): Promise<void> {
  const { resolve } = createRequire(join(process.cwd(), 'program.js'))
  for (const name of names)
    try {
      await import(pathToFileURL(resolve(name)).href)
    } catch {}
}

async function report(operator: Observed): Promise<void> {
  let last: OperatorState | undefined
  const look = (): void => {
    const { controllers, views } = operator.state()
    const state = { name: operator.name, controllers: controllers.map(withShortObstacle), views }
    if (!isDeepStrictEqual(state, last)) send({ type: 'state', state })
    last = state
  }
  setInterval(look, everyMs).unref()
  process.on('message', (asked: Explain | typeof go) => {
    if (asked !== go) send({ type: 'explained', id: asked.id, text: explained(operator, asked) })
  })
  process.channel?.unref()
  for await (const { controller, key, cause, outcome, error, startedAt, tookMs } of operator.runs()) {
    const why = cause === undefined ? '' : whyOf(cause)
    const message = error instanceof Error ? cut(error.message) : undefined
    send({ type: 'run', run: { controller, key, why, outcome, error: message, startedAt, tookMs } })
  }
}

/** Serves the webhooks to the API server of this machine. A cluster can't call them here, so they are left out then. */
function placeWebhooks(webhooks: ObservedWebhooks): void {
  if (process.env.WHERRY_DEV_CLUSTER === 'true') {
    webhooks.leaveOut()
    process.stderr.write(
      `wherry dev: the cluster can't reach the webhooks of ${webhooks.name} on this machine: they are left out\n`,
    )
    return
  }
  webhooks.serveHere()
  webhooks.onAsked?.(names => send({ type: 'webhooks', names }))
  webhooks.onAdmission(admission => {
    const { message, warnings, changes } = admission
    const texts = { message: cut(message), warnings: warnings.map(cut), changes: changes.map(cut) }
    send({ type: 'admission', admission: { ...admission, ...texts } })
  })
}

/** An obstacle is the message of an error, which may have the length of a file. */
function withShortObstacle({ obstacle, ...controller }: ControllerState): ControllerState {
  return { ...controller, ...(obstacle !== undefined && { obstacle: cut(obstacle) }) }
}

function send(message: FromOperator): void {
  // The parent may have ended.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

function explained(operator: Observed, { controller, key }: Explain): string {
  try {
    return `${operator.explain(controller, key)}`
  } catch (error) {
    return (error as Error).message
  }
}

function whyOf({ source, change, object, changes }: Cause): string {
  const { paths, managers } = changes ?? { paths: [], managers: [] }
  const fields = paths.length === 0 ? '' : `: ${paths.join(', ')}`
  const by = managers.length === 0 ? '' : ` by ${managers.join(', ')}`
  return `${[source, change, object].filter(Boolean).join(' ')}${fields}${by}`
}
