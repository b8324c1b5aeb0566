import { Client, isAlreadyExists, isApiError, isNotFound, type Transport } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { type ApiServer, integer, pick, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { CopyEvent } from '../copy-event.ts'
import { CopyReconciler } from '../copy-reconciler.ts'
import { InformerCache } from './informer-cache.ts'
import { copiesOf, fill, makeSources, settings, sourceOf, until } from './on-a-server.ts'

const verbs = ['create', 'update', 'delete'] as const

/** Lets requests for ConfigMaps fail. */
export interface Refusals {
  /** What the reconciler's client connects by, where it is not the server that refuses. */
  readonly transport?: Transport | undefined
  /** The next so many requests of a verb are answered with this status, and do nothing; what was added before of that verb is over. */
  add(verb: (typeof verbs)[number], times: number, code: 500 | 409): Promise<void>
  /** Nothing fails any more. */
  end(): Promise<void>
  /** How many requests were answered so. */
  count(code: 500 | 409): Promise<number>
}

/** What holds on any server, whoever refuses. */
export function refusedCopies(server: () => ApiServer, refuse: () => Refusals): void {
  it('H5, H8: 500s and 409s at random: every copy comes to what its source wants, and every failure is told', {
    timeout: 120_000,
  }, async () => {
    const { url, ca, token } = server()
    const refusals = refuse()
    const told: Error[] = []
    const onError = (error: Error, { phase }: { readonly phase?: string | undefined }): void => {
      if (phase === 'copy') told.push(error)
    }
    const client = new Client({ url, ca, token, transport: refusals.transport, environment: { onError } })
    const writer = new Client({ url, ca, token })
    const name = 'refused'
    const events: CopyEvent[] = []
    const reconciler = new CopyReconciler({
      ...settings(name),
      client,
      cache: new InformerCache(client),
      maxRetryMs: 200,
      damping: { minMs: 50, maxMs: 200 },
      onEvent: event => events.push(event),
    })
    try {
      const spaces = await fill(writer, name, 6)
      await makeSources(writer, name, 3)
      await refusals.add('create', 3, 500)
      await refusals.add('update', 2, 409)
      reconciler.start()
      await reconciler.settled()
      expect(reconciler.report().failures).toBeGreaterThanOrEqual(3)
      await writer.patch(configMaps, { namespace: spaces[0] ?? '', name: 's0' }, { data: { n: 'edited' } })
      await until(() => expect(reconciler.report().repairs).toBe(1))
      expect(reconciler.report().conflicts).toBeGreaterThanOrEqual(2)
      const refusedHere = await change(writer, name, spaces, refusals)
      await refusals.end()

      const found = async (): Promise<string[]> =>
        (await copiesOf(writer, name)).map(
          ({ metadata, data }) => `${metadata?.namespace}/${metadata?.name} ${data?.n} ${metadata?.labels?.app}`,
        )
      const sources = (await writer.list(settings(name).source)).items
      const wanted = spaces.flatMap(space =>
        sources.map(({ metadata, data }) => `${space}/${metadata?.name} ${data?.n} arcade`),
      )
      await until(async () => expect((await found()).toSorted()).toEqual(wanted.toSorted()))
      await reconciler.settled()

      const failed = events.filter(({ type }) => type === 'failed').map(event => (event as { error: Error }).error)
      const of500 = failed.filter(error => isApiError(error) && error.status === 500)
      expect(of500.length + refusedHere).toBe(await refusals.count(500))
      expect(told).toEqual(failed)
      const { failing, failures, conflicts, writes } = reconciler.report()
      expect({ failing, failures }).toEqual({ failing: new Map(), failures: failed.length })
      expect(events.filter(({ type }) => type === 'conflict')).toHaveLength(conflicts)
      reconciler.resync()
      await reconciler.settled()
      expect(reconciler.report().writes).toEqual(writes)
    } finally {
      await reconciler.close()
      await client.close()
      await writer.close()
    }
  })
}

/** Changes sources and copies at random, and what is refused. Gives how many of its own requests were, with a 500. */
async function change(writer: Client, name: string, spaces: readonly string[], refusals: Refusals): Promise<number> {
  const random = seededRandom(1)
  let refused = 0
  /** Until it is done; it may be another's to do it, or to undo it. */
  const insist = async (request: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await request()
        return
      } catch (error) {
        if (isAlreadyExists(error) || isNotFound(error)) return
        if (!isApiError(error) || (error.status !== 500 && error.status !== 409)) throw error
        if (error.status === 500) refused += 1
      }
    }
  }
  for (let step = 0; step < 60; step++) {
    const i = integer(random, 0, 2)
    const source = { namespace: name, name: `s${i}` }
    const copy = { namespace: pick(random, spaces), name: `s${i}` }
    const data = { n: `step ${step}` }
    await pick(random, [
      () => refusals.add(pick(random, verbs), integer(random, 1, 4), pick(random, [500, 409])),
      () => refusals.add(pick(random, verbs), integer(random, 1, 4), pick(random, [500, 409])),
      () => insist(() => writer.patch(configMaps, source, { data })),
      () => insist(() => writer.patch(configMaps, copy, { data })),
      () => insist(() => writer.delete(configMaps, copy)),
      () => insist(() => writer.delete(configMaps, source)),
      () => insist(() => writer.create(configMaps, sourceOf(name, i))),
    ])()
  }
  return refused
}
