import { isApiError, isNotFound, type KubernetesObject } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { games } from './games.ts'
import { type Served, served, until } from './on-a-server.ts'

const namespace = 'default'
const at = (name: string): { name: string; namespace: string } => ({ name, namespace })

/** What an attempt came to: `done`, or the message of the refusal. */
async function outcome(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'done',
    error => {
      if (!isApiError(error)) throw error
      return error.message
    },
  )
}

/** Resolves when the server calls a webhook that refuses the name `probe`. */
const called = ({ client }: Served): Promise<void> =>
  until(async () => {
    const made = client.create(games, { metadata: at('probe') }, { dryRun: true })
    if ((await outcome(made)) === 'done') throw new Error('the webhook is not called yet')
  })

/** Webhooks that an API server calls over https. */
export function webhooksOnAServer(server: () => ApiServer): void {
  const scene = (title: string, body: (parts: Served) => Promise<void>): void =>
    it(
      title,
      () =>
        served(server(), async parts => {
          try {
            await body(parts)
          } finally {
            const left = await parts.client.list(games).catch(error => {
              if (isNotFound(error)) return { items: [] }
              throw error
            })
            await parts.stop()
            for (const { metadata } of left.items) await gone(parts, metadata)
          }
        }),
      120_000,
    )

  const gone = async ({ client }: Served, { name }: { name: string }): Promise<void> => {
    await until(async () => {
      await client.delete(games, at(name))
    })
  }

  scene(
    'B1, B2: a validating webhook refuses with all denials, warns, and passes what changes nothing',
    async parts => {
      const { webhooks, client, start, errors } = parts
      const seen: string[] = []
      webhooks
        .webhook('limits')
        .for(games, { operations: ['CREATE', 'UPDATE', 'DELETE'] })
        .failurePolicy('Ignore')
        .validate(({ operation, object, old, name, deny, isDryRun }) => {
          if (name === 'probe') return deny('it is a probe')
          seen.push(`${operation} ${isDryRun} ${old?.spec?.players} ${object?.spec?.players}`)
          if (operation === 'DELETE') return
          if ((object.spec?.players ?? 0) > 4) {
            deny('at most 4', { field: 'spec.players', code: 422 })
            deny('too many')
          }
        })
      await start()
      await called(parts)
      const create = (players: number, dryRun?: true): Promise<string> =>
        outcome(client.create(games, { metadata: at('chess'), spec: { players } }, { dryRun }))
      expect(await create(5)).toContain(
        'admission webhook "limits.arcade.webhooks.wherry.dev" denied the request: spec.players: at most 4; too many',
      )
      expect(await create(2, true)).toBe('done')
      expect(await create(2)).toBe('done')
      const patch = (change: object): Promise<string> => outcome(client.patch(games, at('chess'), change))
      expect(await patch({ metadata: { annotations: { a: '1' } } })).toBe('done')
      expect(await patch({ metadata: { labels: { a: '1' } } })).toBe('done')
      expect(await patch({ spec: { players: 3 } })).toBe('done')
      expect(await patch({ spec: { players: 9 } })).toContain('too many')
      await client.delete(games, at('chess'))
      // A server that read an older state from its cache asks about an update once more.
      expect([...new Set(seen)]).toEqual([
        ...['CREATE false undefined 5', 'CREATE true undefined 2', 'CREATE false undefined 2', 'UPDATE false 2 2'],
        ...['UPDATE false 2 3', 'UPDATE false 3 9', 'DELETE false 3 undefined'],
      ])
      expect(errors).toEqual([])
    },
  )

  scene('B2: a webhook of a kind without spec is asked for updates of its data', async parts => {
    const { webhooks, client, start } = parts
    webhooks
      .webhook('limits')
      .for(games)
      .failurePolicy('Ignore')
      .validate(({ name, deny }) => {
        if (name === 'probe') deny('it is a probe')
      })
    webhooks
      .webhook('settings')
      .for(configMaps.within({ labels: { reviewed: 'x' } }))
      .validate(({ old, object, deny }) => {
        if (old?.data?.a !== undefined && object.data?.a !== old.data.a) deny('a stays')
      })
    await start()
    await called(parts)
    const made: ConfigMap & KubernetesObject = {
      metadata: { ...at('settings'), labels: { reviewed: 'x' } },
      data: { a: '1' },
    }
    await client.create(configMaps, made)
    expect(await outcome(client.patch(configMaps, at('settings'), { data: { a: '2' } }))).toContain('a stays')
    expect(await outcome(client.patch(configMaps, at('settings'), { data: null }))).toContain('a stays')
    expect(await outcome(client.patch(configMaps, at('settings'), { data: { b: '2' } }))).toBe('done')
    await client.delete(configMaps, at('settings'))
  })

  scene('B2: a mutating webhook changes the stored object, and a second call finds nothing to change', async parts => {
    const { webhooks, client, start } = parts
    const patches: string[] = []
    webhooks
      .webhook('first')
      .for(games)
      .reinvocation('IfNeeded')
      .mutate(({ draft, object, name, deny }) => {
        if (name === 'probe') return deny('it is a probe')
        patches.push(`first ${object.spec?.tags?.join()}`)
        draft.metadata.labels = { ...draft.metadata.labels, owner: 'jane' }
      })
    webhooks
      .webhook('second')
      .for(games)
      .mutate(({ draft }) => {
        draft.spec = { ...draft.spec, tags: ['new'] }
      })
    await start()
    await called(parts)
    await client.create(games, { metadata: at('chess'), spec: { players: 2 } })
    const stored = await client.get(games, at('chess'))
    expect([stored?.metadata.labels, stored?.spec]).toEqual([{ owner: 'jane' }, { players: 2, tags: ['new'] }])
    expect(patches).toEqual(['first undefined', 'first new'])
  })

  scene(
    'B1, B2: what a handler does wrong is answered by its failure policy, and a patch of 5 MB is none of it',
    async parts => {
      const { webhooks, client, start, errors } = parts
      const hook = (
        name: string,
        policy: 'Fail' | 'Ignore',
        change: (spec: Record<string, unknown>) => unknown,
      ): unknown =>
        webhooks
          .webhook(name)
          .for(games.within({ labels: { hook: name } }))
          .failurePolicy(policy)
          .timeoutSeconds(1)
          .mutate(({ draft }) => change(draft as never) as undefined)
      webhooks
        .webhook('probe')
        .for(games)
        .validate(({ name, deny }) => {
          if (name === 'probe') deny('it is a probe')
        })
      const thrown = (): never => {
        throw new Error('the password is hunter2')
      }
      hook('throws', 'Fail', thrown)
      hook('open', 'Ignore', thrown)
      hook('hangs', 'Fail', () => new Promise(() => {}))
      hook('renames', 'Fail', draft => void Object.assign(draft.metadata as object, { name: 'other' }))
      hook('status', 'Fail', draft => void Object.assign(draft, { status: {} }))
      hook('large', 'Fail', draft => void Object.assign(draft, { spec: { title: 'x'.repeat(5_000_000) } }))
      await start()
      await called(parts)
      const create = (name: string): Promise<string> =>
        outcome(client.create(games, { metadata: { ...at(name), labels: { hook: name } } }))
      expect(await create('throws')).toContain('the webhook throws failed: its handler threw Error; the log')
      expect(await create('open')).toBe('done')
      expect(await create('hangs')).toContain('the handler did not end within 800 ms')
      expect(await create('renames')).toContain('the handler changed /metadata/name')
      expect(await create('status')).toContain('the handler changed /status')
      // The server refuses to store it: the webhook's answer has arrived.
      expect(await create('large')).toMatch(/large|limit|exceed/i)
      expect(errors.map(one => (one as { code?: unknown }).code)).toEqual([
        ...[undefined, undefined, 'HANDLER_DEADLINE', 'FORBIDDEN_CHANGE', 'FORBIDDEN_CHANGE'],
      ])
    },
  )

  scene('B2: webhooks of status and scale see those, and change only those', async parts => {
    const { webhooks, client, start } = parts
    webhooks
      .webhook('status')
      .forStatus(games)
      .mutate(({ draft, subResource }) => {
        draft.status = { ...draft.status, phase: `by ${subResource}` }
      })
    webhooks
      .webhook('scale')
      .forScale(games)
      .validate(({ object, old, deny }) => {
        if ((object.spec?.replicas ?? 0) > 4) deny(`${old.spec?.replicas} to ${object.spec?.replicas}`)
      })
    webhooks
      .webhook('probe')
      .for(games)
      .validate(({ name, deny }) => {
        if (name === 'probe') deny('it is a probe')
      })
    await start()
    await called(parts)
    await client.create(games, { metadata: at('chess'), spec: { players: 2 } })
    const written = await client.subresource(games, at('chess'), 'status').patch({ status: { phase: 'x' } })
    expect(written).toMatchObject({ status: { phase: 'by status' } })
    const scale = (replicas: number): Promise<string> =>
      outcome(client.subresource(games, at('chess'), 'scale').patch({ spec: { replicas } }))
    expect(await scale(9)).toContain('2 to 9')
    expect(await scale(3)).toBe('done')
  })

  scene('B1: while no replica serves, Fail refuses and Ignore passes', async parts => {
    const { webhooks, client, start, stop } = parts
    const closed = games.within({ labels: { policy: 'fail' } })
    webhooks
      .webhook('fail')
      .for(closed)
      .validate(({ name, deny }) => {
        if (name === 'probe') deny('it is a probe')
      })
    webhooks
      .webhook('ignore')
      .for(games.within({ labels: { policy: 'ignore' } }))
      .failurePolicy('Ignore')
      .validate(({ deny }) => deny('no'))
    await start()
    const create = (name: string, policy: string): Promise<string> =>
      outcome(client.create(games, { metadata: { ...at(name), labels: { policy } } }, { dryRun: true }))
    await until(async () => expect(await create('probe', 'fail')).toContain('it is a probe'))
    await until(async () => expect(await create('chess', 'ignore')).toContain('denied the request: no'))
    await stop()
    expect(await create('chess', 'fail')).toContain('failed calling webhook')
    expect(await create('chess', 'ignore')).toBe('done')
  })
}
