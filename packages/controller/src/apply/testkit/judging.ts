import { Client, type KubernetesObject, type View } from '@wherry/client'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { isAsDesired, ownedFields } from '../judge.ts'
import { kinds } from './kinds.ts'

const manager = 'arcade/judge'

/** The server's form of desired objects is judged as the server behaves: an apply of an equal object changes nothing. */
export function judging(server: () => Pick<ApiServer, 'url' | 'ca' | 'token'>): void {
  it.each(kinds.map(kind => [kind.view.resource.kind, kind.desired.metadata, kind] as const))(
    'A2: %s %j: the owned fields are as desired at once or by what one answer taught, and any change is seen',
    async (_, __, { view, desired, isPlain }) => {
      const { url, ca, token } = server()
      const client = new Client({ url, ca, token })
      try {
        const { apiVersion, kind } = typeOf(view)
        const sent = { apiVersion, kind, ...desired } as KubernetesObject
        const apply = async (object: object): Promise<KubernetesObject> =>
          (await client.apply(view.full(), object as never, { fieldManager: manager, force: true })) as KubernetesObject
        const first = await apply(sent)
        const owned = ownedFields(first, manager)
        expect(isAsDesired(owned, sent), JSON.stringify(owned)).toBe(isPlain)
        const second = await apply(sent)
        // What one answer taught stays true.
        expect(ownedFields(second, manager)).toEqual(owned)
        for (const changed of changes(sent)) {
          expect(isAsDesired(owned, changed), JSON.stringify(changed)).toBe(false)
        }
        await client.delete(view as View<KubernetesObject>, first.metadata as never, { gracePeriodSeconds: 0 })
      } finally {
        await client.close()
      }
    },
  )
}

function typeOf({ resource: { group, version, kind } }: View): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind }
}

/** The same desired object with one thing changed: each leaf once, and each list of two in the other order. */
function changes(desired: object): object[] {
  const changed: object[] = []
  const walk = (value: unknown, put: (value: unknown) => object): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        walk(item, one => put(value.with(index, one)))
      })
      if (value.length > 1) {
        changed.push(put([...value].reverse()))
        changed.push(put(value.slice(1)))
      }
    } else if (typeof value === 'string' && value !== '') changed.push(put(`${value}x`))
    else if (typeof value === 'number') changed.push(put(value + 1))
    else if (typeof value === 'boolean') changed.push(put(!value))
    else if (value !== null && typeof value === 'object') {
      for (const [name, one] of Object.entries(value)) walk(one, other => put({ ...value, [name]: other }))
      changed.push(put({ ...value, another: 'x' }))
    }
  }
  const { apiVersion: _, kind: __, metadata, ...rest } = desired as KubernetesObject
  const { name, namespace, ...own } = metadata ?? {}
  const whole = (body: object): object => {
    const { metadata: changedMetadata = {}, ...others } = body as KubernetesObject
    const { apiVersion, kind } = desired as KubernetesObject
    return { apiVersion, kind, metadata: { name, namespace, ...changedMetadata }, ...others }
  }
  walk(Object.keys(own).length === 0 ? rest : { metadata: own, ...rest }, value => whole(value as object))
  return changed
}
