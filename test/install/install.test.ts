import { expect, it } from 'vitest'
import { firstExample } from './install.ts'

it('takes the first ts example of a README, whatever else comes before', () => {
  const readme = '# Title\n\n```sh\nnpm i\n```\n\n```ts\nconst a = `x`\n```\n\n```ts\nsecond()\n```\n'
  expect(firstExample(readme)).toBe('const a = `x`\n')
  expect(firstExample('# Title\n')).toBeUndefined()
})
