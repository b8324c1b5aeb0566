import type { HookHandler, Review } from './hook-server.ts'
import { type HookScenario, type Kit, rule } from './kit.ts'

const merge = 'application/merge-patch+json'
const v1Schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 100 } } } },
}
const v2Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { extent: { type: 'integer' }, unit: { type: 'string', default: 'cm' } },
    },
  },
}
const status = { subresources: { status: {} } }

interface Game {
  apiVersion: string
  metadata: { annotations?: Record<string, string> }
  spec?: { size?: number | undefined; extent?: number | undefined; unit?: string }
}

/** v1 has a `size`, v2 an `extent`. */
const convert: HookHandler = review => converted(review, object => object)

function converted(review: Review, then: (object: Game) => unknown): ReturnType<HookHandler> {
  const { uid, desiredAPIVersion, objects } = review.request
  const convertedObjects = (objects as Game[]).map(object => {
    const { size, extent, ...spec } = object.spec ?? {}
    const v2 = desiredAPIVersion.endsWith('/v2')
    const value = v2 ? { extent: size ?? extent } : { size: extent ?? size }
    const annotations = { ...object.metadata.annotations, [v2 ? 'to-v2' : 'to-v1']: 'yes' }
    return then({
      ...object,
      apiVersion: desiredAPIVersion,
      metadata: { ...object.metadata, annotations },
      ...(object.spec === undefined ? {} : { spec: v2 ? { ...spec, ...value } : value }),
    })
  })
  return reply(review, { uid, result: { status: 'Success' }, convertedObjects })
}

function reply({ apiVersion, kind }: Review, response: object): ReturnType<HookHandler> {
  return { review: { apiVersion, kind, response } }
}

function conversion(kit: Kit, handler: HookHandler = convert, path = '/convert'): object {
  kit.hooks.on(kit.path(path), handler)
  const webhook = { clientConfig: kit.client(path), conversionReviewVersions: ['v1'] }
  return { conversion: { strategy: 'Webhook', webhook } }
}

function versions(storage: 'v1' | 'v2'): object[] {
  const version = (name: 'v1' | 'v2', schema: object) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: schema },
    ...status,
  })
  return [version('v1', v1Schema), version('v2', v2Schema)]
}

const game = (kit: Kit, version: string, name: string, spec: object, more: object = {}): object => ({
  apiVersion: `${kit.group}/${version}`,
  kind: 'Game',
  metadata: { name, ...more },
  spec,
})

export const conversionScenarios: readonly HookScenario[] = [
  {
    name: 'objects are read and listed at either version',
    async run(kit) {
      await kit.define(versions('v1'), conversion(kit))
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { size: 3 }) })
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'b', { size: 4 }, { labels: { x: 'y' } }) })
      for (const version of ['v1', 'v2']) {
        await kit.ask('GET', kit.games(version, 'a'))
        await kit.ask('GET', kit.games(version))
        await kit.ask('GET', `${kit.games(version)}?labelSelector=x=y`)
        await kit.ask('GET', `${kit.games(version)}?limit=1`)
      }
    },
    except: ['*.body.metadata.continue.start', '*.body.metadata.continue'],
  },
  {
    name: 'objects are written at the version that is not stored',
    async run(kit) {
      await kit.define(versions('v1'), conversion(kit))
      const a = kit.games('v2', 'a')
      const created = await kit.ask('POST', kit.games('v2'), { body: game(kit, 'v2', 'a', { extent: 3 }) })
      await kit.ask('PUT', a, { body: { ...created, spec: { extent: 4 } } })
      await kit.ask('PATCH', a, { body: { spec: { extent: 5 } }, type: merge })
      await kit.ask('PATCH', a, { body: {}, type: merge })
      await kit.ask('PATCH', `${a}/status`, { body: { status: { phase: 'Open' } }, type: merge })
      await kit.ask('PATCH', `${a}?dryRun=All`, { body: { spec: { extent: 6 } }, type: merge })
      await kit.ask('GET', kit.games('v1', 'a'))
      await kit.ask('PATCH', a, { body: { spec: { extent: 'wide' } }, type: merge })
      await kit.ask('PATCH', a, { body: { metadata: { finalizers: ['x.y/z'] } }, type: merge })
      await kit.ask('DELETE', a)
      await kit.ask('PATCH', a, { body: { metadata: { finalizers: null } }, type: merge })
      await kit.ask('GET', a)
    },
  },
  {
    name: 'a watch delivers objects at its version',
    async run(kit) {
      await kit.define(versions('v1'), conversion(kit))
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { size: 3 }) })
      const path = `${kit.games('v2')}?watch=1`
      const watch = await kit.watch(path)
      await watch.until(one => one.lines.length > 0, 300_000)
      await kit.ask('PATCH', kit.games('v1', 'a'), { body: { spec: { size: 5 } }, type: merge })
      await kit.ask('POST', kit.games('v2'), { body: game(kit, 'v2', 'b', { extent: 7 }) })
      await kit.ask('DELETE', kit.games('v1', 'a'))
      await kit.collect(path, watch, 4)
    },
  },
  {
    name: 'after the stored version changed, old objects are converted',
    async run(kit) {
      const more = conversion(kit)
      await kit.define(versions('v1'), more)
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { size: 3 }) })
      const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/games.${kit.group}`
      await kit.quietly('PATCH', definition, [{ op: 'replace', path: '/spec/versions', value: versions('v2') }])
      await kit.until(kit.games('v2', 'a'), (_, code) => code === 200)
      await kit.ask('GET', kit.games('v1', 'a'))
      await kit.ask('GET', kit.games('v2', 'a'))
      await kit.ask('PATCH', kit.games('v1', 'a'), { body: {}, type: merge })
      await kit.ask('PATCH', kit.games('v1', 'a'), { body: {}, type: merge })
      await kit.ask('GET', kit.games('v2', 'a'))
      await kit.ask('DELETE', kit.games('v1', 'a'))
    },
  },
  {
    name: 'conversions that fail',
    async run(kit) {
      let mode = 'ok'
      await kit.define(
        versions('v1'),
        conversion(kit, review => {
          const { uid } = review.request
          switch (mode) {
            case 'failed':
              return reply(review, { uid, result: { status: 'Failure', message: 'can not' } })
            case 'silent':
              return reply(review, { uid, result: {} })
            case 'uid':
              return reply(review, { uid: 'x', result: { status: 'Success' } })
            case 'few':
              return reply(review, { uid, result: { status: 'Success' }, convertedObjects: [] })
            case 'version':
              return converted(review, object => ({ ...object, apiVersion: 'v9' }))
            case 'name':
              return converted(review, object => ({ ...object, metadata: { ...object.metadata, name: 'z' } }))
            case 'kind':
              return converted(review, object => ({ ...object, kind: 'Toy' }))
            case 'down':
              return { status: 503, text: 'closed' }
            case 'absent':
              return { review: { apiVersion: review.apiVersion, kind: review.kind } }
            default:
              return convert(review)
          }
        }),
      )
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { size: 3 }) })
      for (mode of ['failed', 'silent', 'uid', 'few', 'version', 'name', 'kind', 'down', 'absent']) {
        await kit.ask('GET', kit.games('v2', 'a'))
      }
      mode = 'failed'
      await kit.ask('GET', kit.games('v1', 'a'))
      await kit.ask('POST', kit.games('v2'), { body: game(kit, 'v2', 'b', { extent: 3 }) })
      // Lists and patches too, but only until the real server's watch cache has received the object.
      await kit.ask('DELETE', kit.games('v2', 'a'))
      mode = 'ok'
      await kit.ask('GET', kit.games('v1'))
    },
  },
  {
    name: 'admission webhooks see converted objects',
    async run(kit) {
      await kit.define(versions('v1'), conversion(kit))
      const rules = [rule(['*'], ['games'], { apiGroups: [kit.group], apiVersions: ['v2'] })]
      const handler: HookHandler = review => ({
        review: {
          apiVersion: review.apiVersion,
          kind: review.kind,
          response: {
            uid: review.request.uid,
            allowed: true,
            patchType: 'JSONPatch',
            patch: Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/extent', value: 9 }])).toString('base64'),
          },
        },
      })
      await kit.configure('Mutating', [{ name: 'a.b.c', rules, path: '/m', handler }])
      await kit.ask('POST', kit.games('v1'), { body: game(kit, 'v1', 'a', { size: 3 }) })
      await kit.ask('GET', kit.games('v1', 'a'))
      kit.reviews('/m')
    },
  },
  {
    name: 'definitions with conversions that are refused',
    async run(kit) {
      const write = async (conversion: object): Promise<void> => {
        const body = {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `games.${kit.group}` },
          spec: {
            group: kit.group,
            scope: 'Namespaced',
            names: { plural: 'games', kind: 'Game' },
            versions: versions('v1'),
            conversion,
          },
        }
        await kit.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', { body })
      }
      const url = 'https://127.0.0.1:1/x'
      const service = { namespace: 'a', name: 'b' }
      await write({ strategy: 'Webhook' })
      await write({ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } })
      await write({ strategy: 'Webhook', webhook: { clientConfig: { url } } })
      await write({ strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } })
      await write({
        strategy: 'Webhook',
        webhook: { clientConfig: { url, service }, conversionReviewVersions: ['v9'] },
      })
      await write({ strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } })
      await write({
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://x' }, conversionReviewVersions: ['v1'] },
      })
      await write({ strategy: 'None', webhook: { clientConfig: { url }, conversionReviewVersions: ['v1'] } })
      await write({ strategy: 'Magic' })
    },
    except: ['*.body.metadata.managedFields', '*.body.status.conditions'],
  },
]
