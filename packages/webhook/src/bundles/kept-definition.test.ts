import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { expect, it } from 'vitest'
import { levelsName } from '../testkit/conversion/definition.ts'
import { type KeptDefinition, keptDefinition } from '../testkit/kept-definition.ts'

const resource = 'customresourcedefinitions.apiextensions.k8s.io'
const match = { resource, verb: 'patch' }
const refusal = { kind: 'status', code: 422, reason: 'Invalid' } as const

/** The managers that own the bundle. */
async function owners({ client }: KeptDefinition): Promise<(string | undefined)[]> {
  const found = await client.get(customResourceDefinitions.full(), levelsName)
  const entries = found?.metadata.managedFields ?? []
  return entries.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('f:caBundle')).map(one => one.manager)
}

/** Plays what happens when the answer to the nth request of the first apply is on its way. */
async function between(parts: KeptDefinition, nth: number, act: () => Promise<unknown>): Promise<void> {
  const { server, simulation, define, start, conversion } = parts
  await server.faults.add({ match, nth, effect: { kind: 'delay', ms: 500 } })
  await define()
  await start()
  await simulation.advance(100)
  // The request is carried out.
  expect((await conversion())?.strategy).toBe('Webhook')
  await act()
  await simulation.advance(5000)
}

it.each([
  [1, 1],
  [2, 0],
  [3, 0],
])(
  'B4: a conversion that is reset after request %i of its apply is applied again, and that is no error',
  (nth, refused) =>
    keptDefinition(async parts => {
      const { simulation, answers, trust, reset, bundle } = parts
      await between(parts, nth, reset)
      // After the first one, the bundle alone is no valid conversion.
      expect(answers.get('422') ?? 0).toBe(refused)
      expect(await bundle()).toHaveLength(2)
      expect(await owners(parts)).toEqual(['arcade/webhook-bundle'])
      expect(simulation.environment.errors).toEqual([])
      expect(() => trust.checkReady()).not.toThrow()
    }),
)

it.each([1, 2, 3])('B4: a definition that is deleted after request %i of an apply is not made again', nth =>
  keptDefinition(async parts => {
    const { client, simulation, define, live, bundle } = parts
    await between(parts, nth, () => client.delete(customResourceDefinitions, levelsName))
    expect(await live()).toBeUndefined()
    expect(simulation.environment.errors).toEqual([])
    await define()
    await simulation.advance(5000)
    expect(await bundle()).toHaveLength(2)
    expect(simulation.environment.errors).toEqual([])
  }),
)

it('B4: a conversion that the server refuses three times in a row is an error, and is applied as soon as it is taken', () =>
  keptDefinition(async parts => {
    const { server, simulation, answers, define, start, reset, bundle } = parts
    const { environment } = simulation
    const fault = await server.faults.add({ match, effect: refusal })
    await define()
    await start()
    await simulation.advance(150)
    expect([answers.get('422'), environment.errors]).toEqual([2, []])
    await simulation.advance(100)
    expect(answers.get('422')).toBe(3)
    expect(environment.errors.map(({ context }) => context)).toEqual([{ phase: 'webhook-bundles' }])
    await fault.remove()
    await simulation.advance(20_000)
    expect(await bundle()).toHaveLength(2)
    // What was refused before does not count.
    const { length } = environment.errors
    await server.faults.add({ match, nth: 1, times: 2, effect: refusal })
    await reset()
    await simulation.advance(20_000)
    expect(await bundle()).toHaveLength(2)
    expect(environment.errors).toHaveLength(length)
  }))
