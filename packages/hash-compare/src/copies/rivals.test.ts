import type { ManagedFieldsEntry } from '@wherry/client'
import { expect, it } from 'vitest'
import { rivals } from './rivals.ts'

const entry = (manager: string | undefined, fieldsV1: unknown, time?: string): ManagedFieldsEntry =>
  ({ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, time }) as ManagedFieldsEntry
const object = (...managedFields: ManagedFieldsEntry[]) => ({ metadata: { managedFields } })
const at = (second: number): string => `2026-01-01T00:00:0${second}Z`

it('H6: names who else owns the field, one above it or one below it, the newest first', () => {
  const held = object(
    entry('ours', { 'f:data': { 'f:n': {} } }, at(9)),
    entry('exactly', { 'f:data': { 'f:n': {}, 'f:m': {} } }, at(1)),
    entry('above', { 'f:data': {} }, at(3)),
    entry('other', { 'f:data': { 'f:m': {} } }, at(8)),
    entry('elsewhere', { 'f:metadata': { 'f:labels': {} } }, at(7)),
    entry('exactly', { 'f:data': { '.': {}, 'f:n': {} } }, at(2)),
  )
  expect(rivals(held, 'ours', ['/data/n'])).toEqual(['above', 'exactly'])
  expect(rivals(held, 'ours', ['/data'])).toEqual(['other', 'above', 'exactly'])
  expect(rivals(held, 'ours', ['/nothing', '/metadata/labels/app'])).toEqual(['elsewhere'])
})

it('H6: where nobody is noted for those fields, names all others, and never itself or who has no name', () => {
  const held = object(
    entry('ours', { 'f:data': {} }),
    entry('a', { 'f:data': { 'f:m': {} } }),
    entry(undefined, { 'f:data': {} }, at(5)),
    entry('b', { 'f:spec': {} }, at(1)),
  )
  expect(rivals(held, 'ours', ['/data/n'])).toEqual(['b', 'a'])
  expect(rivals(held, 'ours', [])).toEqual(['b', 'a'])
  expect(rivals({}, 'ours', ['/data'])).toEqual([])
  expect(rivals({ metadata: {} }, 'ours', ['/data'])).toEqual([])
})

it('H6: reads keys as JSON pointers write them, and takes items of lists for their list', () => {
  const held = object(
    entry('labels', { 'f:metadata': { 'f:labels': { 'f:a/b~c': {} } } }),
    entry('list', { 'f:spec': { 'f:ports': { 'k:{"port":80}': { 'f:name': {} } } } }),
    entry('none', undefined),
    entry('null', null),
  )
  expect(rivals(held, 'ours', ['/metadata/labels/a~1b~0c'])).toEqual(['labels'])
  expect(rivals(held, 'ours', ['/spec/ports/0/name'])).toEqual(['list'])
  expect(rivals(held, 'ours', ['/metadata/labels/a'])).toEqual(['labels', 'list', 'none', 'null'])
})
