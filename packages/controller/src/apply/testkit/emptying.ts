import { defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { operating, patient, until } from '../../operator/testkit/both-servers.ts'

interface Parts {
  readonly map?: Readonly<Record<string, string>>
  readonly nested?: { readonly map?: Readonly<Record<string, string>> }
  readonly set?: readonly string[]
  readonly items?: readonly { readonly name: string; readonly value?: string }[]
}
interface Toy extends KubernetesObject {
  spec?: Parts & { readonly say?: boolean }
  status?: Parts
}

const group = 'emptied.example.com'
const toys = defineResource<Toy>({ group, version: 'v1', kind: 'Toy', plural: 'toys', namespaced: true })
const text = { type: 'string' }
const map = { type: 'object', additionalProperties: text }
const item = { type: 'object', required: ['name'], properties: { name: text, value: text } }
const properties = {
  ...{ say: { type: 'boolean' }, map, nested: { type: 'object', properties: { map } } },
  set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  items: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
}
const part = { type: 'object', properties }
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } }
const definition = {
  metadata: { name: `toys.${group}` },
  spec: {
    ...{ group, scope: 'Namespaced', names: { kind: 'Toy', plural: 'toys', singular: 'toy', listKind: 'ToyList' } },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
}

const all: Parts = {
  ...{ map: { a: '1' }, nested: { map: { b: '2' } } },
  ...{ set: ['x'], items: [{ name: 'one', value: '1' }] },
}
/** Another manager writes these first: some empty, some with values of its own. */
const theirs: Parts = { map: {}, nested: { map: { b: 'theirs' } }, set: [], items: [] }
const emptied: Parts = { map: {}, nested: { map: {} }, set: [], items: [] }
const namespace = 'default'
const primary = { name: 'primary', namespace }
const made = { name: 'made', namespace }
const them = { fieldManager: 'them' }

/** What an apply gives up in parts that another manager has written first. */
export function emptying(server: () => ApiServer): void {
  it('A3: the last fields that an apply gives up go, also if another manager wrote the part that they are in', () =>
    operating(server(), async ({ operator, client, run, errors }) => {
      operator
        .controller('toys')
        .for(toys.within({ labels: { primary: 'yes' } }))
        .reconcile(async ({ object, apply, status }) => {
          const parts = object.spec?.say === true ? all : {}
          await apply(toys, { metadata: made, spec: parts }, { adopt: true, whenImmutable: 'recreate' })
          await status(parts)
        })
      await client.create(customResourceDefinitions, definition as never)
      const metadata = { ...primary, labels: { primary: 'yes' } }
      await until(() => client.create(toys, { metadata, spec: { say: true } }))
      await client.status.patch(toys, primary, { status: theirs }, them)
      await client.create(toys, { metadata: made, spec: { ...theirs, say: true } }, them)
      run()
      await operator.settled(patient)
      const uid = (await client.get(toys, made))?.metadata?.uid
      await client.patch(toys, primary, { spec: { say: false } })
      await operator.settled(patient)
      const after = await client.get(toys, made)
      expect(after?.metadata?.uid).toBe(uid)
      expect(after?.spec).toEqual({ say: true, ...emptied })
      expect((await client.get(toys, primary))?.status).toEqual(emptied)
      await client.patch(toys, primary, { spec: { say: true } })
      await operator.settled(patient)
      expect((await client.get(toys, primary))?.status).toEqual(all)
      expect((await client.get(toys, made))?.spec).toEqual({ say: true, ...all })
      expect(errors).toEqual([])
      await client.delete(customResourceDefinitions, { name: `toys.${group}` })
    }))
}
