import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readManifest } from './manifest.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-manifest-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function read(text: string): Promise<readonly unknown[]> {
  const file = join(folder, 'games.yaml')
  await writeFile(file, text)
  return readManifest(file)
}

const head = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: games.x.io }\n'

it('a manifest is read as kubectl reads it: YAML 1.1 with merge keys, and times as texts', async () => {
  const versions = 'versions: [&v { name: v1, served: no, at: 2026-01-31, hour: 12:30 }, { <<: *v, name: v2 }]'
  expect(await read(`${head}spec: { ${versions} }\n`)).toMatchObject([
    {
      spec: {
        versions: [
          { name: 'v1', served: false, at: '2026-01-31', hour: '12:30' },
          { name: 'v2', served: false, at: '2026-01-31', hour: '12:30' },
        ],
      },
    },
  ])
})

it.each(['\u2028', '\u0085'])('a character that ends a line for kubectl is refused: %j', async end => {
  await expect(read(`${head}spec: { versions: [{ name: "a${end}b" }] }\n`)).rejects.toThrow('ends a line for kubectl')
})
