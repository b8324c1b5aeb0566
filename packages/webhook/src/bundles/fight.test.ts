import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Fight } from './fight.ts'

const configuration = 'ValidatingWebhookConfiguration arcade'
const owns = { 'f:webhooks': { 'k:{"name":"a"}': { 'f:clientConfig': { 'f:caBundle': {} } } } }
const field = (manager: string | undefined, time: string, fieldsV1: object | undefined): object => ({
  ...{ manager, time, fieldsV1, operation: 'Update' },
})

it.each<[title: string, managedFields: object[] | undefined, managers: string]>([
  [
    'each manager that owns a bundle, once',
    [field('b', '1', owns), field('a', '2', owns), field('b', '3', owns)],
    'a, b',
  ],
  ['none of the operator', [field('arcade/webhooks', '1', owns), field('gitops', '2', owns)], 'gitops'],
  ['no other manager, if one owns a bundle', [field('b', '1', owns), field('a', '2', {})], 'b'],
  [
    'the manager that wrote last, if none owns one',
    [field('c', '2', {}), field('b', '3', undefined), field('a', '1', {}), field('arcade/webhooks', '4', {})],
    'b',
  ],
  ['all that wrote in the last second, if none owns one', [field('c', '2', {}), field('b', '2', {})], 'b, c'],
  ['nobody that writes the status', [field('c', '2', {}), { ...field('b', '2', {}), subresource: 'status' }], 'c'],
  ['nobody without a name', [field(undefined, '2', owns)], ''],
  ['nobody, if nothing is known', [], ''],
  ['nobody, without managed fields', undefined, ''],
])('B3: a fight over bundles names %s', (_, managedFields, managers) => {
  const { environment } = simulate(1)
  const fight = new Fight(environment, configuration, new Set(['arcade/webhooks', 'arcade/webhook-bundle']))
  const live = { metadata: { name: 'arcade', managedFields } } as never
  const waits = Array.from({ length: 6 }, () => fight.noteReset(live))
  expect(waits[0]).toBe(0)
  expect(waits.slice(1).every((wait, at) => wait >= 50 * 2 ** at && wait <= 100 * 2 ** at)).toBe(true)
  const message = 'a bundle of the webhooks was reset, and is mended'
  expect(environment.warnings).toEqual(waits.map(() => ({ message, context: { configuration, managers } })))
  const by = managers === '' ? 'somebody' : `the manager ${managers}`
  expect(environment.errors.map(({ error }) => error.message)).toEqual([
    `${by} resets caBundle of ${configuration} again and again, so the API server refuses the webhooks until it is mended: remove caBundle from the manifest`,
  ])
})

it('B3: an object without metadata is a fight with nobody', () => {
  const { environment } = simulate(1)
  expect(new Fight(environment, configuration, new Set()).noteReset({})).toBe(0)
  expect(environment.warnings.map(({ context }) => context)).toEqual([{ configuration, managers: '' }])
})
