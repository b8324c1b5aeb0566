import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { choose, type EmbeddedApiServer, seededRandom, startApiServer } from '@wherry/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Access, ask } from '../../packages/testing/src/real/testkit/client.ts'
import { buildGoClients, buildRustWatcher } from './build.ts'
import { Follower } from './follower.ts'

const first = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const count = Number(process.env.WHERRY_SEEDS ?? 1)
const seeds = Array.from({ length: count }, (_, i) => first + i)

/** Kubernetes' own clients against the embedded server, built from their registries: `npm run soak -- clients`. */
describe('clients that others wrote', () => {
  let goClients: string
  let watcher: string
  let folder: string
  let server: EmbeddedApiServer
  let access: Access
  let kubeconfig: string

  beforeAll(async () => {
    goClients = await buildGoClients()
    watcher = await buildRustWatcher()
  }, 3_600_000)

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-clients-'))
    server = await startApiServer({ authorization: 'RBAC' })
    access = { url: server.url, ca: server.ca ?? '', token: server.token }
    kubeconfig = join(folder, 'kubeconfig')
    await server.writeKubeconfig(kubeconfig)
  })

  afterEach(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  describe('kubectl', () => {
    const kubectl = async (...args: string[]): Promise<string> => {
      const env = { ...process.env, HOME: folder }
      const all = ['kubectl', '--kubeconfig', kubeconfig, '-n', 'tools', ...args]
      const { stdout } = await promisify(execFile)(goClients, all, { env, timeout: 60_000 })
      return stdout
    }
    const file = async (name: string, object: object): Promise<string> => {
      const path = join(folder, name)
      await writeFile(path, JSON.stringify(object))
      return path
    }

    it('F1: applies, shows, changes, waits for and deletes objects', async () => {
      const metadata = { name: 'a', namespace: 'tools' }
      const configMap = (data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
      await ask(access, 'POST', '/api/v1/namespaces', { metadata: { name: 'tools' } })
      const one = await file('one.json', configMap({ k: 'v', gone: 'soon' }))
      const two = await file('two.json', configMap({ k: 'w' }))
      const three = await file('three.json', configMap({ s: 'side' }))
      expect(await kubectl('apply', '--validate=false', '-f', one)).toBe('configmap/a created\n')
      expect(await kubectl('apply', '--validate=false', '-f', one)).toBe('configmap/a unchanged\n')
      expect(await kubectl('apply', '--validate=false', '-f', two)).toBe('configmap/a configured\n')
      expect(await kubectl('apply', '--validate=false', '--server-side', '-f', three)).toContain('serverside-applied')
      expect(await kubectl('label', 'configmap', 'a', 'x=y')).toBe('configmap/a labeled\n')
      expect(await kubectl('annotate', 'configmap', 'a', 'note=it')).toBe('configmap/a annotated\n')
      expect(await kubectl('patch', 'configmap', 'a', '-p', '{"data":{"p":"q"}}')).toBe('configmap/a patched\n')
      expect(JSON.parse(await kubectl('get', 'configmap', 'a', '-o', 'json'))).toMatchObject({
        // What was applied by the client was the applier's, and is gone with it.
        data: { s: 'side', p: 'q' },
        metadata: { labels: { x: 'y' }, annotations: { note: 'it' } },
      })
      expect(await kubectl('get', 'configmaps')).toMatch(/^NAME +DATA +AGE\na +2 +\d+s\n$/)
      expect(await kubectl('describe', 'configmap', 'a')).toContain('Labels:       x=y')
      expect(await kubectl('wait', '--for=jsonpath={.data.p}=q', 'configmap/a')).toBe('configmap/a condition met\n')
      expect(await kubectl('delete', 'configmap', 'a')).toContain('configmap "a" deleted')
      expect(await kubectl('get', 'configmaps', '-o', 'name')).toBe('')
    })

    it('F1: works with resources that a definition defines, and with their scale', async () => {
      await ask(access, 'POST', '/api/v1/namespaces', { metadata: { name: 'tools' } })
      const definition = await file('definition.json', {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'games.arcade.example.com' },
        spec: {
          group: 'arcade.example.com',
          scope: 'Namespaced',
          names: { plural: 'games', singular: 'game', kind: 'Game', shortNames: ['gm'] },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              subresources: { scale: { specReplicasPath: '.spec.seats', statusReplicasPath: '.status.seats' } },
              additionalPrinterColumns: [{ name: 'Seats', type: 'integer', jsonPath: '.spec.seats' }],
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { spec: { type: 'object', properties: { seats: { type: 'integer' } } } },
                },
              },
            },
          ],
        },
      })
      await kubectl('apply', '--validate=false', '-f', definition)
      const established = await kubectl('wait', '--for=condition=Established', 'crd/games.arcade.example.com')
      expect(established).toContain('condition met')
      const game = await file('game.json', {
        apiVersion: 'arcade.example.com/v1',
        kind: 'Game',
        metadata: { name: 'chess', namespace: 'tools' },
        spec: { seats: 2 },
      })
      await kubectl('apply', '--validate=false', '-f', game)
      expect(await kubectl('scale', 'gm/chess', '--replicas=4')).toContain('game.arcade.example.com/chess scaled')
      expect(await kubectl('get', 'gm')).toMatch(/^NAME +SEATS\nchess +4\n$/)
      await kubectl('delete', 'crd', 'games.arcade.example.com')
      const resources = await kubectl('api-resources', '-o', 'name')
      expect(resources).toContain('deployments.apps')
      expect(resources).not.toContain('games')
    })
  })

  it.for(seeds)(
    'F1: an informer of client-go and a watcher of kube-rs end up with the server’s objects, seed %i',
    async seed => {
      const random = seededRandom(seed)
      const namespace = `seed-${seed}`
      const configMaps = `/api/v1/namespaces/${namespace}/configmaps`
      await ask(access, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } })
      const there = new Map<string, string>()
      const followers = [
        new Follower('the informer', goClients, ['informer', kubeconfig, namespace]),
        new Follower('the watcher', watcher, [namespace], { ...process.env, KUBECONFIG: kubeconfig }),
      ]
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      const disturb = ['restart', 'expireWatchCaches', 'goawayAll', 'breakConnections', 'compact'] as const
      try {
        for (let step = 0; step < 60; step++) {
          const name = choose(random, names)
          const change = random()
          if (change < 0.08) await server[choose(random, disturb)]()
          else if (change < 0.3 && there.has(name)) {
            await ask(access, 'DELETE', `${configMaps}/${name}`)
            there.delete(name)
          } else {
            const body = { metadata: { name }, data: { n: String(step) } }
            const path = there.has(name) ? `${configMaps}/${name}` : configMaps
            const { status } = await ask(access, there.has(name) ? 'PUT' : 'POST', path, body)
            expect(status).toBeLessThan(300)
            there.set(name, String(step))
          }
          // Now and then they get to see all objects, and otherwise only the end.
          if (random() < 0.1) await Promise.all(followers.map(follower => follower.until(there, 30_000)))
        }
        await Promise.all(followers.map(follower => follower.until(there, 30_000)))
      } finally {
        await Promise.all(followers.map(follower => follower.close()))
      }
    },
  )
})
