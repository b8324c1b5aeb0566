import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RightsError } from './authn/account.ts'
import { recordRights } from './record-rights.ts'
import { cm, withServer } from './testkit/in-memory.ts'

const jane = { authorization: 'Bearer jane' }
const tokens = { jane: { name: 'jane', groups: [] } }

it('K4: what an operator did in a test is in a file with the names of objects', () =>
  withServer(
    async ({ call, server }) => {
      using project = temporaryFolder()
      await call('GET', `${cm}?fieldSelector=metadata.name%3Da`, undefined, jane)
      await call('GET', `${cm}/a`, undefined, jane)
      await call('GET', '/api/v1/nodes', undefined, jane)
      await call('GET', '/version', undefined, jane)
      await call('GET', '/api/v1/namespaces/default/services', undefined)
      const options = { user: 'jane', test: 'reads: a, and nodes', folder: join(project.folder, 'rights') }
      const file = await recordRights(server, options)
      const text = readFileSync(file, 'utf8')
      expect(JSON.parse(text)).toEqual({
        test: 'reads: a, and nodes',
        rights: [
          { verb: 'list', group: '', resource: 'nodes' },
          { verb: 'get', path: '/version' },
          { verb: 'get', group: '', resource: 'configmaps', namespace: 'default', name: 'a' },
          { verb: 'list', group: '', resource: 'configmaps', namespace: 'default', name: 'a' },
        ],
      })
      expect([await recordRights(server, options), readFileSync(file, 'utf8')]).toEqual([file, text])
      expect(await recordRights(server, { ...options, test: 'reads: a; and nodes' })).not.toBe(file)
    },
    { tokens },
  ))

it('K4: a verb on more than a hundred names, or on all, has no name', () =>
  withServer(
    async ({ call, server }) => {
      for (let i = 0; i < 100; i++) await call('GET', `${cm}/a${i}`, undefined, jane)
      expect(await server.usedRights('jane')).toHaveLength(100)
      await call('GET', `${cm}/a0`, undefined, jane)
      expect(await server.usedRights('jane')).toHaveLength(100)
      await call('GET', `${cm}/b`, undefined, jane)
      const configMaps = { group: '', resource: 'configmaps', namespace: 'default' }
      expect(await server.usedRights('jane')).toEqual([{ verb: 'get', ...configMaps }])
    },
    { tokens },
  ))

it('K4: a server that does not record rights says so', () =>
  withServer(async ({ server }) => expect(server.usedRights('jane')).rejects.toThrow(RightsError), {
    recordRights: false,
  }))

/** Synchronous, since simulated time does not wait for file operations. */
function temporaryFolder(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'wherry-rights-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}
