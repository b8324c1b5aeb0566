import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const fromSource = new URL('../../../test/examples/from-source.ts', import.meta.url).href

it.each([['--help'], ['dev', '--help'], ['completion', 'bash']])(
  'wherry %s %s ends silently if nobody reads what it says, as with head',
  async (...args) => {
    const bin = join(import.meta.dirname, 'bin.ts')
    const child = spawn(process.execPath, ['--import', fromSource, bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect([said, code]).toEqual(['', 0])
  },
)
