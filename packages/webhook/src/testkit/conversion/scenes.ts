import { Client, isApiError } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { secrets } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { afterEach, expect, it } from 'vitest'
import { inBundle } from '../../bundles/bundle.ts'
import type { WebhooksOptions } from '../../options.ts'
import { until } from '../on-a-server.ts'
import { type Replica, replica } from '../own.ts'
import { changeDefinition, defineLevels, levelsName, undefineLevels } from './definition.ts'
import { levelConversion, levels, levelsV1alpha1, levelsV1beta1 } from './levels.ts'

const namespace = 'default'
const key = (name: string): { namespace: string; name: string } => ({ namespace, name })

/** What an attempt was refused with; `done` if it was not. */
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'done',
    error => {
      if (!isApiError(error)) throw error
      return error.message
    },
  )

/** Conversions that an API server asks for over https. */
export function conversionsOnAServer(server: () => ApiServer): void {
  let open: { close(): Promise<unknown> }[] = []

  const admin = (): Client => {
    const { url, ca, token } = server()
    const client = new Client({ url, ca, token, fieldManager: 'gitops' })
    open.push(client)
    return client
  }
  const declared = (options: Partial<WebhooksOptions> = {}): Replica => {
    const one = replica(server(), {}, options)
    open.push(one)
    one.webhooks.convert(levelConversion())
    return one
  }
  const started = (options: Partial<WebhooksOptions> = {}): Replica => {
    const one = declared(options)
    one.run()
    return one
  }
  const conversion = async (client: Client) =>
    (await client.get(customResourceDefinitions, levelsName))?.spec.conversion
  const bundle = async (client: Client): Promise<string[]> => [
    ...inBundle((await conversion(client))?.webhook?.clientConfig?.caBundle).keys(),
  ]
  /** Resolves when the server converts. */
  const converts = (client: Client): Promise<void> =>
    until(async () => {
      await client.create(levelsV1beta1, { metadata: key('probe'), spec: { size: '7' } }, { dryRun: true })
      const { spec } = await client.create(
        levelsV1alpha1,
        { metadata: key('probe'), spec: { size: 7 } },
        { dryRun: true },
      )
      expect(spec).toEqual({ size: 7 })
      const stored = await client.create(levelsV1beta1, { metadata: key('lasting'), spec: { size: '7' } })
      const read = await client.get(levels, key('lasting'))
      await client.delete(levels, key('lasting'))
      expect([stored.spec, read?.spec]).toEqual([{ size: '7' }, { board: { size: 7 } }])
    })

  afterEach(async () => {
    for (const one of open.reverse()) await one.close()
    open = []
    const client = admin()
    await undefineLevels(client)
    await client.delete(secrets, key('arcade-webhook-authorities'))
    await client.close()
    open = []
  })

  const scene = (title: string, body: () => Promise<void>): void => it(title, body, 120_000)

  scene('B4: objects of any version are read, listed, watched, applied and changed at any version', async () => {
    const client = admin()
    await defineLevels(client, 'v1')
    const one = started()
    await converts(client)
    const labels = { tier: 'paid' }
    await client.create(levelsV1alpha1, { metadata: { ...key('a'), labels }, spec: { size: 1, word: 'w' } })
    await client.create(levelsV1beta1, { metadata: key('b'), spec: { size: '2' } })
    await client.create(levels, { metadata: key('c'), spec: { board: { size: 3 } } })
    await client.apply(levelsV1beta1, { metadata: key('d'), spec: { size: '4' } } as never, {
      fieldManager: 'somebody',
    })
    const specs = async (view: typeof levels | typeof levelsV1alpha1 | typeof levelsV1beta1): Promise<unknown> =>
      (await client.list(view as typeof levels)).items
        .toSorted((x, y) => (x.metadata.name < y.metadata.name ? -1 : 1))
        .map(({ spec }) => spec)
    expect(await specs(levelsV1alpha1)).toEqual([{ size: 1, word: 'w' }, { size: 2 }, { size: 3 }, { size: 4 }])
    expect(await specs(levelsV1beta1)).toEqual([{ size: '1', word: 'w' }, { size: '2' }, { size: '3' }, { size: '4' }])
    const board = (size: number): object => ({ board: { size } })
    expect(await specs(levels)).toEqual([{ ...board(1), word: 'w' }, board(2), board(3), board(4)])
    const [first, other] = [await client.get(levels, key('a')), await client.get(levelsV1beta1, key('a'))]
    expect(other?.metadata).toEqual(first?.metadata)
    await client.apply(levelsV1alpha1, { metadata: key('d'), spec: { size: 5 } } as never, { fieldManager: 'somebody' })
    expect((await client.get(levels, key('d')))?.spec).toEqual(board(5))
    await client.patch(levelsV1beta1, key('a'), { spec: { word: 'x' } })
    expect((await client.get(levels, key('a')))?.spec).toEqual({ ...board(1), word: 'x' })
    expect(one.errors).toEqual([])
  })

  scene('B4: an object that can not be converted is named, and all others are answered one by one', async () => {
    const client = admin()
    await defineLevels(client, 'v1')
    const one = started()
    await converts(client)
    for (const name of ['fine', 'good'])
      await client.create(levels, { metadata: key(name), spec: { board: { size: 1 } } })
    for (const name of ['bad-1', 'bad-2']) await client.create(levels, { metadata: key(name), spec: { word: 'bad' } })
    const why = (name: string): string =>
      `the Level can't be converted to arcade.example.com/v1beta1: default/${name}: spec.word: bad has no counterpart`
    // The version that they are stored at needs no conversion.
    expect((await client.list(levels)).items).toHaveLength(4)
    const listed = await refusal(client.list(levelsV1beta1))
    expect(listed).toContain(`conversion webhook for arcade.example.com/v1, Kind=Level failed: ${why('bad-1')}`)
    expect((await client.get(levelsV1beta1, key('fine')))?.spec).toEqual({ size: '1' })
    expect(await refusal(client.get(levelsV1beta1, key('bad-1')))).toContain(why('bad-1'))
    // It can be mended at the version that it is stored at, and then the list is whole.
    for (const name of ['bad-1', 'bad-2']) await client.patch(levels, key(name), { spec: { word: 'better' } })
    await until(async () => expect((await client.list(levelsV1beta1)).items).toHaveLength(4))
    expect(new Set(one.errors.map(({ message }) => message))).toEqual(
      new Set(['default/bad-1: spec.word: bad has no counterpart', 'default/bad-2: spec.word: bad has no counterpart']),
    )
    // What can't be stored is refused to its writer, and nothing is stored.
    const written = client.create(levelsV1beta1, { metadata: key('new'), spec: { word: 'throws' } })
    expect(await refusal(written)).toContain('threw TypeError; the log of the operator says why')
    expect(await refusal(client.create(levelsV1beta1, { metadata: key('new'), spec: { word: 'bad' } }))).toContain(
      'bad has',
    )
    expect(await client.get(levels, key('new'))).toBeUndefined()
  })

  scene('B4: a definition is waited for, gets its conversion, and gets it back', async () => {
    const client = admin()
    const one = started()
    await until(() => expect(one.operator.state).toBe('running'))
    await defineLevels(client, 'v1')
    await converts(client)
    const live = await client.get(customResourceDefinitions.full(), levelsName)
    const owned = (live?.metadata.managedFields ?? []).map(({ manager, operation, fieldsV1 }) => [
      ...[manager, operation, JSON.stringify(fieldsV1).includes('f:caBundle')],
      JSON.stringify(fieldsV1).includes('f:strategy'),
    ])
    await until(() => expect(owned).toContainEqual(['arcade/webhook-bundle', 'Apply', true, false]))
    expect(owned).toContainEqual(['arcade/webhooks', 'Apply', false, true])
    const pair = await bundle(client)
    expect(pair).toHaveLength(2)
    // A manifest without a conversion that takes the place of the definition.
    await changeDefinition(client, ({ spec }) => {
      spec.conversion = { strategy: 'None' }
    })
    await until(async () => expect(await bundle(client)).toEqual(pair))
    await converts(client)
    // A bundle that is emptied.
    await changeDefinition(client, ({ spec }) => {
      if (spec.conversion?.webhook?.clientConfig) delete spec.conversion.webhook.clientConfig.caBundle
    })
    await until(async () => expect(await bundle(client)).toEqual(pair))
    // A definition that is deleted and made again.
    await undefineLevels(client)
    await defineLevels(client, 'v1')
    await converts(client)
    expect(await bundle(client)).toEqual(pair)
    expect(one.errors).toEqual([])
    expect(one.warnings.filter(said => said.includes('was reset')).length).toBeGreaterThanOrEqual(2)
  })

  scene('B4: a manifest that resets the conversion again and again is named', async () => {
    const client = admin()
    await defineLevels(client, 'v1')
    const one = started()
    await converts(client)
    for (let round = 0; round < 6; round += 1) {
      await changeDefinition(client, ({ spec }) => {
        spec.conversion = { strategy: 'None' }
      })
      await until(async () => expect(await bundle(client)).toHaveLength(2))
    }
    await until(() => expect(one.errors).toHaveLength(1))
    expect(one.errors[0]?.message).toContain(
      'the manager gitops resets caBundle of CustomResourceDefinition levels.arcade.example.com again and again',
    )
  })

  scene("B4: with configurations: 'manifest' only the bundle is written", async () => {
    const client = admin()
    await defineLevels(client, 'v1')
    const one = started({ configurations: 'manifest' })
    await until(() => expect(one.operator.state).toBe('running'))
    expect(await conversion(client)).toEqual({ strategy: 'None' })
    const [stanza] = one.webhooks.conversions()
    await changeDefinition(client, ({ spec }) => {
      spec.conversion = stanza?.conversion
    })
    await until(async () => expect(await bundle(client)).toHaveLength(2))
    await converts(client)
    expect((await conversion(client))?.webhook?.clientConfig).toEqual({
      ...stanza?.conversion.webhook?.clientConfig,
      caBundle: expect.any(String),
    })
    expect(one.errors).toEqual([])
  })

  scene('B4: an operator starts from nothing if its objects are stored at another version', async () => {
    const client = admin()
    await defineLevels(client, 'v1beta1')
    for (let at = 0; at < 20; at += 1)
      await client.create(levelsV1beta1, { metadata: key(`old-${at}`), spec: { size: `${at}` } })
    await changeDefinition(client, ({ spec }) => {
      for (const version of spec.versions) version.storage = version.name === 'v1'
      const clientConfig = { url: 'https://127.0.0.1:1/convert/levels.arcade.example.com' }
      spec.conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } }
    })
    // Nobody converts yet.
    await until(async () => expect(await refusal(client.get(levels, key('old-7')))).toContain('conversion webhook'))
    const one = declared()
    const seen = new Map<string, unknown>()
    one.operator
      .controller('level')
      .for(levels)
      .reconcile(async ({ object }) => void seen.set(object.metadata.name, object.spec))
    one.run()
    await until(() => expect(seen.size).toBe(20))
    expect(seen.get('old-7')).toEqual({ board: { size: 7 } })
    expect(one.operator.state).toBe('running')
    const at = (text: string): number => one.log.findIndex(line => line.includes(text))
    expect(at('webhooks are served')).toBeGreaterThanOrEqual(0)
    expect(at('webhooks are served')).toBeLessThan(at('has synced'))
    // The first list, if it was refused, was tried again: the process did not end.
    for (const { message } of one.errors) expect(message).toContain('conversion webhook')
  })

  scene('B4: nothing is listed before a conversion that is new is taken up', async () => {
    const client = admin()
    await defineLevels(client, 'v1alpha1')
    for (let at = 0; at < 20; at += 1)
      await client.create(levelsV1alpha1, { metadata: key(`old-${at}`), spec: { size: at } })
    await changeDefinition(client, ({ spec }) => {
      for (const version of spec.versions) version.storage = version.name === 'v1'
    })
    const one = declared()
    const seen = strict(one)
    one.run()
    await until(() => expect(seen.converted.size).toBe(20))
    expect(seen.converted.get('old-7')).toBe(7)
    expect([seen.unconverted, one.errors]).toEqual([[], []])
  })

  scene('B4: what was read before anybody converts is read again', async () => {
    const client = admin()
    await defineLevels(client, 'v1alpha1')
    await client.create(levelsV1alpha1, { metadata: key('old'), spec: { size: 7 } })
    const one = declared()
    const { cache, narrow } = one.operator
    const read = async (): Promise<unknown[]> =>
      [await cache.get(levels, key('old')), await narrow.get(levels, key('old'))].map(found => found?.spec)
    cache.informer(levels)
    // Long before the program has its webhooks.
    expect(await read()).toEqual([{}, {}])
    one.run()
    await until(async () => expect(await read()).toEqual([{ board: { size: 7 } }, { board: { size: 7 } }]))
    expect(one.errors).toEqual([])
  })

  scene('B4: objects that came unconverted while the conversion was lost are listed again', async () => {
    const client = admin()
    await defineLevels(client, 'v1')
    const one = declared({ configurations: 'manifest' })
    const seen = strict(one)
    one.run()
    const restore = (): Promise<void> =>
      changeDefinition(client, ({ spec }) => {
        spec.conversion = one.webhooks.conversions()[0]?.conversion
      })
    await restore()
    await until(() => expect(one.operator.state).toBe('running'))
    await converts(client)
    await client.create(levelsV1alpha1, { metadata: key('first'), spec: { size: 1 } })
    await until(() => expect(seen.converted.get('first')).toBe(1))
    const read = one.operator.narrow
    expect((await read.get(levels, key('first')))?.spec).toEqual({ board: { size: 1 } })
    // An object stored as v1alpha1 comes as it is while nothing converts, and has no board then.
    await changeDefinition(client, ({ spec }) => {
      for (const version of spec.versions) version.storage = version.name === 'v1alpha1'
      spec.conversion = { strategy: 'None' }
    })
    await until(async () => {
      await client.delete(levels, key('second'))
      await client.create(levelsV1alpha1, { metadata: key('second'), spec: { size: 2 } })
      expect((await client.get(levels, key('second')))?.spec).toEqual({})
    })
    // It may come so by a watch that is open, and never by a list. An earlier one of that name may have been converted.
    seen.converted.delete('second')
    await restore()
    const cached = async () => (await one.operator.cache.get(levels, key('second')))?.spec
    await until(async () => expect(await cached()).toEqual({ board: { size: 2 } }))
    await until(async () => expect((await read.get(levels, key('second')))?.spec).toEqual({ board: { size: 2 } }))
  })
}

/** Reconciles levels, and throws for one that was not converted. */
function strict({ operator }: Replica): { converted: Map<string, number>; unconverted: string[] } {
  const converted = new Map<string, number>()
  const unconverted: string[] = []
  operator
    .controller('level')
    .for(levels)
    .reconcile(async ({ object }) => {
      const { name } = object.metadata
      const size = object.spec?.board?.size
      if (size === undefined) unconverted.push(name)
      else converted.set(name, size)
    })
  return { converted, unconverted }
}
