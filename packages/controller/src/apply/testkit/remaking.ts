import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { operating, until } from '../../operator/testkit/both-servers.ts'
import { ImmutableFieldError } from '../errors.ts'

const namespace = 'remade'
const at = { name: 'made', namespace }
const sources = configMaps.within({ namespaces: [namespace], labels: { source: 'remade' } })

/** Fields that a real server refuses to change in place, unlike the embedded one. */
export function remaking(server: () => ApiServer): void {
  it.each([
    ['the type of a Secret', [{ type: 'Opaque' }, { type: 'example.com/other' }], ['type']],
    [
      'an immutable Secret',
      [
        { immutable: true, stringData: { a: '1' } },
        { immutable: true, stringData: { a: '2' } },
      ],
      ['data'],
    ],
  ] as const)(
    'A3: %s is named if it can not be changed, and the Secret recreated if that is wanted',
    (_, states, fields) =>
      operating(server(), async ({ operator, client, run, errors, end }) => {
        await client.create(namespaces, { metadata: { name: namespace } }).catch(() => {})
        let whenImmutable: 'fail' | 'recreate' = 'fail'
        operator
          .controller('remade')
          .for(sources)
          .reconcile(async ({ object, apply }) => {
            const state = states[Number(object.data?.state)] ?? {}
            await apply(secrets, { metadata: { name: 'made' }, ...state } as never, { whenImmutable })
          })
        await client.create(configMaps, {
          metadata: { name: 'source', namespace, labels: { source: 'remade' } },
          data: { state: '0' },
        })
        run()
        await until(async () => expect(await client.get(secrets, at)).toBeDefined())
        const uid = (await client.get(secrets, at))?.metadata?.uid
        const source = { name: 'source', namespace }
        await client.patch(configMaps, source, { data: { state: '1' } })
        await until(() => expect(errors.some(error => error instanceof ImmutableFieldError)).toBe(true))
        expect(errors.find(error => error instanceof ImmutableFieldError)).toMatchObject({ fields })
        expect((await client.get(secrets, at))?.metadata?.uid).toBe(uid)
        whenImmutable = 'recreate'
        await until(async () => expect((await client.get(secrets, at))?.metadata?.uid).not.toBe(uid))
        // Else a run that is under way could make the Secret again.
        expect(await end()).toBe('ended')
        await client.delete(configMaps, source)
        await client.delete(secrets, at)
      }),
  )
}
