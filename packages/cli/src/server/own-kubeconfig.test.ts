import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../testkit/run.ts'
import { writeOwnKubeconfig } from './own-kubeconfig.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-kubeconfig-'))
})

afterEach(() => rm(folder, { recursive: true }))

const kubeconfig = {
  ...({ apiVersion: 'v1', kind: 'Config', 'current-context': 'wherry' } as const),
  clusters: [{ name: 'wherry', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'wherry', user: { token: 'secret' } }],
  contexts: [{ name: 'wherry', context: { cluster: 'wherry', user: 'wherry', namespace: 'default' } }],
}

const path = (): string => join(folder, 'config')

describe('the kubeconfig of a server', () => {
  it('is readable by its user alone, and goes with the server', async () => {
    const own = await writeOwnKubeconfig(kubeconfig, 'config', folder)
    expect([own.path, (await stat(path())).mode & 0o777]).toEqual([path(), 0o600])
    expect(JSON.parse(await readFile(path(), 'utf8'))).toMatchObject(kubeconfig)
    await own[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
  })

  it.for(['server --kubeconfig config -- true', 'dev --kubeconfig config --port 0'])(
    'is never written over a file of the user: wherry %s',
    async line => {
      await writeFile(path(), 'mine')
      const { status, stderr } = await run(line, folder)
      expect([status, stderr.split('\n').length, await readFile(path(), 'utf8')]).toEqual([1, 2, 'mine'])
      expect(stderr).toContain('config is there already, and no server of wherry made it')
      expect(await readdir(folder)).toEqual(['config'])
    },
  )

  it('is never written through a link', async () => {
    await writeFile(join(folder, 'mine'), 'mine')
    await symlink(join(folder, 'mine'), path())
    await expect(writeOwnKubeconfig(kubeconfig, 'config', folder)).rejects.toThrow('config is there already')
    await rm(join(folder, 'mine'))
    // A link to nothing, too.
    await expect(writeOwnKubeconfig(kubeconfig, 'config', folder)).rejects.toThrow('config is there already')
    expect(await readdir(folder)).toEqual(['config'])
  })

  it('is not removed if it is another file by then, or has another content', async () => {
    const changed = await writeOwnKubeconfig(kubeconfig, 'config', folder)
    await writeFile(path(), 'mine')
    await changed[Symbol.asyncDispose]()
    expect(await readFile(path(), 'utf8')).toBe('mine')
    await rm(path())
    const replaced = await writeOwnKubeconfig(kubeconfig, 'config', folder)
    const text = await readFile(path(), 'utf8')
    await writeFile(join(folder, 'other'), text)
    await rm(path())
    await symlink('other', path())
    await replaced[Symbol.asyncDispose]()
    expect(await readFile(path(), 'utf8')).toBe(text)
  })

  it('replaces the file of a killed process, but not that of a running process, nor a file that was changed', async () => {
    await writeOwnKubeconfig(kubeconfig, 'config', folder)
    await expect(writeOwnKubeconfig(kubeconfig, 'config', folder)).rejects.toThrow(`that of process ${process.pid}`)
    // No process has this number.
    const left = (await readFile(path(), 'utf8')).replace(`"process": ${process.pid}`, `"process": ${2 ** 30}`)
    await writeFile(path(), left.replace('secret', 'another'))
    await expect(writeOwnKubeconfig(kubeconfig, 'config', folder)).rejects.toThrow('config is there already')
    await writeFile(path(), left)
    await using _own = await writeOwnKubeconfig(kubeconfig, 'config', folder)
    expect(await readFile(path(), 'utf8')).toContain(`"process": ${process.pid}`)
  })
})
