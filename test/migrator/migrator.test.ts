import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { integer, type RealApiServer, seededRandom } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadData } from '../data/src/index.ts'
import { deny, HookServer, type Review } from '../differential/hooks/hook-server.ts'

const available = await realApiServerAvailable('the storage migrator on a real API server')
const program = new URL('../../packages/storage-migrator/src/bin.ts', import.meta.url).pathname
const readme = new URL('../../packages/storage-migrator/README.md', import.meta.url).pathname
const fromSource = new URL('../examples/from-source.ts', import.meta.url).href

/** Of each seed. */
const kills = 5
const first = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.WHERRY_SEEDS ?? 1) }, (_, i) => first + i)

/** More in a soak (npm run soak). */
const objects = process.env.WHERRY_SOAK === undefined ? 600 : 2000
const refused = ['f0007', 'f0250', 'f0500']
const storedAt = ['v1alpha1', 'v1beta1']
const storage = 'v1beta2'

/** The commands of the README from the first sign to the removed version, with their arguments; they are run here as they stand there. */
function readmeCommands(definition: string, manifest: string): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(readme, 'utf8').split('## From the first sign to the removed version\n')
  const lines = section.split('\n## ', 1)[0]?.split('\n') ?? []
  const commands = lines.filter(line => line.startsWith('npx @wherry/storage-migrator '))
  return commands.map(line => {
    const [, , ...args] = line.replace(/#.*/, '').trim().split(/ +/)
    return args.map(arg => ({ 'games.arcade.example.com': definition, 'new-definition.yaml': manifest })[arg] ?? arg)
  })
}

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const children = new Set<ChildProcess>()

describe.runIf(available)('the storage migrator, on a real API server', () => {
  let server: RealApiServer
  let client: Client
  let hooks: HookServer
  let folder: string
  let crd: CustomResourceDefinition

  beforeAll(async () => {
    server = await sharedRealServer()
    hooks = await HookServer.start()
    folder = await mkdtemp(join(tmpdir(), 'wherry-migrator-'))
    await server.writeKubeconfig(join(folder, 'kubeconfig'))
  })

  afterAll(async () => {
    await hooks?.close()
    await rm(folder, { recursive: true })
  })

  beforeEach(() => {
    client = new Client({ url: server.url, ca: server.ca, token: server.token })
    // The FlowCollector definition, of netobserv's operator where it is at hand.
    crd = structuredClone(loadData().crds[1]) as unknown as CustomResourceDefinition
  })

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    await client.close()
    hooks.disconnect()
  })

  const name = (): string => crd.metadata?.name ?? ''

  /** The definition at its old versions too; what they hold is what the newest holds, without its schema. */
  function versions(
    stored: string,
    names: readonly string[] = [...storedAt, storage],
  ): CustomResourceDefinition['spec'] {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const newest = crd.spec.versions.find(version => version.storage)
    return {
      ...crd.spec,
      versions: names.map(version => ({
        ...(version === storage ? newest : { schema }),
        ...{ name: version, served: true, storage: version === stored },
      })),
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle },
          conversionReviewVersions: ['v1'],
        },
      },
    }
  }

  const at = (version: string): Resource<{ metadata?: ObjectMeta }, 'cluster'> => {
    const { group, names } = crd.spec
    return defineResource({ group, version, kind: names.kind, plural: names.plural, namespaced: false })
  }

  /** Moves the storage version; resolves once the server writes at it. */
  async function store(version: string): Promise<void> {
    await client.patch(customResourceDefinitions, { name: name() }, { spec: versions(version) })
    const probe = { metadata: { name: 'probe' } }
    await expect
      .poll(async () => {
        // It is there where a try before has failed after its create: a server may answer 503 right after the change.
        await client.delete(at(version), probe.metadata)
        await client.create(at(version), probe)
        const stored = await storedVersion('probe')
        await client.delete(at(version), probe.metadata)
        return stored
      })
      .toBe(version)
  }

  /** What etcd has of an object. */
  async function storedVersion(object: string): Promise<string | undefined> {
    const bytes = await server.stored(`/registry/${crd.spec.group}/${crd.spec.names.plural}/${object}`)
    const { apiVersion } = JSON.parse(Buffer.from(bytes ?? []).toString()) as { apiVersion: string }
    return apiVersion.split('/')[1]
  }

  async function storedVersions(): Promise<readonly string[] | undefined> {
    return (await client.get(customResourceDefinitions, { name: name() }))?.status?.storedVersions
  }

  /** Half of the objects stored at each old version. */
  async function fill(): Promise<void> {
    hooks.on('/convert', ({ apiVersion, kind, request }: Review) => {
      const { uid, desiredAPIVersion } = request
      const convertedObjects = request.objects.map((object: object) => ({ ...object, apiVersion: desiredAPIVersion }))
      return { review: { apiVersion, kind, response: { uid, result: { status: 'Success' }, convertedObjects } } }
    })
    await client.create(customResourceDefinitions, {
      metadata: { name: name(), annotations: crd.metadata?.annotations },
      spec: versions('v1alpha1'),
    })
    for await (const event of client.watch(customResourceDefinitions)) {
      const conditions = event.type === 'BOOKMARK' ? [] : event.object.status?.conditions
      if (conditions?.some(({ type, status }) => type === 'Established' && status === 'True')) break
    }
    const names = Array.from({ length: objects }, (_, i) => `f${String(i).padStart(4, '0')}`)
    for (const [half, version] of storedAt.entries()) {
      await store(version)
      const mine = names.slice((half * objects) / 2, ((half + 1) * objects) / 2)
      for (let i = 0; i < mine.length; i += 20) {
        const some = mine.slice(i, i + 20)
        await Promise.all(some.map(one => client.create(at(version), { metadata: { name: one } })))
      }
    }
    await store(storage)
  }

  function begin(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
    const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') }
    const child = spawn(process.execPath, ['--import', fromSource, program, ...args], { env })
    children.add(child)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', text => {
      stdout += text
    })
    child.stderr.on('data', text => {
      stderr += text
    })
    const ended = once(child, 'close').then(([status]) => {
      children.delete(child)
      return { status, stdout, stderr }
    })
    return { child, ended }
  }

  const run = (...args: readonly string[]): Promise<Ended> => begin(args).ended

  /** Kills a migration once so many objects more were rewritten, or it came to its end. */
  async function runAndKill(after: number): Promise<void> {
    const { resourceVersion } = await client.list(at(storage).metadata(), { limit: 1 })
    const { child, ended } = begin([name(), '--settle', '0'])
    const over = new AbortController()
    let left = after
    const event = (type: string): void => {
      if (type === 'MODIFIED' && --left <= 0) child.kill('SIGKILL')
    }
    client.watchEach(at(storage).metadata(), { event, end() {} }, { resourceVersion, signal: over.signal })
    await ended
    over.abort()
  }

  it.each(seeds)(
    'S2, S4, S5, X10: seed %i: killed again and again, it leaves nothing in etcd but the storage version',
    async seed => {
      const random = seededRandom(seed)
      await fill()
      const deny3 = deny({ code: 400, reason: 'BadRequest', message: 'not these' })
      const pass = (review: Review) => ({
        review: {
          ...{ apiVersion: review.apiVersion, kind: review.kind },
          response: { uid: review.request.uid, allowed: true },
        },
      })
      hooks.on('/admit', review => (refused.includes(review.request.name) ? deny3(review) : pass(review)))
      const { group, names } = crd.spec
      await client.create(validatingWebhookConfigurations, {
        metadata: { name: 'deny' },
        webhooks: [
          {
            name: 'deny.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: `${hooks.url}/admit`, caBundle: hooks.caBundle },
            rules: [{ operations: ['UPDATE'], apiGroups: [group], apiVersions: ['*'], resources: [names.plural] }],
          },
        ],
      })
      const before = await content()
      expect(await storedVersions()).toEqual([...storedAt, storage])
      const manifest = join(folder, 'next.yaml')
      const commands = readmeCommands(name(), manifest)
      expect(commands).toHaveLength(4)
      const [dryRun = [], migrate = [], verify = [], gate = []] = commands
      const planned = await run(...dryRun)
      expect([planned.status, planned.stdout]).toEqual([
        0,
        expect.stringContaining(`${objects} objects would be written`),
      ])

      for (let kill = 0; kill < kills; kill++) {
        await runAndKill(integer(random, 1, Math.floor((objects * 0.9) / kills)))
        expect(await storedVersions()).toEqual([...storedAt, storage])
      }
      const failed = await run(name(), '--settle', '0', '--json')
      expect(failed.status).toBe(1)
      const { failures } = JSON.parse(failed.stdout)
      expect(failures.map((failure: { name: string }) => failure.name)).toEqual(refused)
      expect(await storedVersions()).toEqual([...storedAt, storage])

      await client.delete(validatingWebhookConfigurations, { name: 'deny' })
      // The server forgets a webhook a moment later.
      await expect.poll(async () => (await run(...migrate)).status).toBe(0)
      expect(await storedVersions()).toEqual([storage])
      const stored = new Set<string | undefined>()
      for (const one of before.keys()) stored.add(await storedVersion(one))
      expect([...stored]).toEqual([storage])
      expect(await content()).toEqual(before)

      const proved = await run(...verify)
      expect([proved.status, proved.stdout]).toEqual([
        0,
        `${name()}: proved: all ${objects} objects are stored at ${storage}\n`,
      ])
      const next = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: name() },
      }
      await writeFile(manifest, JSON.stringify({ ...next, spec: versions(storage, [storage]) }))
      expect(await run(...gate)).toMatchObject({ status: 0 })
      await client.patch(customResourceDefinitions, { name: name() }, { spec: versions(storage, [storage]) })

      await client.delete(customResourceDefinitions, { name: name() })
      await expect.poll(() => client.get(customResourceDefinitions, { name: name() })).toBeUndefined()
    },
  )

  /** All objects by name, without their resourceVersions. */
  async function content(): Promise<Map<string, object>> {
    const { items } = await client.list(at(storage).full())
    return new Map(
      items.map(({ metadata: { resourceVersion: _, ...metadata }, ...rest }) => [metadata.name, { ...rest, metadata }]),
    )
  }
})
