import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { conditionOf, Operator } from '@wherry/controller'
import type { ApiServer } from '@wherry/testing'
import { vi } from 'vitest'
import { parse } from 'yaml'
import { configs } from '../config.ts'
import type { Constraint, ConstraintStatus } from '../constraint.ts'
import type { KindName } from '../kinds.ts'
import { cache, declarePolicySync, type PolicySync } from '../operator.ts'
import type { OwnPolicy } from '../policies.ts'
import { type ConstraintTemplate, constraintsOf, templates } from '../template.ts'

/** An administrator of a server that has the definitions in `deploy/crd`. */
export async function installed(server: ApiServer): Promise<Client> {
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  for (const { resource } of [configs, templates]) {
    const file = join(import.meta.dirname, `../deploy/crd/${resource.plural}.${resource.group}.yaml`)
    await client.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
  }
  await vi.waitFor(() => client.list(configs))
  await vi.waitFor(() => client.list(templates))
  return client
}

/** An operator that runs, until it is closed. */
export class Running {
  readonly operator: Operator
  readonly policySync: PolicySync
  readonly #running: Promise<void>

  /** @param policies in TypeScript. @default none */
  constructor(client: Client, policies: Readonly<Record<string, OwnPolicy>> = {}) {
    this.operator = new Operator({ name: 'policy-sync', client, cache })
    this.policySync = declarePolicySync(this.operator, { auditDelayMs: 10, policies })
    this.#running = this.operator.run({ signals: false })
  }

  async close(): Promise<void> {
    await this.operator.close()
    await this.#running
  }
}

/** Names the kinds to sync. */
export function sync(client: Client, ...kinds: KindName[]): Promise<unknown> {
  const config = { metadata: { name: 'config' }, spec: { sync: kinds } }
  return client.apply(configs, config, { fieldManager: 'user', force: true })
}

/** Creates a constraint once its kind is served; gives what reads its status. */
export async function constrain(
  client: Client,
  of: ConstraintTemplate,
  name: string,
  spec: Constraint['spec'],
): Promise<() => Promise<ConstraintStatus>> {
  const resource = constraintsOf(of)
  await vi.waitFor(() => client.create(resource, { metadata: { name }, spec }))
  return async () => (await client.get(resource, { name }))?.status ?? {}
}

/** The reason of the condition `Audited`. */
export function audited({ conditions }: ConstraintStatus): string | undefined {
  return conditionOf(conditions, 'Audited')?.reason
}
