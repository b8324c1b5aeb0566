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

it.each([
  ['a new project', Dockerfile],
  ['docs/deploy.md', deploy],
])('the image of %s is of an exact version of Node without a known fault', (_, text) => {
  const images = Array.from(text.matchAll(/^FROM (\S+)/gm), ([, image = '']) => image)
  expect(images.length).toBe(2)
  for (const image of images) {
    const [, node] = /^node:(\d+\.\d+\.\d+)-slim$/.exec(image) ?? []
    expect(node, image).toBeDefined()
    expect(nodeFault({ node }), image).toBeUndefined()
  }
  expect(nodeFault({ node: '24.18.0' })).toBeDefined()
})
