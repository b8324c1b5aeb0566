import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrateStorage } from '../migrate.ts'
import { definition, withGames } from '../testkit/cluster.ts'
import { configMapState } from './config-map-state.ts'
import { fileState } from './file-state.ts'
import type { MigrationState } from './migration-state.ts'

const state: MigrationState = {
  form: 1,
  uid: 'u',
  generation: 3,
  storageVersion: 'v2',
  continue: 'token',
  listed: false,
  counts: { listed: 5, rewritten: 3, unchanged: 0, changed: 1, gone: 1 },
  failures: [{ namespace: 'default', name: 'a', reason: 'webhook', message: 'no' }],
}

/** What no migration has written. */
const strange = [
  'not JSON',
  '[]',
  JSON.stringify({ ...state, form: 2 }),
  JSON.stringify({ ...state, counts: {} }),
  JSON.stringify({ ...state, failures: [{ name: 'a' }] }),
]

describe('a file', () => {
  let folder: string
  let path: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-state-'))
    path = join(folder, 'state.json')
  })

  afterEach(() => rm(folder, { recursive: true }))

  it('keeps the states of several definitions, for this user alone, and is gone after the last one', async () => {
    const store = fileState(path)
    expect(await store.load('a')).toBeUndefined()
    await store.save('a', state)
    await store.save('b', { ...state, generation: 4 })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await fileState(path).load('a')).toEqual(state)
    await store.clear('a')
    expect(await store.load('a')).toBeUndefined()
    expect(await store.load('b')).toEqual({ ...state, generation: 4 })
    await store.clear('b')
    await store.clear('b')
    expect(await readdir(folder)).toEqual([])
  })

  it('keeps each state if several migrations of a program write at the same time', async () => {
    const store = fileState(path)
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(names.map(name => store.save(name, state)))
    expect(await Promise.all(names.map(name => store.load(name)))).toEqual(names.map(() => state))
    await Promise.all(names.map(name => store.clear(name)))
    expect(await readdir(folder)).toEqual([])
  })

  it('that no migration has written is an error, and stays as it is', async () => {
    for (const content of ['precious notes', '[]', '{"a":{"form":1}}']) {
      await writeFile(path, content)
      await expect(fileState(path).load('a')).rejects.toMatchObject({ code: 'INVALID_STATE' })
      expect(await readFile(path, 'utf8')).toBe(content)
    }
    await writeFile(path, 'precious notes')
    await expect(fileState(path).save('a', state)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    expect(await readFile(path, 'utf8')).toBe('precious notes')
  })

  it('X10: is whole when the program was killed while it wrote', async () => {
    await fileState(path).save('a', state)
    await writeFile(`${path}.tmp`, '{"a":{"fo')
    expect(await fileState(path).load('a')).toEqual(state)
    await fileState(path).save('a', { ...state, listed: true })
    expect(await fileState(path).load('a')).toMatchObject({ listed: true })
  })

  it('that cannot be read is an error', async () => {
    await chmod(folder, 0o700)
    await expect(fileState(join(folder, 'none', 'state.json')).save('a', state)).rejects.toMatchObject({
      code: 'ENOENT',
    })
    await expect(fileState(folder).load('a')).rejects.toMatchObject({ code: 'EISDIR' })
  })
})

describe('a ConfigMap', () => {
  it('keeps the states of several definitions', () =>
    withGames(0, async ({ client, writer }) => {
      const store = configMapState({ client, namespace: 'default', name: 'migrations' })
      expect(await store.load('a')).toBeUndefined()
      await store.clear('a')
      const read = (): Promise<ConfigMap | undefined> =>
        writer.get(configMaps, { namespace: 'default', name: 'migrations' })
      expect(await read()).toBeUndefined()
      await store.save('a', state)
      await store.save('b', { ...state, generation: 4 })
      expect(await store.load('a')).toEqual(state)
      await store.clear('a')
      expect(Object.keys((await read())?.data ?? {})).toEqual(['b'])
      expect(await store.load('b')).toEqual({ ...state, generation: 4 })
    }))

  it('X10: lets a run that was killed go on where it was', () =>
    withGames(25, async ({ client, server, storedAt, storedVersions }) => {
      const killed = new AbortController()
      const kept = configMapState({ client, namespace: 'default' })
      const options = { client, definition, chunkSize: 5 }
      const dying = {
        ...{ load: kept.load.bind(kept), clear: kept.clear.bind(kept) },
        async save(name: string, saved: MigrationState) {
          await kept.save(name, saved)
          if (saved.counts.listed === 10) killed.abort(new Error('killed'))
        },
      }
      const run = migrateStorage({ ...options, state: dying, signal: killed.signal })
      await expect(run).rejects.toThrow('killed')
      expect(storedAt('v1')).toHaveLength(15)
      await server.resetStats()
      const state = configMapState({ client, namespace: 'default' })
      expect(await migrateStorage({ ...options, state })).toMatchObject({ outcome: 'migrated', counts: { listed: 25 } })
      expect((await server.stats()).byVerb.patch?.[definition]?.requests).toBe(15)
      expect(await storedVersions()).toEqual(['v2'])
      expect(await state.load(definition)).toBeUndefined()
    }))

  it('a state that no migration has written is an error', () =>
    withGames(0, async ({ client, writer }) => {
      const key = { namespace: 'default', name: 'migrations' }
      const store = configMapState({ client, ...key })
      for (const text of strange) {
        await writer.apply(configMaps, { metadata: key, data: { a: text } }, { force: true })
        await expect(store.load('a')).rejects.toMatchObject({ code: 'INVALID_STATE' })
      }
    }))

  it('that may not be read is an error that names it', () =>
    withGames(0, async ({ client, server }) => {
      const message = 'configmaps "x" is forbidden: User "u" cannot get resource "configmaps" in API group ""'
      const effect = { kind: 'status', code: 403, reason: 'Forbidden', message } as const
      await server.faults.add({ match: { resource: 'configmaps' }, effect })
      const state = configMapState({ client, namespace: 'ops' })
      const run = migrateStorage({ client, definition, state })
      await expect(run).rejects.toMatchObject({
        code: 'NO_ACCESS',
        message: expect.stringContaining('get ConfigMap ops/wherry-storage-migrator'),
      })
    }))

  it('X6: its options are checked', () =>
    withGames(0, async ({ client }) => {
      for (const options of [{}, { client }, { client, namespace: 'a', key: 'b' }, { client: {}, namespace: 'a' }]) {
        const make = (): unknown => configMapState(options as never)
        expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
      }
      expect(() => fileState('')).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    }))
})
