import type { ProjectNames, ProjectStyle } from './names.ts'

/** `AGENTS.md` of a new project: the rules that a coding assistant has to know before it changes a file. */
export function agents(names: ProjectNames, { schema, hasWebhook }: ProjectStyle): string {
  const { name, group, kind, singular, plural, code } = names
  const isZod = schema === 'zod'
  const file = isZod ? `src/${code.file}.crd.ts` : `src/${code.file}.ts`
  const home = isZod ? './reconcile.ts' : `./${code.file}.ts`
  const imported = isZod
    ? `import { ours, ${code.resource} } from '${home}'`
    : `import { ${code.resource} } from '${home}'\nimport { ours } from './reconcile.ts'`
  return `# ${name}: for coding assistants

An operator for the kind \`${kind}\` (\`${group}\`), written with Wherry. Usual mistakes and the right form of each: \`node_modules/@wherry/controller/SKILL.md\`.
The docstrings in \`node_modules/@wherry/*/dist/*.d.ts\` are the reference.

## Commands

| When | Command |
| --- | --- |
| before all others | \`npm install\` |
| after each change: types and tests | \`npm test\` |
| one test file | \`node --test test/reconcile.test.ts\` |
| after a change of \`${file}\`: writes \`deploy/crd\` | \`npm run crd\` |
| after a change that needs other rights: records them, and writes \`deploy\` | \`RECORD=1 npm test\`, \`npm run manifests\` |
| before a commit: fails if a file in \`deploy\` is stale | \`npm run check\` |
| a webhook more, with its test | \`npx wherry add webhook NAME --for ${kind}\` |
| to watch it run, until Ctrl+C | \`npm run dev\` |

## Layout

- \`${file}\`: the ${isZod ? 'schema' : 'interface'} of the kind. \`deploy/crd/${plural}.${group}.yaml\` is made from it.
- \`src/reconcile.ts\`: makes the cluster match each ${kind}. \`src/main.ts\`: the program.
- \`test/reconcile.test.ts\`: runs the operator against an API server in the test, with the rights of \`deploy/${name}.yaml\`.
${hasWebhook ? `- \`src/webhooks\`: what refuses or changes objects before they are stored. A handler writes nothing, and its test asks \`webhooks.review\`.\n` : ''}- \`deploy\`: made by the commands above. Never edit its files by hand. If \`npm run manifests\` asks for \`--fixed-name\` or \`--any-name\`, answer in
  the script \`manifests\` of \`package.json\`: \`npm run check\` reads it there.

## Five rules

\`\`\`ts
import { configMaps } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
${imported}

export function example(operator: Operator): void {
  const reconciled = operator.controller('example').for(${code.resource}).owns(ours)
  reconciled.reconcile(async ({ key, object, read, apply }) => {
    const defaults = await read.get(configMaps, { name: 'defaults' }) // rule 1
    const data = { ...structuredClone(defaults?.data), message: object.spec.message } // rule 2
    await apply(ours, { metadata: { name: key.name }, data }) // rule 3
  })
}
\`\`\`

1. **Await each read, \`apply\` and \`status\`.** The key runs again when what it read changes: no \`watches\`, no timer, no poll.
2. **Never change an object of the cache**, such as \`object\` or what \`read\` returns. Change a \`structuredClone\` of it.
3. **One \`apply\` for one object**, with all fields that it shall have: the next \`apply\` removes fields that it does not name.
4. **Test as a user acts**: write with \`client\`, \`await operator.settled()\`, look at the result. No sleeps, no mocks of the API server.
5. **To find out why a key ran**, or does not: print \`\${operator.explain('${singular}', 'NAMESPACE/NAME')}\` in the test, or look at the page that
   \`npm run dev\` names. Do not guess.
`
}
