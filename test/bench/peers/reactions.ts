import { setTimeout as after } from 'node:timers/promises'
import { persistentVolumeClaims } from '@wherry/client/resources/core'
import { workspaces } from '../../../examples/ported/tenants/kinds.ts'
import { faults } from './faults.ts'
import { type Example, secondsToReact } from './scenes.ts'
import { withProgram } from './with-program.ts'

/** How many seconds after a fault the program has reacted to an object that is made then. */
export async function reaction(example: Example, main: string, fault: string): Promise<number> {
  return await withProgram({ main }, async ({ server, client }) => {
    if (!Number.isFinite(await secondsToReact(example, client, 'before'))) throw new Error(`${main} does not work`)
    await faults[fault]?.(server, example.resource)
    return await secondsToReact(example, client, 'after')
  })
}

/** What becomes of a claim of somebody else once the workspace of its name is deleted. */
export async function claimOfSomebodyElse(main: string): Promise<string> {
  return await withProgram({ main }, async ({ client }) => {
    const key = { namespace: 'default', name: 'theirs' }
    const resources = { requests: { storage: '1Gi' } }
    await client.create(persistentVolumeClaims, { metadata: key, spec: { accessModes: ['ReadWriteOnce'], resources } })
    await client.create(workspaces, { metadata: key, spec: { image: 'desk', storage: '1Gi' } })
    while ((await client.get(workspaces, key))?.status?.phase === undefined) await after(50)
    await client.delete(workspaces, key)
    while ((await client.get(workspaces, key)) !== undefined) await after(50)
    // The garbage collector of the server has its time, too.
    await after(2_000)
    return (await client.get(persistentVolumeClaims, key)) === undefined ? 'is deleted' : 'stays'
  })
}
