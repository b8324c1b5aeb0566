import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { compilesOnMainThread, deployedOptions } from './deployed.ts'

it('programs are measured with the options of the Deployments that are made', async () => {
  const manifests = await readFile(
    new URL('../../../examples/quickstart/deploy/quickstart.yaml', import.meta.url),
    'utf8',
  )
  expect(manifests).toContain(`- name: NODE_OPTIONS\n              value: ${deployedOptions.join(' ')}\n`)
})

it('and with the flag of the images of new projects', async () => {
  const made = await readFile(new URL('../../../packages/cli/src/create/project-files.ts', import.meta.url), 'utf8')
  expect(made).toContain(`CMD ["node", "${compilesOnMainThread}", "/app/main.mjs"]\n`)
})
