import type { JsonObject } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import { conversionReview, readConverted } from './conversion-review.ts'

const original: KubeObject = {
  apiVersion: 'g.io/v1',
  kind: 'Game',
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', labels: { old: '1' }, finalizers: ['x.y/z'] },
  spec: { size: 1 },
}
const converted = { ...original, apiVersion: 'g.io/v2', spec: { extent: 1 } }

function read(response: JsonObject | undefined, review: JsonObject = {}, version = 'v1'): unknown {
  const whole: JsonObject = { apiVersion: `apiextensions.k8s.io/${version}`, kind: 'ConversionReview', ...review }
  if (response !== undefined) whole.response = response
  return readConverted({ review: whole }, 'id', [original], 'g.io/v2', version)
}

const success = (...convertedObjects: object[]): JsonObject =>
  ({ uid: 'id', result: { status: 'Success' }, convertedObjects }) as unknown as JsonObject
const about = 'conversion webhook for g.io/v1, Kind=Game'

describe('a ConversionReview', () => {
  it('asks for objects at a version', () => {
    expect(conversionReview('id', [original], 'g.io/v2', 'v1')).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'id', desiredAPIVersion: 'g.io/v2', objects: [original] },
    })
  })

  it('brings the converted object, but only labels and annotations of its metadata may change', () => {
    const metadata = {
      ...original.metadata,
      labels: { fresh: '2' },
      annotations: { by: 'hook' },
      resourceVersion: '9',
      finalizers: [],
    }
    expect(read(success({ ...converted, metadata }))).toEqual([
      {
        ...converted,
        metadata: { ...original.metadata, labels: { fresh: '2' }, annotations: { by: 'hook' } },
      },
    ])
    const { labels: _, ...bare } = original.metadata
    expect(read(success({ ...converted, metadata: bare }))).toEqual([{ ...converted, metadata: bare }])
    expect(read(success({ ...converted, metadata: { ...bare, labels: {} } }))).toEqual([
      { ...converted, metadata: bare },
    ])
  })

  it.for([
    [undefined, `${about} failed: no response provided`],
    [{ uid: 'x' }, `${about} failed: expected response.uid="id", got "x"`],
    [{ uid: 'id' }, `${about} failed: response.result.status was '', not 'Success'`],
    [
      { uid: 'id', result: { status: 'Failure' } },
      `${about} failed: response.result.status was 'Failure', not 'Success'`,
    ],
    [{ uid: 'id', result: { status: 'Failure', message: 'no' } }, `${about} failed: no`],
    [success(), `${about} returned 0 objects, expected 1`],
    [success(converted, converted), `${about} returned 2 objects, expected 1`],
    [
      success({ ...converted, apiVersion: 'g.io/v1' }),
      `${about} returned invalid object at index 0: invalid groupVersion (expected g.io/v2, received g.io/v1)`,
    ],
    [
      success({ ...converted, kind: 'Toy' }),
      `${about} returned invalid object at index 0: invalid kind (expected Game, received Toy)`,
    ],
    [
      success({ ...converted, metadata: { ...original.metadata, name: 'b' } }),
      `${about} returned invalid object: must have the same name: a != b`,
    ],
    [
      success({ ...converted, metadata: { ...original.metadata, namespace: 'm' } }),
      `${about} returned invalid object: must have the same namespace: n != m`,
    ],
    [
      success({ ...converted, metadata: { ...original.metadata, uid: 'v' } }),
      `${about} returned invalid object: must have the same UID: u != v`,
    ],
    [success(7 as never), `${about} returned invalid object: no object`],
  ] as const)('is refused: %o', ([response, why]) => {
    expect(read(response as never)).toBe(why)
  })

  it('is refused when it is of another kind, or nobody answered', () => {
    expect(read(success(converted), { apiVersion: 'v1', kind: 'Pod' })).toBe(
      `${about} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod`,
    )
    expect(readConverted({ failure: 'closed' }, 'id', [original], 'g.io/v2', 'v1')).toBe(`${about} failed: closed`)
    const core = { ...original, apiVersion: 'v1' }
    expect(readConverted({ failure: 'closed' }, 'id', [core], 'v2', 'v1')).toBe(
      'conversion webhook for /v1, Kind=Game failed: closed',
    )
  })

  it('of the older version is looked at less closely', () => {
    expect(read({ ...success(converted), uid: 'x' }, { kind: 'Pod' }, 'v1beta1')).toEqual([converted])
  })
})
