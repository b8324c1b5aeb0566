import { expect, it } from 'vitest'
import { copiedFromAnnotation, copySetLabel, copySourceLabel, isMarked, marked, sourceId, sourceIdOf } from './marks.ts'

const mark = { set: 'settings', id: sourceId('shared/s0'), key: 'shared/s0' }
const at = { namespace: 'a', name: 's0' }

it('H6: are the same in every version: a copy is known whichever process made it', () => {
  expect(marked({ metadata: { labels: { app: 'x' }, annotations: { note: 'y' } }, data: {} }, mark, at)).toEqual({
    metadata: {
      namespace: 'a',
      name: 's0',
      labels: {
        app: 'x',
        'copies.wherry.dev/set': 'settings',
        'copies.wherry.dev/source': '4aa20e95b08e0dbab536460da376fb6e',
      },
      annotations: { note: 'y', 'copies.wherry.dev/copied-from': 'settings shared/s0' },
    },
    data: {},
  })
  expect(marked({}, mark, at)).toMatchObject({ metadata: at })
})

it('tell whose copy something is: both labels, or the annotation where labels were taken off', () => {
  const { id, set } = mark
  const labels = (of: Record<string, string>) => isMarked({ metadata: { labels: of } }, mark)
  expect(labels({ [copySetLabel]: set, [copySourceLabel]: id })).toBe(true)
  expect(labels({ [copySetLabel]: 'other', [copySourceLabel]: id })).toBe(false)
  expect(labels({ [copySetLabel]: set, [copySourceLabel]: 'other' })).toBe(false)
  expect(labels({ [copySetLabel]: set })).toBe(false)
  const annotation = (value: string) => isMarked({ metadata: { annotations: { [copiedFromAnnotation]: value } } }, mark)
  expect([annotation('settings shared/s0'), annotation('settings shared/s1'), annotation('other shared/s0')]).toEqual([
    true,
    false,
    false,
  ])
})

it('are looked for on anything, also where there is no metadata, or no label', () => {
  for (const bare of [{}, { metadata: {} }, { metadata: { labels: {}, annotations: {} } }]) {
    expect([isMarked(bare, mark), sourceIdOf(bare)]).toEqual([false, undefined])
  }
  expect(sourceIdOf({ metadata: { labels: { [copySourceLabel]: 'x' } } })).toBe('x')
})
