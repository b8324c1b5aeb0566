import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type FieldsV1, union } from './fields-v1.ts'

const { tree: anyFields } = fc.letrec<{ tree: FieldsV1 }>(tie => ({
  tree: fc.dictionary(
    fc.constantFrom('f:a', 'f:b', 'k:{"name":"c"}'),
    fc.oneof(
      { depthSize: 'small' },
      fc.constant({}),
      tie('tree'),
      tie('tree').map(below => ({ '.': {}, ...below })),
    ),
    { maxKeys: 3 },
  ),
}))

/** The paths that are owned. A leaf and a dot both mean the value at their path. */
function owned(fields: FieldsV1, path = ''): string[] {
  return Object.entries(fields).flatMap(([name, below]) => {
    if (name === '.') return [path]
    return Object.keys(below).length === 0 ? [`${path}/${name}`] : owned(below, `${path}/${name}`)
  })
}

it('owns all that any manager owns, also a map if another manager owns a field in it', () => {
  expect(union([{ 'f:labels': {} }, { 'f:labels': { 'f:a': {} } }])).toEqual({ 'f:labels': { '.': {}, 'f:a': {} } })
  fc.assert(
    fc.property(fc.array(anyFields, { maxLength: 4 }), managers => {
      expect(new Set(owned(union(managers)))).toEqual(new Set(managers.flatMap(fields => owned(fields))))
    }),
  )
})
