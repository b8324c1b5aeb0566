import { kustomizationYaml, manifestsYaml } from '../manifests/documents.ts'
import type { OperatorDeclaration } from '../program/declaration.ts'
import { neededRights } from '../rbac/needed.ts'
import { neededRoles } from '../rbac/roles.ts'
import { agents } from './agents.ts'
import { definition } from './definition.ts'
import type { ProjectNames, ProjectStyle, SchemaKind } from './names.ts'
import { sources } from './sources.ts'
import { sourcesWithWebhook, webhookDeclared } from './webhook.ts'

/** All files of a new project by path. `wherry check` finds nothing to change in these files. */
export function projectFiles(
  names: ProjectNames,
  style: ProjectStyle,
  version: string,
): Readonly<Record<string, string>> {
  const { name, group, plural } = names
  const { schema, hasWebhook } = style
  return {
    'package.json': `${JSON.stringify(packageJson(names, style, version), undefined, 2)}\n`,
    'tsconfig.json': `${JSON.stringify({ compilerOptions }, undefined, 2)}\n`,
    '.gitignore': 'node_modules/\ndist/\n.wherry/\n',
    'README.md': readme(names, schema, hasWebhook),
    'AGENTS.md': agents(names, style),
    Dockerfile: dockerfile,
    '.github/workflows/ci.yaml': workflow,
    ...(hasWebhook ? sourcesWithWebhook(names, schema) : sources(names, schema)),
    [`deploy/crd/${plural}.${group}.yaml`]: definition(names, schema),
    [`deploy/${name}.yaml`]: manifests(names, hasWebhook),
    'deploy/kustomization.yaml': kustomizationYaml([`crd/${plural}.${group}.yaml`, `${name}.yaml`]),
  }
}

/** The file with the schema. */
function schemaFile({ code }: ProjectNames, schema: SchemaKind): string {
  return schema === 'zod' ? `src/${code.file}.crd.ts` : `src/${code.file}.ts`
}

function readme(names: ProjectNames, schema: SchemaKind, hasWebhook: boolean): string {
  const { name, group, kind } = names
  return `# ${name}

An operator for the kind \`${kind}\` (\`${group}\`), written with Wherry.

\`\`\`sh
npm install
npm run dev          # runs it while you write it, against an API server of its own, with a page that shows what it does
npm test             # types, and the tests against an API server that starts in them
npm run crd          # after a change of ${schemaFile(names, schema)}: writes deploy/crd
RECORD=1 npm test    # after a change that needs other rights: records them
npm run manifests    # and writes them to deploy
npm run check        # in CI: fails if a file in deploy is stale
\`\`\`

\`npm run manifests\` may ask how to grant what the tests read by name only. Answer in the script \`manifests\` of package.json, which
\`npm run check\` reads too: \`--fixed-name secrets\` if these are the names in every cluster, \`--any-name secrets\` if they come from other objects.

To run it in the cluster of your kubeconfig, with your own rights:

\`\`\`sh
${inCluster(hasWebhook)}
To deploy it, with exactly the rights that it needs:

\`\`\`sh
docker build --tag ${name}:latest .   # and bring it to where the nodes find it: a registry (--image in the script manifests), or kind load docker-image
kubectl apply -k deploy
\`\`\`
`
}

/** The commands that run the program against a cluster, and the text after them. */
function inCluster(hasWebhook: boolean): string {
  if (!hasWebhook) return 'kubectl apply -f deploy/crd\nnpm start\n```\n'
  return `npm run dev -- --cluster
\`\`\`

The webhooks are left out then: a cluster can't call them on your machine. \`npm start\` writes no webhook configuration either, and says so, unless the Service
of \`deploy\` exists.
`
}

function packageJson(names: ProjectNames, { schema, hasWebhook }: ProjectStyle, version: string): object {
  const { name } = names
  const wherry = `^${version}`
  const bundle = 'esbuild src/main.ts --bundle --platform=node --format=esm --outfile=dist/main.mjs'
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.19' },
    scripts: {
      start: 'node src/main.ts',
      dev: 'wherry dev',
      test: 'tsc && node --test',
      crd: `wherry crd ${schemaFile(names, schema)} --out deploy/crd`,
      manifests: `wherry manifests src/main.ts --name ${name} --out deploy`,
      check: 'wherry check',
      build: `${bundle} --external:@kubernetes/client-node`,
    },
    dependencies: {
      ...{ '@wherry/client': wherry, '@wherry/controller': wherry },
      ...(hasWebhook && { '@wherry/webhook': wherry }),
    },
    devDependencies: {
      '@types/node': '^22.19.0',
      ...{ '@wherry/cli': wherry, '@wherry/crd': wherry, '@wherry/testing': wherry },
      ...{ esbuild: '^0.28.0', typescript: '^6.0.0', ...(schema === 'zod' && { zod: '^4.2.0' }) },
    },
  }
}

const compilerOptions = {
  ...{ module: 'nodenext', target: 'esnext', types: ['node'], strict: true, noEmit: true },
  ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true },
}

const dockerfile = `FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY src src
RUN npm run build

FROM node:24.21.0-slim
COPY --from=build /app/dist/main.mjs /app/main.mjs
USER 1000
# V8 compiles on the main thread, which takes less memory. A later Node may not have this flag: leave it out then.
CMD ["node", "--no-concurrent-recompilation", "/app/main.mjs"]
`

const workflow = `name: ci
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24, cache: npm }
      - run: npm ci
      - run: npm test
      - run: npm run check
      - run: npm run build
`

/** The text that `wherry manifests` writes for the program and its test. */
function manifests(names: ProjectNames, hasWebhook: boolean): string {
  const { name, group, singular, plural } = names
  const webhook = hasWebhook ? webhookDeclared(name) : undefined
  const seenBy = 'makes a ConfigMap, and keeps it as it should be'
  const configMaps = { group: '', resource: 'configmaps' }
  const by = (what: string): string => `controller ${singular}: ${what}`
  const views = (of: { readonly group: string; readonly resource: string }, what: string) =>
    ['list', 'watch'].map(verb => ({ verb, ...of, by: by(what) }))
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: name, by: 'leader' }
  const declaration: OperatorDeclaration = {
    name,
    leader: true,
    rights: [
      ...views({ group, resource: plural }, 'for'),
      ...views(configMaps, 'owns'),
      ...['create', 'patch'].map(verb => ({ verb, group: '', resource: 'events', by: by('events') })),
      ...['get', 'update', 'watch'].map(verb => ({ verb, ...lease, name })),
      { verb: 'create', ...lease },
      ...(webhook?.rights ?? []),
    ],
  }
  const seen = [
    { verb: 'watch', group, resource: plural, by: seenBy },
    { verb: 'update', group, resource: `${plural}/finalizers`, by: seenBy },
    { verb: 'patch', group, resource: `${plural}/status`, by: seenBy },
    ...['watch', 'create', 'patch'].map(verb => ({ verb, ...configMaps, by: seenBy })),
  ]
  const needed = neededRights(seen, { declaration, used: [], file: 'src/main.ts' }, { namespace: name, own: [] })
  const health = { host: '0.0.0.0', port: 8080, tls: false, metrics: false, tokenReview: false }
  return manifestsYaml({
    ...{ name, namespace: name, image: `${name}:latest`, leader: true, health, hasServiceMonitor: false },
    ...{ roles: neededRoles(needed, { fixed: [], any: [] }), webhooks: webhook?.details },
  })
}
