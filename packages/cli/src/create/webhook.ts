import { functionOf, type NewWebhook, webhookSource, webhookTest } from '../add/webhook-sources.ts'
import { wired } from '../add/wired.ts'
import type { WebhookDetails } from '../manifests/webhook-details.ts'
import type { DeclaredRight } from '../program/declaration.ts'
import type { ProjectNames, SchemaKind } from './names.ts'
import { sources } from './sources.ts'

/** The webhook of a new project. */
const name = 'limits'

/** The TypeScript files of a project with a webhook: the result of `wherry add webhook` in a project without one. */
export function sourcesWithWebhook(names: ProjectNames, schema: SchemaKind): Readonly<Record<string, string>> {
  const { code, group, kind, plural } = names
  const file = schema === 'zod' ? 'reconcile.ts' : `${code.file}.ts`
  const resource = { constant: code.resource, file, group, kind, plural, version: 'v1alpha1' }
  const webhook: NewWebhook = { name, mutates: false, resource, operator: names.name }
  const files = sources(names, schema)
  const main = wired(files['src/main.ts'] ?? '', webhook)
  if (main === undefined) throw new Error(`${functionOf(name)} can't be added to the program of a new project`)
  return {
    ...files,
    'src/main.ts': main,
    [`src/webhooks/${name}.ts`]: webhookSource(webhook),
    [`test/${name}.test.ts`]: webhookTest(webhook, '../src'),
  }
}

/** The text of the declaration by `@wherry/webhook`. */
const anyRequest =
  "webhooks: this can't be limited by a name, so a stolen token can have any request reviewed; configurations: 'manifest' needs no such right"

/** The declaration of the webhook of a new project. A test compares it with the declaration by the program. */
export function webhookDeclared(operator: string): {
  readonly rights: readonly DeclaredRight[]
  readonly details: WebhookDetails
} {
  const kept = ['list', 'watch', 'patch']
  const secret = { group: '', resource: 'secrets', namespace: operator, by: 'webhooks: certificates', exact: true }
  const configuration = {
    ...{ group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
    ...{ by: 'webhooks', exact: true },
  }
  return {
    rights: [
      { verb: 'create', ...secret },
      ...kept.map(verb => ({ verb, ...secret, name: `${operator}-webhook-authorities` })),
      { verb: 'get', ...secret, resource: 'services', name: operator, by: 'webhooks: its Service' },
      { verb: 'create', ...configuration, by: anyRequest },
      ...kept.map(verb => ({ verb, ...configuration, name: operator })),
    ],
    details: {
      ...{ service: { namespace: operator, name: operator, port: 443 }, port: 9443, fails: true },
      ...{ configured: [`validatingwebhookconfiguration/${operator}`], configurations: [], conversions: [] },
    },
  }
}
