import { LabelSelector } from '@wherry/client'
import { decodeJson } from '@wherry/client/bytes/json'
import { decodeLean } from '@wherry/client/bytes/managed-fields'
import { setCondition, withOwner } from '@wherry/controller'
import { canonicalize, hash, InexactIntegerError, NotJsonError } from '@wherry/hash-compare'
import { Sharer } from '@wherry/informer/store/sharer'
import { keyOnly, omit, pick, stripLastApplied } from '@wherry/transform-cache'
import { expect, it } from 'vitest'
import { AppliedObjects } from '../../packages/controller/src/apply/applied-object.ts'
import { isAsDesired } from '../../packages/controller/src/apply/judge.ts'
import { isTurn } from '../../packages/controller/src/objects/life.ts'
import { annotationsChanged, labelsChanged } from '../../packages/controller/src/predicates/changed.ts'
import { ownerUids } from '../../packages/controller/src/reads/selection-scope.ts'
import { manager, shapes } from './shapes.ts'

/** How many of the thing an object has: then it has some 0.5 MB, and what the square of it costs takes minutes. */
const size = 8_000
/**
 * What a way may cost, in parses of the object's text. All take less than 8, but for exact decoding of nothing but integers beyond
 * 2^53, which takes 25: each becomes a bigint. Others that use the processor make it three times as many. What grows with the square
 * takes thousands.
 */
const most = 250

type Received = { readonly metadata: Record<string, never>; readonly status?: { readonly conditions?: never[] } }

const applied = new AppliedObjects(manager)
const statuses = new AppliedObjects(manager, 'status')
const desired = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'b' }, data: { a: 'b' } }
const selector = LabelSelector.of({ app: 'web' }, 'labels')

/** Each way that an object of others takes through an operator: text to object, object to its kept value, and the questions asked of it. */
const ways: Readonly<Record<string, (object: Received, text: string) => unknown>> = {
  'is decoded': (_, text) => decodeJson(text),
  'is decoded exactly': (_, text) => decodeJson(text, { exact: true }),
  'is decoded without managedFields': (_, text) => decodeLean(text, value => value as object),
  'is kept as what an apply compares': object => applied.of(object as never),
  'is kept as what a status compares': object => statuses.of(object as never),
  'is compared with the desired object': object => isAsDesired(applied.of(object as never).owned, desired),
  'is hashed': object => hash(object, { integers: 'bigint' }),
  'is written as canonical JSON': object => canonicalize(object, { integers: 'bigint' }),
  'is shared': object => new Sharer().shared(object.metadata),
  'is reduced to its key': object => keyOnly(object as never),
  'is reduced to some fields': object => pick(['metadata', 'labels'], ['spec'])(object as never),
  'is kept without some fields': object => omit(['metadata', 'managedFields'])(object as never),
  'is kept without the last applied': object => stripLastApplied(object as never),
  'is matched by a selector': object => selector.matches(object.metadata.labels ?? {}),
  'is looked at by predicates': object => {
    const event = { type: 'update', key: 'b/a', object, old: structuredClone(object) } as never
    return [labelsChanged(event), annotationsChanged(event), isTurn(object, object)]
  },
  'is indexed by its owner': object => ownerUids(object),
  'gets an owner more': object =>
    withOwner(object.metadata.ownerReferences, { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'mine' }),
  'gets a condition more': object =>
    setCondition(object.status?.conditions, { type: 'Ready', status: 'True', reason: 'x' }, 0),
}

/** The processor time of some work, in microseconds: the least of three tries. A refusal costs, too. */
function cost(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < 3; time++) {
    const begun = process.cpuUsage()
    try {
      work()
    } catch (error) {
      if (!(error instanceof NotJsonError || error instanceof InexactIntegerError)) throw error
    }
    const { user, system } = process.cpuUsage(begun)
    least = Math.min(least, user + system)
  }
  return least
}

it.each(Object.entries(shapes))(
  'X13: an object with %s costs an operator a few parses of it, whatever way it takes',
  (_, shape) => {
    const object = shape(size) as Received
    const text = JSON.stringify(object)
    const parse = cost(() => JSON.parse(text))
    const dear = Object.entries(ways).flatMap(([way, work]) => {
      const parses = cost(() => work(object, text)) / parse
      return parses > most ? [`it ${way}: ${Math.round(parses)} parses`] : []
    })
    expect(dear).toEqual([])
  },
)
