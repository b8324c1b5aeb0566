import { expect, it } from 'vitest'
import { libraries } from '../testkit/libraries/index.ts'
import { definitionYaml } from './yaml.ts'

const renewal = 'npx vitest run packages/crd/src/definition/libraries.test.ts -u'

it.for(Object.entries(libraries))('K1: an upgrade of %s changes no definition', async ([name, { definition }]) => {
  const golden = `../testkit/libraries/${name}.yaml`
  await expect(definitionYaml(definition)).toMatchFileSnapshot(
    golden,
    `what ${name} makes differs from its golden file. If that is right, ${renewal} renews it. The difference`,
  )
})
