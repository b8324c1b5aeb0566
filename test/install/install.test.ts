import { expect, it } from 'vitest'
import { bundleArguments } from './bundle.ts'
import { firstExample } from './install.ts'
import { tutorialOf } from './tutorial.ts'

it('takes the first ts example of a README, whatever else comes before', () => {
  const readme = '# Title\n\n```sh\nnpm i\n```\n\n```ts\nconst a = `x`\n```\n\n```ts\nsecond()\n```\n'
  expect(firstExample(readme)).toBe('const a = `x`\n')
  expect(firstExample('# Title\n')).toBeUndefined()
})

it('reads the command that bundles a program, over several lines and with words in quotes', () => {
  const page = '```sh\nnpx esbuild main.ts --bundle \\\n  --banner:js="import a; b" --x=y\n```\n'
  expect(bundleArguments(page)).toEqual(['main.ts', '--bundle', '--banner:js=import a; b', '--x=y'])
  expect(() => bundleArguments('# Page')).toThrow('no command')
})

it('reads a tutorial: its files, its commands, and what they show', () => {
  const tutorial =
    '# T\n\n```sh\nmkdir a\ncd a\n```\n\n<!-- file: a.ts -->\n```ts\nconst a = 1\n```\n\n```ts\nb()\n```\n\n```sh\nnode a.ts\n```\n\n```text\n1\n```\n'
  expect(tutorialOf(tutorial)).toEqual({
    files: { 'a.ts': 'const a = 1\n' },
    commands: ['mkdir a', 'cd a', 'node a.ts'],
    shows: { 'node a.ts': '1\n' },
  })
})
