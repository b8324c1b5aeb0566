import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildGoClients } from '../clients/build.ts'
import { stages } from './stage.ts'

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

describe.each(stages)('%s', (_, open) => {
  it('kubectl runs commands, reads logs and copies files', async () => {
    await using stage = await open()
    const program = await buildGoClients()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-kubectl-'))
    const kubectl = (...args: readonly string[]): Promise<Ended> =>
      new Promise(resolve => {
        const env = { ...process.env, KUBECONFIG: join(folder, 'config') }
        execFile(program, ['kubectl', ...args], { env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        )
      })
    try {
      await stage.server.writeKubeconfig(join(folder, 'config'))
      await stage.log({ time: '2026-01-01T00:00:01.500000000Z', text: 'ready' })
      expect(await kubectl('logs', 'chess')).toEqual({ code: 0, stdout: 'ready\n', stderr: '' })
      const ran = await kubectl('exec', 'chess', '--', 'sh', '-c', 'echo out; echo wrong >&2; exit 3')
      expect(ran).toMatchObject({ code: 3, stdout: 'out\n' })
      expect(ran.stderr).toMatch(/^wrong\ncommand terminated with (non-zero )?exit code/)
      await writeFile(join(folder, 'moves.txt'), 'e4 e5')
      expect(await kubectl('cp', join(folder, 'moves.txt'), 'chess:moves.txt')).toMatchObject({ code: 0 })
      expect(await readFile(join(stage.folder, 'moves.txt'), 'utf8')).toBe('e4 e5')
      expect(await kubectl('exec', 'chess', '--', 'no-such-program')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no-such-program'),
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
