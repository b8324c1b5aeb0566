import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { nodeFault } from '@wherry/client/internal'
import { expect, it } from 'vitest'
import { projectNames } from './names.ts'
import { projectFiles } from './project-files.ts'

const { Dockerfile = '' } = projectFiles(
  projectNames('game-operator', 'arcade.example.com', 'Game'),
  { schema: 'interface', hasWebhook: false },
  '1.0.0',
)
const deploy = readFileSync(new URL('../../../../docs/deploy.md', import.meta.url), 'utf8')

const dockerfiles = [
  ['a new project', Dockerfile],
  ['docs/deploy.md', deploy],
] as const

it.each(dockerfiles)('Node takes the options that the image of %s has', (_, text) => {
  const command = JSON.parse(/^CMD (.+)$/m.exec(text)?.[1] ?? '') as readonly string[]
  const options = command.slice(1, -1)
  expect(command[0]).toBe('node')
  expect(options).not.toEqual([])
  expect(execFileSync(process.execPath, [...options, '--print', '1 + 1'], { encoding: 'utf8' })).toBe('2\n')
})

it.each(dockerfiles)('the image of %s is of an exact version of Node without a known fault', (_, text) => {
  const images = Array.from(text.matchAll(/^FROM (\S+)/gm), ([, image = '']) => image)
  expect(images.length).toBe(2)
  for (const image of images) {
    const [, node] = /^node:(\d+\.\d+\.\d+)-slim$/.exec(image) ?? []
    expect(node, image).toBeDefined()
    expect(nodeFault({ node }), image).toBeUndefined()
  }
  expect(nodeFault({ node: '24.18.0' })).toBeDefined()
})
