import { describe, expect, it } from 'vitest'
import { checkStatus, checkWritten } from './object-check.ts'

const named = { name: 'a', namespace: 'b' }

describe('an object to write', () => {
  it.each<[option: string, object: unknown]>([
    ['object', null],
    ['object', 'a'],
    ['object', [{ metadata: named }]],
    ['object.metadata', { metadata: null }],
    ['object.metadata', { metadata: 'a' }],
    ['object.metadata', { metadata: [] }],
    ['object.metadata.labels', { metadata: { ...named, labels: null } }],
    ['object.metadata.labels.a', { metadata: { ...named, labels: { a: 1 } } }],
    ['object.metadata.annotations.a', { metadata: { ...named, annotations: { a: null } } }],
    ['object.metadata.ownerReferences', { metadata: { ...named, ownerReferences: {} } }],
    ['object.metadata.ownerReferences[0]', { metadata: { ...named, ownerReferences: [null] } }],
    ['object.metadata.finalizers[1]', { metadata: { ...named, finalizers: ['a', 1] } }],
    ['object.stringData.a', { metadata: named, stringData: { a: 1 } }],
    ['object.stringData.a', { metadata: named, stringData: { a: null } }],
    ['object.status', { metadata: named, status: null }],
    ['object.status.conditions', { metadata: named, status: { conditions: null } }],
    ['object.status.conditions[0]', { metadata: named, status: { conditions: [null] } }],
    [
      'object.status.conditions[1].status',
      {
        status: {
          conditions: [
            { type: 'A', status: 'True' },
            { type: 'B', status: true },
          ],
        },
      },
    ],
  ])('X6: is refused by the path of the wrong value: %s', (option, object) => {
    expect(() => checkWritten('object', object)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
  })

  it('X6: is taken if it is as its type says; undefined is absent', () => {
    const metadata = {
      ...named,
      labels: { a: '', b: undefined },
      annotations: undefined,
      finalizers: [],
      ownerReferences: [{ uid: 'x' }],
    }
    const status = { conditions: [{ type: 'A', status: 'True', message: undefined }] }
    expect(() =>
      checkWritten('object', { metadata, status, stringData: { a: 'b', c: undefined }, spec: null }),
    ).not.toThrow()
    expect(() => checkWritten('object', {})).not.toThrow()
    expect(() => checkStatus('status', { phase: 'x', conditions: undefined })).not.toThrow()
  })

  it('X3: the error has no value in it', () => {
    const written = (): void => checkWritten('object', { metadata: named, stringData: { a: ['hunter2'] } })
    expect(written).toThrow('object.stringData.a takes a text, got a list')
  })
})
