import { configMaps, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { gameOf, requestOf } from '../testkit/request.ts'

describe('B1: a validating webhook', () => {
  it('allows what no denial is said of, and refuses with all denials at once', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('limits')
        .for(games)
        .validate(({ object, deny, warn }) => {
          warn('beta')
          if ((object.spec?.players ?? 0) > 4) deny('at most 4 players', { field: 'spec.players', code: 422 })
          if (object.spec?.title === 'bad') deny('another title')
        })
      const fine = await webhooks.review('limits', requestOf())
      expect(fine).toEqual({ allowed: true, warnings: ['beta'], patch: [], status: undefined })
      const object = gameOf({ players: 5, title: 'bad' })
      expect(await webhooks.review('limits', requestOf({ object }))).toEqual({
        allowed: false,
        warnings: ['beta'],
        patch: [],
        status: {
          code: 422,
          reason: 'Invalid',
          message: 'spec.players: at most 4 players; another title',
          details: { causes: [{ message: 'at most 4 players', field: 'spec.players' }, { message: 'another title' }] },
        },
      })
    }))

  it('answers by its failure policy when its handler throws, without the text of what was thrown', () =>
    inMemory(async ({ webhooks, simulation }) => {
      for (const policy of ['Fail', 'Ignore'] as const)
        webhooks
          .webhook(policy.toLowerCase())
          .for(games)
          .failurePolicy(policy)
          .validate(() => {
            throw new TypeError('the password is hunter2')
          })
      const fail = await webhooks.review('fail', requestOf())
      expect(fail).toMatchObject({ allowed: false, status: { code: 500, reason: 'InternalError' } })
      const ignore = await webhooks.review('ignore', requestOf())
      expect(ignore).toMatchObject({ allowed: true, patch: [], status: undefined })
      expect(ignore.warnings[0]).toContain('the webhook ignore failed: its handler threw TypeError')
      expect(JSON.stringify([fail, ignore])).not.toContain('hunter2')
      expect(simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
        ['the password is hunter2', 'admission/fail'],
        ['the password is hunter2', 'admission/ignore'],
      ])
    }))

  it('reports what a handler of Secrets throws without its text', () =>
    inMemory(async ({ webhooks, simulation }) => {
      webhooks
        .webhook('secrets')
        .for(secrets)
        .validate(({ object }) => {
          throw new Error(`bad: ${object.data?.password}`)
        })
      const object = { metadata: { name: 'a' }, data: { password: 'aHVudGVyMg==' } }
      const resource = { group: '', version: 'v1', resource: 'secrets' }
      const said = await webhooks.review('secrets', requestOf({ object, resource }))
      const reported = simulation.environment.errors.map(({ error }) => `${error} ${error.cause}`)
      expect(reported).toHaveLength(1)
      expect(JSON.stringify([said, reported])).not.toContain('aHVudGVyMg')
    }))

  it('answers within 0.8 of timeoutSeconds, and no other webhook waits for it', () =>
    inMemory(async ({ webhooks, simulation }) => {
      const aborted: unknown[] = []
      webhooks
        .webhook('hangs')
        .for(games)
        .timeoutSeconds(10)
        .validate(async ({ signal }) => {
          signal.addEventListener('abort', () => aborted.push(signal.reason))
          await new Promise(() => {})
        })
      webhooks
        .webhook('fast')
        .for(games)
        .validate(() => {})
      const { clock } = simulation
      const begun = clock.monotonic()
      const hanging = webhooks.review('hangs', requestOf())
      expect(await webhooks.review('fast', requestOf())).toMatchObject({ allowed: true })
      expect(clock.monotonic() - begun).toBe(0)
      expect(await hanging).toMatchObject({
        allowed: false,
        status: { code: 504, message: 'the webhook hangs failed: the handler did not end within 8000 ms' },
      })
      expect(clock.monotonic() - begun).toBe(8000)
      expect(aborted).toHaveLength(1)
    }))

  it('takes a denial for one, whatever comes after it', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('denies')
        .for(games)
        .failurePolicy('Ignore')
        .validate(({ deny }) => {
          deny('no')
          throw new Error('later')
        })
      expect(await webhooks.review('denies', requestOf())).toMatchObject({ allowed: false, status: { code: 403 } })
    }))

  it('reports a denial that comes after the answer, and a handler that rejects after its deadline does no harm', () =>
    inMemory(async ({ webhooks, simulation }) => {
      const { promise, reject } = Promise.withResolvers<void>()
      webhooks
        .webhook('late')
        .for(games)
        .validate(async ({ deny }) => {
          await promise.catch(() => deny('too late'))
          throw new Error('nobody waits for this')
        })
      const { status } = await webhooks.review('late', requestOf())
      expect(status?.code).toBe(504)
      reject(new Error('x'))
      await simulation.advance(1)
      expect(simulation.environment.errors.map(({ error }) => (error as { code?: unknown }).code)).toEqual([
        'HANDLER_DEADLINE',
        'ANSWERED_ALREADY',
      ])
    }))

  it('does not take a returned value for an answer', () =>
    inMemory(async ({ webhooks }) => {
      const returning = (() => false) as unknown as () => void
      webhooks.webhook('returns').for(games).validate(returning)
      const { status } = await webhooks.review('returns', requestOf())
      expect(status?.message).toContain('call deny to refuse')
    }))

  it('is not asked for what it is not declared for: the answer says that the configuration is another one', () =>
    inMemory(async ({ webhooks }) => {
      const seen: string[] = []
      webhooks
        .webhook('created')
        .for(games, { operations: ['CREATE'] })
        .validate(({ operation }) => void seen.push(operation))
      const message = async (changes: object): Promise<unknown> =>
        (await webhooks.review('created', requestOf(changes))).status?.message
      expect(await message({ operation: 'DELETE', oldObject: gameOf() })).toContain('not declared for DELETE')
      expect(await message({ subResource: 'status' })).toContain('asked about arcade.example.com/v1/games/status')
      expect(await message({ resource: { group: '', version: 'v1', resource: 'pods' } })).toContain('about v1/pods')
      expect(await message({ object: null })).toContain('lacks an object')
      expect(seen).toEqual([])
    }))
})

describe('B1: a read of a handler', () => {
  it('is served from the cache, and never waits for a cache that is not there', () =>
    inMemory(async ({ webhooks, operator, client, simulation }) => {
      const found: unknown[] = []
      webhooks
        .webhook('reads')
        .for(games)
        .reads(configMaps)
        .validate(async ({ read }) => {
          found.push((await read.get(configMaps, { name: 'limits' }))?.data?.players)
          found.push((await read.list(configMaps, { namespace: 'default' })).length)
        })
      await client.create(configMaps, { metadata: { name: 'limits', namespace: 'default' }, data: { players: '4' } })
      const begun = simulation.clock.monotonic()
      const before = await webhooks.review('reads', requestOf())
      expect(before.status).toMatchObject({ code: 500, message: expect.stringContaining('has not synced yet') })
      expect(simulation.clock.monotonic()).toBe(begun)
      const hold = operator.cache.hold(configMaps, 'test')
      await operator.cache.synced()
      expect(await webhooks.review('reads', requestOf())).toMatchObject({ allowed: true })
      expect(found).toEqual(['4', 1])
      await hold.release()
    }))

  it('names the view that it may not read', () =>
    inMemory(async ({ webhooks, simulation }) => {
      webhooks
        .webhook('reads')
        .for(games)
        .validate(async ({ read }) => void (await read.get(configMaps, { name: 'limits' })))
      const { status } = await webhooks.review('reads', requestOf())
      expect(status?.message).toContain("/v1/configmaps can't be read from the cache: no informer has it")
      expect(simulation.environment.errors[0]?.error).toMatchObject({ code: 'NOT_IN_CACHE', view: configMaps.key })
    }))
})

describe('B2: handlers see', () => {
  it('user, operation, old object, dry run, options and subresource, and no object of a DELETE', () =>
    inMemory(async ({ webhooks }) => {
      const seen: object[] = []
      webhooks
        .webhook('all')
        .for(games, { operations: ['CREATE', 'UPDATE', 'DELETE'] })
        .validate(({ read: _r, deny: _d, warn: _w, signal: _s, ...rest }) => void seen.push(rest))
      const oldObject = gameOf({ players: 1 })
      await webhooks.review('all', requestOf({ operation: 'DELETE', object: null, oldObject, dryRun: true }))
      await webhooks.review('all', requestOf({ name: '' }))
      const user = { username: 'jane', uid: undefined, groups: ['players'], extra: {} }
      const options = { fieldManager: 'kubectl' }
      const common = { uid: 'a-request', namespace: 'default', subResource: undefined, user, options }
      expect(seen).toEqual([
        { ...common, name: 'chess', isDryRun: true, operation: 'DELETE', object: undefined, old: oldObject },
        { ...common, name: undefined, isDryRun: false, operation: 'CREATE', object: gameOf(), old: undefined },
      ])
    }))

  it('objects that they can not change, and nothing to write with', () =>
    inMemory(async ({ webhooks }) => {
      const functions: string[] = []
      webhooks
        .webhook('changes')
        .for(games)
        .validate(context => {
          functions.push(
            ...Object.entries(context).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
          )
          context.object.spec = { players: 1 }
        })
      const { status } = await webhooks.review('changes', requestOf({ dryRun: true }))
      expect(status?.message).toContain('threw TypeError')
      expect(functions).toEqual(['deny', 'warn'])
    }))
})

describe('B2: a mutating webhook', () => {
  /** The patch of a handler for a game, or the message of what it failed with. */
  const patchOf = async (change: (draft: Record<string, never>) => unknown, object = gameOf()): Promise<unknown> => {
    let result: unknown
    await inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('mutates')
        .for(games)
        .mutate(({ draft }) => void change(draft as never))
      const { patch, status } = await webhooks.review('mutates', requestOf({ object }))
      result = status?.message ?? patch
    })
    return result
  }

  it('answers with what its draft differs in, and with nothing if it does not differ', async () => {
    const labelled = gameOf({ players: 2, tags: ['a', 'b', 'c'] }, { metadata: { name: 'chess', labels: { a: '1' } } })
    expect(await patchOf(() => {}, labelled)).toEqual([])
    const same = (draft: { metadata: object; spec: { players: number; tags: string[] } }): void => {
      draft.metadata = structuredClone({ name: 'chess', labels: { a: '1' } })
      draft.spec = { tags: ['a', 'b', 'c'], players: 2 }
    }
    expect(await patchOf(same as never, labelled)).toEqual([])
    const changed = (draft: { metadata: { labels: object }; spec: { players?: number; tags: string[] } }): void => {
      draft.metadata.labels = { ...draft.metadata.labels, 'example.com/owner~x': 'jane' }
      delete draft.spec.players
      draft.spec.tags.splice(1, 1)
    }
    expect(await patchOf(changed as never, labelled)).toEqual([
      { op: 'add', path: '/metadata/labels/example.com~1owner~0x', value: 'jane' },
      { op: 'remove', path: '/spec/players' },
      { op: 'remove', path: '/spec/tags/1' },
    ])
  })

  it.each([
    ['/metadata/name', 'metadata.name'],
    ['/metadata/namespace', 'metadata.namespace'],
    ['/metadata/uid', 'metadata.uid'],
    ['/kind', 'kind'],
    ['/status', 'status'],
    ['/status/phase', 'status.phase'],
  ])('may not change %s', async (path, field) => {
    const change = (draft: Record<string, Record<string, unknown>>): void => {
      const [first = '', second] = field.split('.')
      if (second === undefined) Object.assign(draft, { [first]: {} })
      else Object.assign(draft[first] as object, { [second]: 'x' })
    }
    const object = gameOf({}, path === '/status/phase' ? { status: {} } : {})
    expect(await patchOf(change as never, object)).toContain(`the handler changed ${path}: `)
  })

  it('names the path of a value that JSON does not have', async () => {
    const change = (draft: { spec: object }): void => {
      draft.spec = { players: 2, list: [1, { since: new Date(0) }] }
    }
    expect(await patchOf(change as never)).toContain('/spec/list/1/since to a value that JSON does not have')
  })

  it('leaves a field of the name __proto__ alone', async () => {
    const object = JSON.parse('{"metadata":{"name":"chess"},"spec":{"__proto__":{"a":1},"players":1}}')
    const change = (draft: { spec: { players: number } }): void => {
      draft.spec = { players: 3 }
    }
    expect(await patchOf(change as never, object)).toEqual([{ op: 'replace', path: '/spec/players', value: 3 }])
  })

  it('of the status changes the status only, and of the scale its spec only', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('status')
        .forStatus(games)
        .mutate(({ draft }) => {
          draft.status = { phase: 'Ready' }
          if (draft.metadata.labels) draft.metadata.labels.a = '2'
        })
      webhooks
        .webhook('scale')
        .forScale(games)
        .mutate(({ draft }) => {
          draft.spec = { replicas: 1 }
        })
      const update = { operation: 'UPDATE', oldObject: gameOf(), subResource: 'status' }
      const { patch } = await webhooks.review('status', requestOf(update))
      expect(patch).toEqual([{ op: 'add', path: '/status', value: { phase: 'Ready' } }])
      const object = gameOf({}, { metadata: { labels: { a: '1' } } })
      const wrong = await webhooks.review('status', requestOf({ ...update, object }))
      expect(wrong.status?.message).toContain('/metadata/labels/a: a webhook of status may change /status only')
      const scaled = await webhooks.review(
        'scale',
        requestOf({ ...update, subResource: 'scale', object: { spec: { replicas: 2 } } }),
      )
      expect(scaled.patch).toEqual([{ op: 'replace', path: '/spec/replicas', value: 1 }])
    }))

  it('changes nothing of a request that it refuses', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('denies')
        .for(games)
        .mutate(({ draft, deny }) => {
          draft.spec = { players: 1 }
          deny('no')
        })
      expect(await webhooks.review('denies', requestOf())).toMatchObject({ allowed: false, patch: [] })
    }))
})
