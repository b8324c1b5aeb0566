import type { ConfigMap } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { sourceId } from './marks.ts'
import type { CopyReconcilerOptions } from './options.ts'
import { Sources } from './sources.ts'
import { settings } from './testkit/cluster.ts'
import { copyItem, namespaceItem, sourceItem, splitKey, workItem } from './work-item.ts'

const made = (options: object = {}): Sources<ConfigMap, ConfigMap> =>
  new Sources({ ...settings, ...options } as unknown as CopyReconcilerOptions<ConfigMap, ConfigMap>)
const named = (copyName: string): ConfigMap => ({ metadata: { name: 's', annotations: { copyName } } })
const byAnnotation = { copyName: ({ metadata }: ConfigMap) => metadata?.annotations?.copyName }
const id = sourceId('shared/s')

it('gives the id of what is heard, and knows nothing of a source that goes unknown', () => {
  const sources = made()
  expect(sources.heard('shared/s', undefined, false)).toBeUndefined()
  expect(sources.size).toBe(0)
  expect(sources.heard('shared/s', named('x'), false)).toBe(id)
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(sources.get(id)?.mark).toEqual({ set: 'settings', id, key: 'shared/s' })
  expect(sources.all()).toEqual([sources.get(id)])
})

it('H6: is cold only where all that was heard of it is what was there at first', () => {
  const sources = made()
  sources.heard('shared/s', named('x'), true)
  expect(sources.get(id)?.isCold).toBe(true)
  sources.heard('shared/s', named('x'), false)
  sources.heard('shared/s', named('x'), true)
  expect(sources.get(id)?.isCold).toBe(false)
  sources.heard('shared/t', named('x'), false)
  expect(sources.get(sourceId('shared/t'))?.isCold).toBe(false)
})

it('H7: spreads the names that copies have now and had when work was last spread, and forgets what is gone then', () => {
  const sources = made(byAnnotation)
  sources.heard('shared/s', named('old'), false)
  expect(sources.spread(id, ['a', 'b'])).toEqual([copyItem(id, 'a', 'old'), copyItem(id, 'b', 'old')])
  sources.heard('shared/s', named('passing'), false)
  sources.heard('shared/s', named('new'), false)
  const source = sources.get(id)
  expect(source && sources.copiesIn('a', source)).toEqual([copyItem(id, 'a', 'new'), copyItem(id, 'a', 'old')])
  expect(sources.spread(id, ['a'])).toEqual([copyItem(id, 'a', 'new'), copyItem(id, 'a', 'old')])
  expect(sources.spread(id, ['a'])).toEqual([copyItem(id, 'a', 'new')])
  sources.heard('shared/s', undefined, false)
  expect(sources.get(id)?.current).toBeUndefined()
  expect(sources.spread(id, ['a'])).toEqual([copyItem(id, 'a', 'new')])
  expect([sources.size, sources.spread(id, ['a'])]).toEqual([0, []])
})

it('H8: is spread anew after a name that could not be made', () => {
  const sources = made(byAnnotation)
  sources.heard('shared/s', named('old'), false)
  sources.spread(id, ['a'])
  for (const bad of ['', 'a/b', undefined]) {
    sources.heard('shared/s', named(bad as string), false)
    expect(() => sources.spread(id, ['a'])).toThrow(
      expect.objectContaining({ code: 'INVALID_COPY', source: 'shared/s', name: 'InvalidCopyError' }),
    )
  }
  sources.heard('shared/s', named('new'), false)
  expect(sources.spread(id, ['a'])).toEqual([copyItem(id, 'a', 'new'), copyItem(id, 'a', 'old')])
})

it('remembers as many desired states as copies may have', () => {
  const knows = (options: object, states: number): number => {
    const sources = made(options)
    sources.heard('shared/s', named('x'), true)
    const fixpoints = sources.get(id)?.fixpoints
    for (let i = 0; i < states; i++) fixpoints?.learn('spec', `${i}`, `${i}`, 'a/x')
    return Array.from({ length: states }, (_, i) => fixpoints?.knows('spec', `${i}`)).filter(Boolean).length
  }
  expect(knows({}, 40)).toBe(32)
  expect(knows({ adapt: (copy: ConfigMap) => copy }, 40)).toBe(40)
  expect(knows(byAnnotation, 40)).toBe(40)
})

it('H7: items of work are texts, and back', () => {
  expect(workItem(copyItem(id, 'a', 'x.y'))).toEqual({ what: 'copy', id, namespace: 'a', name: 'x.y' })
  expect(workItem(sourceItem(id))).toEqual({ what: 'source', id })
  expect(workItem(namespaceItem('a'))).toEqual({ what: 'namespace', namespace: 'a' })
  expect(splitKey('a/x')).toEqual(['a', 'x'])
})
