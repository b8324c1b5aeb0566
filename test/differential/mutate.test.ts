import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { differences } from './compare.ts'
import { type Mutated, mutationsOf, originals, withStatus } from './mutate.ts'
import { normalise } from './normalise.ts'
import type { Said } from './run-scenario.ts'
import { type Servers, startServers } from './servers.ts'
import type { Target } from './target.ts'

const seeds = Number(process.env.WHERRY_SEEDS ?? 24)
const firstSeed = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const perSeed = 25
const atOnce = 8
/** By how a manifest is sent, the namespace: what is replaced is there. */
const namespaces = { POST: 'posted', PUT: 'replaced' } as const
type Method = keyof typeof namespaces
/** How a manifest is sent: as a new object, as an update, or as an update of the status. */
const ways = [
  ['POST', ''],
  ['PUT', ''],
  ['PUT', '/status'],
] as const

const available = await realApiServerAvailable('mutated manifests on the embedded and a real API server')

describe.runIf(available)('manifests with something else somewhere', () => {
  const found: string[] = []

  // The servers are here for the comparison alone: the test below only reports what it found.
  beforeAll(async () => {
    const servers = await startServers()
    try {
      for (const one of ['real', 'embedded'] as const) {
        const target = servers[one]
        for (const name of Object.values(namespaces)) {
          await target.ask('POST', '/api/v1/namespaces', {}, JSON.stringify({ metadata: { name } }))
        }
        for (const original of originals) await made(target, original)
      }
      const queue = Array.from({ length: seeds }, (_, i) => firstSeed + i)
      const work = async (): Promise<void> => {
        for (let seed = queue.shift(); seed !== undefined && found.length < 10; seed = queue.shift()) {
          for (const mutated of mutationsOf(seed, perSeed)) found.push(...(await compared(servers, mutated, seed)))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    } finally {
      await servers.close()
    }
  }, 3_000_000)

  it(`F4: ${seeds * perSeed} changes of valid manifests, new and as updates, are taken, or refused for the same fields, by both servers`, () => {
    expect(found).toEqual([])
  })
})

/** The resourceVersions of the stored objects of kinds that are updated only with it, by the server and the kind. */
const versions = new Map<string, string>()

/** Stores a manifest, so that others can replace it. */
async function made(target: Target, { kind, path, object }: Mutated): Promise<void> {
  const sent = async (method: Method, at: string): Promise<Answer> => {
    const body = bodyOf(target, 'PUT', { kind, object })
    const { status, text } = await target.ask(method, filled(at, 'PUT'), {}, body)
    if (status >= 300 && !at.includes('?dryRun')) throw new Error(`${target.name}: ${status} ${text}`)
    return JSON.parse(text) as Answer
  }
  const { metadata } = await sent('POST', path)
  const at = `${path}/${names.get(kind) as string}`
  const { message = '' } = await sent('PUT', `${at}?dryRun=All`)
  if (message.includes(needsVersion)) versions.set(`${target.name} ${kind}`, metadata?.resourceVersion ?? '')
  if (!withStatus.has(kind)) return
  const { metadata: after } = await sent('PUT', `${at}/status`)
  if (message.includes(needsVersion)) versions.set(`${target.name} ${kind}`, after?.resourceVersion ?? '')
}

function bodyOf(target: Target, method: Method, { kind, object }: Pick<Mutated, 'kind' | 'object'>): string {
  const resourceVersion = method === 'PUT' ? versions.get(`${target.name} ${kind}`) : undefined
  const { metadata } = object as Answer
  const sent =
    metadata instanceof Object ? { ...(object as object), metadata: { resourceVersion, ...metadata } } : object
  return filled(JSON.stringify(sent), method)
}

function filled(text: string, method: Method): string {
  return text.replaceAll('{ns}', namespaces[method])
}

/**
 * Whether kube-apiserver panics: it counts the indexes of a success policy by `spec.completions`, also if that is absent. It closes the connection, and goes on.
 */
function panics({ path, object }: Mutated): boolean {
  const spec = (object as { readonly spec?: Readonly<Record<string, unknown>> | null }).spec ?? {}
  return path.endsWith('/jobs') && spec.successPolicy instanceof Object && (spec.completions ?? undefined) === undefined
}

async function compared(servers: Servers, mutated: Mutated, seed: number): Promise<string[]> {
  const found: string[] = []
  if (panics(mutated)) return found
  for (const [method, part] of ways) {
    if (part !== '' && !withStatus.has(mutated.kind)) continue
    const [real, embedded] = await Promise.all(
      [servers.real, servers.embedded].map(target => answerOf(target, method, part, mutated)),
    )
    const different = differences(normalise(real ?? []), normalise(embedded ?? []))
    if (different.length === 0) continue
    const again = `seed ${seed} (again: WHERRY_FIRST_SEED=${seed} WHERRY_SEEDS=1)`
    found.push(`${again}: ${method} ${mutated.kind}${part} ${JSON.stringify(mutated.object)}\n${different.join('\n')}`)
  }
  return found
}

/** What a server says of a manifest: the object that it would store, or for which fields it refuses. */
async function answerOf(server: Target, method: Method, part: string, mutated: Mutated): Promise<Said[]> {
  const { kind, path } = mutated
  const at = method === 'PUT' ? `${path}/${names.get(kind) as string}${part}` : path
  const to = `${filled(at, method)}?dryRun=All&fieldValidation=Strict`
  const { status, text } = await server.ask(method, to, {}, bodyOf(server, method, mutated))
  const answer = JSON.parse(text) as Answer
  const causes = answer.details?.causes?.map(({ reason, field }) => `${reason} ${field}`)
  // Those of maps come in any order.
  const shown = status === 422 ? [...new Set(causes)].sort() : status >= 300 ? answer.message : asCompared(answer)
  return [{ step: to, status, headers: {}, body: shown }]
}

const needsVersion = 'must be specified for an update'
const names = new Map(originals.map(({ kind, object }) => [kind, (object as Answer).metadata?.name ?? '']))

interface Answer {
  readonly message?: string
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string }
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] }
}

/** The finalizers that only a real server gives to a new volume and to a class of them. */
const ofReal: readonly unknown[] = ['kubernetes.io/pv-protection', 'kubernetes.io/vac-protection']

/**
 * An object without what the comparison of scenarios sees to, with empty lists as `null`, as a real server prints them, and without those
 * finalizers.
 */
function asCompared(answer: Answer): object {
  const metadata = { ...answer.metadata, managedFields: undefined, resourceVersion: undefined }
  const text = JSON.stringify({ ...answer, metadata }, (name, value) => {
    if (!Array.isArray(value)) return value
    const items = name === 'finalizers' ? value.filter(one => !ofReal.includes(one)) : value
    return items.length > 0 ? items : name === 'finalizers' ? undefined : null
  })
  return JSON.parse(text) as object
}
