import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Client } from '@wherry/client'
import { configMaps, events, pods, secrets } from '@wherry/client/resources/core'
import { defineRing, Sharder } from '@wherry/controller/shards/testkit/sharder'
import { startApiServer } from '@wherry/testing'
import { describe, expect, it, vi } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { onStage, type Program, type Stage } from './small-program.ts'

const namespace = 'default'

/** For machines with much else to do. */
const patient = { timeout: 60_000 }

function create(client: Client, name: string, data: Record<string, string>, labels: Record<string, string> = {}) {
  return client.create(configMaps, { metadata: { namespace, name, labels }, data })
}

interface Scene {
  readonly promise: string
  play(stage: Stage): Promise<void>
}

/** What each example does, by the name of its file. */
const scenes: Readonly<Record<string, Scene>> = {
  watcher: {
    promise: 'prints what there is, then each change',
    async play({ client, start }) {
      await create(client, 'a', { colour: 'blue' })
      const program = start('small/watcher.ts')
      await program.line('synced: 1 objects')
      await create(client, 'b', { size: '1', shape: 'round' })
      await program.line('changed default/b: shape size')
      await client.delete(configMaps, { namespace, name: 'a' })
      await program.line('deleted default/a')
      expect(await program.stop()).toEqual([
        ...['reset', 'changed default/a: colour', 'synced: 1 objects'],
        ...['changed default/b: shape size', 'deleted default/a'],
      ])
    },
  },
  'client-node-events': {
    promise: 'emits the events of client-node',
    async play({ client, start }) {
      const watched = { 'example.com/watched': 'true' }
      await create(client, 'a', {}, watched)
      const program = start('small/client-node-events.ts')
      await program.line('synced: 1')
      await create(client, 'b', {}, watched)
      await program.line('added b')
      await client.patch(configMaps, { namespace, name: 'a' }, { data: { colour: 'red' } })
      await program.line('updated a')
      await client.delete(configMaps, { namespace, name: 'b' })
      await program.line('deleted b')
      expect(await program.stop()).toEqual(['added a', 'synced: 1', 'added b', 'updated a', 'deleted b'])
    },
  },
  pages: {
    promise: 'counts all objects, and holds a page at a time',
    async play({ client, start }) {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(client, name, {})
      expect(await start('small/pages.ts', '2').ended()).toEqual([
        ...['page 1: 2 objects, 3 to come', 'page 2: 2 objects, 1 to come', 'page 3: 1 objects, 0 to come'],
        'default: 5',
      ])
    },
  },
  'metadata-informer': {
    promise: 'prints labels of Secrets',
    async play({ client, start }) {
      const key = { namespace, name: 'a' }
      await client.create(secrets, { metadata: { ...key, labels: { app: 'web' } }, stringData: { password: 'x' } })
      const program = start('small/metadata-informer.ts')
      await program.line('synced: 1 Secrets, 1 of app=web')
      await client.patch(secrets, key, { metadata: { labels: { app: 'db' } } })
      await program.line('updated default/a: {"app":"db"}, was {"app":"web"}')
      await client.delete(secrets, key)
      await program.line('deleted default/a')
      expect((await program.stop())[0]).toBe('added default/a: {"app":"web"}')
    },
  },
  'narrow-get': {
    promise: 'reads one Secret by one watch, also while it does not exist',
    async play({ client, start }) {
      const key = { namespace, name: 'db' }
      const program = start('small/narrow-get.ts', 'db')
      await program.line('now: absent')
      await client.create(secrets, { metadata: key, stringData: { user: 'x' } })
      await program.line('now: user')
      await client.patch(secrets, key, { stringData: { password: 'y' } })
      await program.line(/^now: .*password/)
      await client.delete(secrets, key)
      await program.line('now: deleted')
      expect((await program.stop()).slice(0, 2)).toEqual(['db does not exist', '1 entry, 1 watch'])
    },
  },
  registrar: {
    promise: 'watches what it wants now, and delivers the rest only',
    async play({ client, start }) {
      await create(client, 'a', {})
      await client.create(configMaps, { metadata: { namespace: 'kube-system', name: 'b' } })
      const program = start('small/registrar.ts', 'default', 'kube-system')
      await program.line('watched: 2, pending: 0')
      await client.delete(configMaps, { namespace, name: 'a' })
      await program.line('deleted default/a')
      const synced = 'synced: what did not come since `reset` does not exist'
      expect(await program.stop()).toEqual([
        ...['changed default/a', synced, 'watched: 1, pending: 0'],
        ...['changed kube-system/b', synced, 'watched: 2, pending: 0', 'deleted default/a'],
      ])
    },
  },
  registrars: {
    promise: 'serves three consumers by one watch',
    async play({ client, start }) {
      await create(client, 'a', {})
      const program = start('small/registrars.ts')
      await program.line('it is held by keys and reader')
      await create(client, 'b', {})
      await program.line('reader: changed default/b')
      expect(await program.stop()).toEqual([
        ...['reader: changed default/a', 'counter: 1 objects, queue: 1 keys, watches: 1'],
        ...['it is held by keys and reader', 'reader: changed default/b'],
      ])
    },
  },
  transform: {
    promise: 'keeps three fields of each pod, and less than half of its bytes',
    async play({ client, start }) {
      const env = Array.from({ length: 50 }, (_, i) => ({ name: `VARIABLE_${i}`, value: 'a long value '.repeat(10) }))
      const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i', env }] }
      await client.create(pods, { metadata: { namespace, name: 'p' }, spec })
      await client.status.patch(pods, { namespace, name: 'p' }, { status: { phase: 'Pending' } })
      const program = start('small/transform.ts')
      await program.line('watching')
      await client.status.patch(pods, { namespace, name: 'p' }, { status: { phase: 'Running' } })
      await program.line('default/p: Pending -> Running')
      const lines = await program.stop()
      expect(lines[0]).toBe('node-1: 1 pods')
      const [, share] = /received \((0\.\d+) x\)/.exec(lines.join('\n')) ?? []
      expect(Number(share)).toBeLessThan(0.5)
    },
  },
  'write-if-changed': {
    promise: 'creates, sends nothing if nothing differs, and updates',
    async play({ client, start }) {
      const run = (value: string) => start('small/write-if-changed.ts', value).ended()
      expect(await run('10-22')).toEqual(['missing: create'])
      const key = { namespace, name: 'opening-hours' }
      const before = await client.get(configMaps, key)
      expect(await run('10-22')).toEqual(['equal: nothing was sent'])
      expect(await client.get(configMaps, key)).toEqual(before)
      expect(await run('closed')).toEqual(['differs: update', 'differs in spec'])
      expect((await client.get(configMaps, key))?.data).toEqual({ monday: 'closed' })
    },
  },
  policy: {
    promise: 'says what a policy refuses, without a server',
    async play({ folder, start }) {
      const file = (name: string, content: object): string => {
        writeFileSync(join(folder, name), JSON.stringify(content))
        return join(folder, name)
      }
      const item = (name: string, players: number): object => ({ metadata: { name, namespace }, spec: { players } })
      const objects = file('objects.json', { items: [item('chess', 2), item('werewolf', 12)] })
      const policy = (expression: string): string =>
        file('policy.json', { spec: { validations: [{ expression, message: 'at most 8 players' }] } })
      const said = (expression: string) => start('small/policy.ts', policy(expression), objects).ended()
      expect(await said('object.spec.players <= 8')).toEqual([
        'default/chess: allowed',
        'default/werewolf: at most 8 players',
      ])
      expect((await said('object.'))[0]).toMatch(/^spec\.validations\[0\]\.expression: compilation failed/)
    },
  },
  'work-queue': {
    promise: 'works on each key, and again after a failure',
    async play({ client, start }) {
      const labels = { 'example.com/work': 'true' }
      await create(client, 'a', { colour: 'blue' }, labels)
      await create(client, 'b', {}, labels)
      await create(client, 'c', { colour: 'red' })
      const program = start('small/work-queue.ts')
      await program.line('default/a is blue')
      await program.line('default/b has no colour, failure 2')
      await client.patch(configMaps, { namespace, name: 'b' }, { data: { colour: 'green' } })
      await program.line('default/b is green')
      await client.delete(configMaps, { namespace, name: 'a' })
      await program.line('default/a is gone')
      expect((await program.stop()).filter(line => line.includes('default/c'))).toEqual([])
    },
  },
  leader: {
    promise: 'works in one process at a time, and in another after it',
    async play({ client, start }) {
      const holder = async () => (await client.get(configMaps, { namespace, name: 'seat' }))?.data?.holder
      const first = start('small/leader.ts')
      await first.line('working')
      const leader = await holder()
      const second = start('small/leader.ts')
      await second.line(`${leader} leads`)
      expect((await first.stop()).at(-1)).toBe('released')
      expect(second.lines).not.toContain('working')
      await second.line('working')
      expect(await holder()).not.toBe(leader)
      expect((await second.stop()).filter(line => line !== 'working')).toContain('I lead')
    },
  },
  shards: {
    promise: 'works in each process on what a ring has assigned to it, and in the last on all',
    async play({ client, start }) {
      await defineRing(client, 'example', [{ resource: 'configmaps' }])
      const names = Array.from({ length: 12 }, (_, n) => `c${n}`)
      for (const name of names) await create(client, name, { colour: 'blue' })
      const sharder = new Sharder(client, 'example', [{ view: configMaps.within({ namespaces: [namespace] }) }])
      sharder.start(50)
      try {
        const programs = [start('small/shards.ts'), start('small/shards.ts')] as const
        const worked = ({ lines }: Program): string[] => names.filter(name => lines.includes(`${name} has 1 keys`))
        // Each has some: the ring takes objects from the first for the second.
        await vi.waitFor(() => {
          expect(programs.map(one => worked(one).length > 0)).toEqual([true, true])
          expect(new Set(programs.flatMap(worked)).size).toBe(names.length)
        }, patient)
        expect((await programs[0].stop()).filter(line => line.includes('gone'))).toEqual([])
        // An object may have been worked on by the second, then by the first: only a line of its new state shows which of them has it.
        for (const name of names) await client.patch(configMaps, { namespace, name }, { data: { size: '1' } })
        await vi.waitFor(() => {
          expect(names.filter(name => programs[1].lines.includes(`${name} has 2 keys`))).toEqual(names)
        }, patient)
        await client.delete(configMaps, { namespace, name: 'c7' })
        await programs[1].line('c7 is gone')
        expect((await programs[1].stop()).filter(line => line.includes('gone'))).toEqual(['c7 is gone'])
      } finally {
        await sharder.close()
      }
    },
  },
  'many-clusters': {
    promise: 'works in each cluster that has a Secret, until the Secret is deleted',
    async play({ client, start }) {
      const other = await startApiServer()
      const { url, ca, token } = other
      const away = new Client({ url, ca, token })
      try {
        const program = start('small/many-clusters.ts')
        await create(away, 'far', { colour: 'blue' })
        const labels = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' }
        const add = (name: string, kubeconfig: object): Promise<unknown> =>
          client.create(secrets, {
            metadata: { namespace, name, labels },
            stringData: { kubeconfig: JSON.stringify(kubeconfig) },
          })
        // Nobody listens there.
        const [{ name, cluster }] = other.kubeconfig.clusters as [{ name: string; cluster: object }]
        await add('dead', {
          ...other.kubeconfig,
          clusters: [{ name, cluster: { ...cluster, server: 'https://127.0.0.1:1' } }],
        })
        await add('eu', other.kubeconfig)
        await program.line('far of eu has 1 keys')
        await away.delete(configMaps, { namespace, name: 'far' })
        await program.line('far of eu is gone')
        await create(away, 'later', {})
        await program.line('later of eu has 0 keys')
        await client.delete(secrets, { namespace, name: 'eu' })
        expect((await program.stop()).filter(line => line.startsWith('later'))).toEqual(['later of eu has 0 keys'])
      } finally {
        await away.close()
        await other.close()
      }
    },
  },
  events: {
    promise: 'records two events, one of them twice',
    async play({ client, start }) {
      expect(await start('small/events.ts').ended()).toEqual(['recorded'])
      const { items } = await client.list(events)
      const seen = items.map(({ type, reason, count, involvedObject }) => [involvedObject.name, type, reason, count])
      expect(seen.sort()).toEqual([
        ['opening-hours', 'Normal', 'Opened', 1],
        ['opening-hours', 'Warning', 'NoHours', 2],
      ])
    },
  },
  finalizer: {
    promise: 'removes its file before the object goes',
    async play({ client, folder, start }) {
      const program = start('small/finalizer.ts', folder)
      await create(client, 'a', { colour: 'blue' }, { 'example.com/file': 'true' })
      const file = join(folder, 'default_a.json')
      await program.line(`wrote ${file}`)
      // The finalizer that it adds makes the reconcile run again, and the file is empty while it is written again.
      await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('{"colour":"blue"}'))
      const key = { namespace, name: 'a' }
      expect((await client.get(configMaps, key))?.metadata.finalizers).toEqual(['example.com/file'])
      await client.delete(configMaps, key)
      await program.line(`removed ${file}`)
      expect(existsSync(file)).toBe(false)
      // The line comes from the clean-up; the finalizer goes after it.
      await vi.waitFor(async () => expect(await client.get(configMaps, key)).toBeUndefined())
      await program.stop()
    },
  },
}

describe.each(Object.entries(scenes))('examples/small/%s.ts', (_, { promise, play }) => {
  it(promise, () => onStage(play))
})

const files = globSync('examples/small/*.ts', { cwd: root })

/** Which needs a collector: test/traces/traces.real.test.ts. */
const elsewhere = ['traces']

it('plays every small example', () => {
  expect(files.map(file => basename(file, '.ts')).sort()).toEqual([...Object.keys(scenes), ...elsewhere].sort())
})

it.each(files)('%s has at most sixty lines, and imports packages by their public doors', file => {
  const text = readFileSync(join(root, file), 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  const imported = [...text.matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from)
  expect(
    imported.filter(from => !/^(node:|@wherry\/[a-z-]+(\/clusters|\/resources\/[a-z]+)?$|@opentelemetry\/)/.test(from)),
  ).toEqual([])
})

it.each(files)('%s begins with what it shows, when one wants it, and its command', file => {
  const [comment = ''] = readFileSync(join(root, file), 'utf8').split(' */\n')
  expect(comment).toMatch(/^\/\*\*\n/)
  expect(comment).toContain('It shows ')
  expect(comment).toContain(' of @wherry/')
  expect(comment).toContain('Use it ')
  expect(comment).toContain(`node ${file}`)
})
