import { type JsonObject, objectAt, objectsAt, own, sameJson } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { StatusCause } from '../status.ts'

/** An endpoint that writes a single part of an object. */
export type OwnPart = 'approval' | 'ephemeralcontainers' | 'resize'

/** The part of an object that an update writes. */
export type Part = 'main' | 'status' | 'finalize' | OwnPart

/** The results of writes to the endpoints: the old object with the endpoint's part from the new object. */
const parts: Readonly<Record<OwnPart, (object: KubeObject, old: KubeObject, now: string) => Partial<KubeObject>>> = {
  approval(object: KubeObject, old: KubeObject, now: string): Partial<KubeObject> {
    const { conditions: _, ...rest } = objectAt(old, 'status') ?? {}
    const conditions = conditionsOf(object).map(({ lastUpdateTime, lastTransitionTime, ...condition }) => ({
      ...condition,
      lastUpdateTime: lastUpdateTime ?? now,
      lastTransitionTime: lastTransitionTime ?? now,
    }))
    return { status: conditions.length === 0 ? rest : { ...rest, conditions } }
  },
  ephemeralcontainers(object: KubeObject, old: KubeObject): Partial<KubeObject> {
    const { ephemeralContainers: _, ...rest } = objectAt(old, 'spec') ?? {}
    const given = objectAt(object, 'spec')?.ephemeralContainers
    return { spec: given === undefined ? rest : { ...rest, ephemeralContainers: given } }
  },
  resize(object: KubeObject, old: KubeObject): Partial<KubeObject> {
    const [asked, spec] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
    const resized = (list: string): JsonObject =>
      own(spec, list) === undefined
        ? {}
        : {
            [list]: objectsAt(spec, list).map(container => {
              const found = objectsAt(asked, list).find(({ name }) => name === container.name) ?? container
              const { resources = {}, resizePolicy = container.resizePolicy } = found
              return { ...container, resources, ...(resizePolicy !== undefined && { resizePolicy }) }
            }),
          }
    return { spec: { ...spec, ...resized('containers'), ...resized('initContainers') } }
  },
}

export function isOwnPart(part: string): part is OwnPart {
  return Object.hasOwn(parts, part)
}

/** `old` with the part of `object` that `part` writes. */
export function withPart(part: OwnPart, object: KubeObject, old: KubeObject, now: string): KubeObject {
  return { ...old, ...parts[part](object, old, now), metadata: { ...old.metadata } } as KubeObject
}

const conditionsOf = (object: KubeObject): readonly JsonObject[] =>
  objectsAt(objectAt(object, 'status') ?? {}, 'conditions')

/** The problems of a changed decision on a certificate request: it can't be taken back. `mayDecide`: whether this endpoint may approve and deny. */
export function decisionProblems(object: KubeObject, old: KubeObject, mayDecide: boolean): StatusCause[] {
  const had = (one: KubeObject, type: string): boolean => conditionsOf(one).some(condition => condition.type === type)
  return ['Approved', 'Denied', 'Failed'].flatMap((type): StatusCause[] => {
    const [before, now] = [had(old, type), had(object, type)]
    if (before === now || (now && (mayDecide || type === 'Failed'))) return []
    const message = `Forbidden: updates may not ${now ? 'add' : 'remove'} a condition of type ${JSON.stringify(type)}`
    return [{ reason: 'FieldValueForbidden', message, field: 'status.conditions' }]
  })
}

/** The problems of the object after a write to an endpoint: an existing ephemeral container must not change. */
export function problemsOfPart(part: OwnPart, object: KubeObject, old: KubeObject): StatusCause[] {
  if (part === 'approval') return decisionProblems(object, old, true)
  if (part !== 'ephemeralcontainers') return []
  const field = 'spec.ephemeralContainers'
  const now = objectsAt(objectAt(object, 'spec') ?? {}, 'ephemeralContainers')
  return objectsAt(objectAt(old, 'spec') ?? {}, 'ephemeralContainers').flatMap(container => {
    const same = now.find(({ name }) => name === container.name)
    if (same !== undefined && sameJson(same, container)) return []
    const what = `existing ephemeral containers ${JSON.stringify(container.name)} may not be `
    return [{ reason: 'FieldValueForbidden', message: `Forbidden: ${what}${same ? 'changed' : 'removed'}\n`, field }]
  })
}
