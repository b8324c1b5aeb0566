import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cachedBinary, cacheFolder } from './binary-cache.ts'
import { findApiServer } from './find-binary.ts'

describe('where a real API server is looked for', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-find-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function program(path: string): Promise<string> {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '#!/bin/sh\n', { mode: 0o755 })
    return path
  }

  it('takes WHERRY_APISERVER before all else, of whatever version', async () => {
    const path = await program(join(folder, 'mine'))
    await program(cachedBinary({ XDG_CACHE_HOME: folder }))
    const env = { WHERRY_APISERVER: path, XDG_CACHE_HOME: folder }
    expect(await findApiServer({ env, version: '1.34' })).toEqual({ kind: 'wherry', path })
  })

  it('takes the cached binary before KUBEBUILDER_ASSETS, and that before building', async () => {
    const env = { XDG_CACHE_HOME: folder, KUBEBUILDER_ASSETS: join(folder, 'assets') }
    const apiServer = await program(join(folder, 'assets/kube-apiserver'))
    const etcd = await program(join(folder, 'assets/etcd'))
    expect(await findApiServer({ env, build: true })).toEqual({ kind: 'assets', apiServer, etcd })
    // Their version is unknown, so they serve for any.
    expect(await findApiServer({ env, version: '1.12' })).toEqual({ kind: 'assets', apiServer, etcd })
    const path = await program(cachedBinary(env))
    expect(await findApiServer({ env })).toEqual({ kind: 'wherry', path })
  })

  it('takes no folder for a program', async () => {
    await expect(findApiServer({ env: { WHERRY_APISERVER: folder } })).rejects.toMatchObject({
      code: 'API_SERVER_MISSING',
    })
  })

  it('says how to get one when there is none', async () => {
    await expect(findApiServer({ env: { XDG_CACHE_HOME: folder } })).rejects.toMatchObject({
      code: 'API_SERVER_MISSING',
      message: expect.stringMatching(/`build: true`.*WHERRY_APISERVER.*KUBEBUILDER_ASSETS/),
    })
  })

  it.for([{ WHERRY_APISERVER: '/nowhere/apiserver' }, { KUBEBUILDER_ASSETS: '/nowhere' }])(
    'refuses a setting that leads nowhere, rather than look further: %o',
    async env => {
      await expect(findApiServer({ env: { XDG_CACHE_HOME: folder, ...env }, build: true })).rejects.toMatchObject({
        code: 'API_SERVER_MISSING',
        message: expect.stringContaining('/nowhere'),
      })
    },
  )

  it('refuses a version that cannot be had, and names those that can', async () => {
    await expect(findApiServer({ env: { XDG_CACHE_HOME: folder }, version: '1.12' })).rejects.toMatchObject({
      code: 'API_SERVER_VERSION',
      version: '1.12',
      available: ['1.37', '1.36', '1.34'],
    })
  })

  it('keeps the binary of each version apart', async () => {
    const env = { XDG_CACHE_HOME: folder }
    const path = await program(cachedBinary(env, '1.36'))
    expect(await findApiServer({ env, version: '1.36' })).toEqual({ kind: 'wherry', path })
    for (const version of [undefined, '1.37', '1.34']) {
      await expect(findApiServer({ env, version })).rejects.toMatchObject({ code: 'API_SERVER_MISSING' })
    }
    await expect(findApiServer({ env, version: '1.34' })).rejects.toThrow('no real API server of version 1.34 at ')
    expect(cachedBinary(env, '1.37')).toBe(cachedBinary(env))
  })

  it('caches under XDG_CACHE_HOME, else under the home folder', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/wherry')
    expect(cacheFolder({})).toMatch(/\.cache\/wherry$/)
  })
})
