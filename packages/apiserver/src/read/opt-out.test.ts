import { describe, expect, it } from 'vitest'
import { cm, type Kit, withServer } from '../testkit/in-memory.ts'

const accept = 'application/json;drop=metadata.managedFields'
const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;drop=x+metadata.managedFields'
const annotations = { a: ',"managedFields":[ "]' }

/** The metadata of an object in four answers: to its create, a read, a list, and the watch. */
async function answers({ call, watch, sim }: Kit, accept: string): Promise<object[]> {
  const created = await call('POST', cm, { metadata: { name: 'a', annotations }, data: { k: 'v' } }, { accept })
  expect(created.json.data).toEqual({ k: 'v' })
  const read = await call('GET', `${cm}/a`, undefined, { accept })
  const list = await call('GET', cm, undefined, { accept })
  const { events } = await watch(`${cm}?watch=1&resourceVersion=0`, { accept })
  await sim.advance(100)
  return [created.json, read.json, list.json.items[0], events[0]?.object].map(({ metadata }) => metadata)
}

describe('managedFields that a client drops', () => {
  it('F1: are left out of every answer, and nothing else is', () =>
    withServer(
      async kit => {
        for (const metadata of await answers(kit, accept)) {
          expect(metadata).toMatchObject({ name: 'a', annotations, uid: expect.any(String) })
          expect(metadata).not.toHaveProperty('managedFields')
        }
        expect((await kit.call('GET', `${cm}/a`)).json.metadata.managedFields).toHaveLength(1)
        const { json } = await kit.call('GET', `${cm}/a`, undefined, { accept: partial })
        expect(json.kind).toBe('PartialObjectMetadata')
        expect(json.metadata).not.toHaveProperty('managedFields')
      },
      { managedFieldsOptOut: true },
    ))

  it('F1: come all the same where the server does not know the parameter', () =>
    withServer(async kit => {
      for (const metadata of await answers(kit, accept)) expect(metadata).toHaveProperty('managedFields')
    }))
})
