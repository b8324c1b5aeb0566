import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client, isApiError, type View } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces, secrets } from '@wherry/client/resources/core'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { games, operatorNamespace } from './games.ts'

const available = await realApiServerAvailable('an operator with webhooks that is killed')
const program = new URL('./program.ts', import.meta.url).pathname
const fromSource = new URL('../examples/from-source.ts', import.meta.url).href
const authorities = { namespace: operatorNamespace, name: 'arcade-webhook-authorities' }
const configuration = { name: 'arcade' }

/** What the operator writes when it starts for the first time, in this order. */
const writes = ['the Secret with the authorities', 'the configuration', 'the bundle in the configuration'] as const

const children = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of children) await ended(child, 'SIGKILL')
})

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  children.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode]
  const closed = once(child, 'close')
  child.kill(signal)
  return closed
}

/** An operator as a process of its own, and what it has said. */
function start({ url, ca, token }: ApiServer): { readonly child: ChildProcess; said: string } {
  const argument = JSON.stringify({ url, ca, token })
  const child = spawn(process.execPath, ['--import', fromSource, program, argument], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.add(child)
  const operator = { child, said: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    operator.said = (operator.said + text).slice(-4096)
  })
  return operator
}

/** A promise, in an array, of so many writes of the operator from now on. */
async function written(client: Client, count: number): Promise<[Promise<unknown>]> {
  const seen = new Set<string>()
  const done = new AbortController()
  const follow = async (view: View<object>, name: string, resourceVersion: string): Promise<void> => {
    for await (const event of client.watch(view, { resourceVersion, signal: done.signal })) {
      if (event.type === 'BOOKMARK' || event.type === 'DELETED') continue
      const { metadata = {} } = event.object as { metadata?: { name?: string; resourceVersion?: string } }
      if (metadata.name !== name) continue
      seen.add(metadata.resourceVersion ?? '')
      if (seen.size >= count) done.abort()
    }
  }
  const watched = [
    [secrets.within({ namespaces: [operatorNamespace] }).metadata(), authorities.name],
    [validatingWebhookConfigurations.metadata(), configuration.name],
  ] as const
  const lists = await Promise.all(watched.map(([view]) => client.list(view as View<object>)))
  const followed = watched.map(([view, name], i) =>
    follow(view, name, lists[i]?.resourceVersion ?? '').catch(error => {
      if (!done.signal.aborted) throw error
    }),
  )
  return [Promise.all(followed)]
}

/** Resolves when the API server asks the operator. */
function asked(client: Client): Promise<void> {
  return vi.waitFor(
    async () => {
      const probe = { metadata: { name: 'probe', namespace: 'default' } }
      const answer = await client.create(games, probe, { dryRun: true }).then(
        () => 'admitted',
        error => (isApiError(error) ? error.message : Promise.reject(error)),
      )
      expect(answer).toContain('it is a probe')
    },
    { interval: 50, timeout: 120_000 },
  )
}

async function define(client: Client): Promise<void> {
  const { group, version, kind, plural } = games.resource
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  await client.apply(
    customResourceDefinitions,
    {
      metadata: { name: `${plural}.${group}` },
      spec: {
        ...{ group, scope: 'Namespaced', names: { kind, plural, singular: 'game', listKind: 'GameList' } },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    },
    { fieldManager: 'test' },
  )
  await client.apply(namespaces, { metadata: { name: operatorNamespace } }, { fieldManager: 'test' })
  await vi.waitFor(() => client.list(games), { interval: 50, timeout: 60_000 })
}

function killing(server: () => ApiServer): void {
  it.each(writes.map((what, i) => [what, i + 1] as const))(
    'B3: an operator that is killed after it wrote %s goes on with the same authorities',
    async (_, count) => {
      const { url, ca, token } = server()
      const client = new Client({ url, ca, token })
      try {
        await define(client)
        const [reached] = await written(client, count)
        const { child } = start(server())
        await reached
        await ended(child, 'SIGKILL')
        const before = await client.get(secrets, authorities)
        expect(Object.keys(before?.data ?? {})).not.toEqual([])
        const second = start(server())
        await asked(client).catch(error => {
          throw new Error(`${error.message}\nthe operator said: ${second.said}`, { cause: error })
        })
        const after = await client.get(secrets, authorities)
        expect(after?.data).toEqual(before?.data)
        const live = await client.get(validatingWebhookConfigurations, configuration)
        const bundle = atob(live?.webhooks?.[0]?.clientConfig.caBundle ?? '')
        expect(bundle.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
        expect(await ended(second.child, 'SIGTERM'), second.said).toEqual([0, null])
        await client.delete(validatingWebhookConfigurations, configuration)
        await client.delete(secrets, authorities)
      } finally {
        await client.close()
      }
    },
  )
}

describe('an operator with webhooks on the embedded API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer()
  })
  afterAll(() => server.close())
  killing(() => server)
})

describe.runIf(available)('an operator with webhooks on a real API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind: 'real' })
  })
  afterAll(() => server?.close())
  killing(() => server)
})
