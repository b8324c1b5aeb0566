import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Client } from '@wherry/client'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { describe, expect, it, vi } from 'vitest'
import { games } from '../../examples/quickstart/game.ts'
import { exampleNames } from '../../tools/runner/examples.ts'
import { runnerOptions } from '../../tools/runner/options.ts'
import type { Stage, Tokens } from '../../tools/runner/stage.ts'
import { play } from './play.ts'

const examples = join(import.meta.dirname, '../../examples')
const hook = join(import.meta.dirname, 'from-source.ts')

it('every folder with manifests is an example that can be run by its name', () => {
  const there = globSync('{*,ported/*}/deploy', { cwd: examples }).map(dirname)
  const folders = there.filter(name => existsSync(join(examples, name, `deploy/${basename(name)}.yaml`)))
  expect([...exampleNames].sort()).toEqual(folders.sort())
})

it('reports a program that lacks a right at once, and leaves neither a process nor a folder', async () => {
  const without = (tokens: Tokens): Promise<ApiServer> =>
    startApiServer({ tokens, authorization: ({ user, verb }) => verb !== 'watch' || !user.name.includes('quickstart') })
  let folder = ''
  const body = async ({ folder: at, start, until }: Stage): Promise<void> => {
    folder = at
    start()
    await until('pigs fly', () => false)
  }
  await expect(play('quickstart', without, { body })).rejects.toThrow('the program lacks a right')
  expect(folder).not.toBe('')
  expect(existsSync(join(folder, '..'))).toBe(false)
})

describe('on the command line', () => {
  /** The command behind `npm run example`, from source. */
  function run(...args: string[]) {
    const main = join(import.meta.dirname, '../../tools/runner/main.ts')
    const child = spawn(process.execPath, ['--import', hook, main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const said = { text: '' }
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said.text += text
      })
    }
    return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) }
  }

  it.each([
    [[], `name one example: ${exampleNames.join(', ')}`],
    [['nonsense'], 'name one example: '],
    [['quickstart', 'nonsense'], 'name one example: '],
    [['quickstart', '--server', 'moon'], '--server takes auto, embedded or real, not moon'],
    [['quickstart', '--record', '--verify'], '--record plays its users on the embedded server'],
    [['quickstart', '--verfy'], "Unknown option '--verfy'"],
  ])('%j is refused', (args, message) => {
    expect(() => runnerOptions(args)).toThrow(message)
  })

  it('a refusal is one line, and code 1', async () => {
    const { said, ended } = run('nonsense')
    expect(await ended).toBe(1)
    expect(said.text).toBe(`example: name one example: ${exampleNames.join(', ')}\n`)
  })

  it('an example runs until Ctrl-C, and can be played with', async () => {
    const { child, said, ended } = run('quickstart', '--server', 'embedded')
    try {
      await vi.waitFor(() => expect(said.text).toContain('to play with it: export KUBECONFIG='))
      const [, kubeconfig = ''] = /KUBECONFIG=(.+)/.exec(said.text) ?? []
      vi.stubEnv('KUBECONFIG', kubeconfig)
      const client = await Client.connect()
      await client.create(games, {
        metadata: { namespace: 'arcade', name: 'go' },
        spec: { title: 'Go', licenceSecret: 'none' },
      })
      await client.close()
      await vi.waitFor(() => expect(said.text).toContain('the phase has changed'))
      // As a terminal does: to all of them.
      process.kill(-(child.pid ?? 0), 'SIGINT')
      expect(await ended, said.text).toBe(0)
      expect(existsSync(kubeconfig)).toBe(false)
    } finally {
      vi.unstubAllEnvs()
      child.kill('SIGKILL')
    }
  })
})
